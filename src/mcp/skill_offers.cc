#include "mcp/skill_offers.h"

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "text/file_kind.h"

namespace helve::mcp {
namespace {

using skills::Skill;
using skills::SkillFile;
using skills::SkillFolder;

std::string escaped_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (is_letter_or_digit(c) || std::string_view("-._~/").find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4U], kDigits[byte & 0xFU]};
  }
  return out;
}

std::string uri_of(const Skill& skill, std::string_view path) {
  return concat(kSkillScheme, skill.name, "/", escaped_path(path));
}

bool is_allowed_name(std::string_view name) {
  constexpr std::size_t kLongestName = 64;
  return !name.empty() && name.size() <= kLongestName && !name.starts_with('-') && !name.ends_with('-') &&
         name.find("--") == std::string_view::npos &&
         std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

bool can_be_offered(const Skill& skill) {
  return is_allowed_name(skill.name) && string_in(skill.front_matter, "name") == skill.name &&
         !string_in(skill.front_matter, "description").empty();
}

std::string_view mime_type_of(std::string_view path, std::string_view bytes) {
  if (path.ends_with(".md")) return "text/markdown";
  if (is_valid_utf8(bytes) && bytes.find('\0') == std::string_view::npos) return "text/plain";
  const auto kind = text::kind_of(bytes);
  return kind ? kind->mime : "application/octet-stream";
}

std::optional<Json> entry_of(const Skill& skill, const workspace::Root& root) {
  const auto folder = SkillFolder::open(skill, root);
  const auto files = folder ? folder->digests() : fail(folder.error());
  if (!files) return {};
  JsonArray resources;
  for (const SkillFile& file : *files)
    resources.push_back(JsonObject{
        {"uri", uri_of(skill, file.path)}, {"digest", concat("sha256:", file.sha256)}, {"size", file.size}});
  return Json(JsonObject{{"uri", uri_of(skill, skill.file)},
                         {"frontmatter", skill.front_matter},
                         {"resources", std::move(resources)}});
}

}  // namespace

struct SkillOffers::Served {
  std::optional<workspace::Root> root = {};
  std::vector<Skill> skills = {};
};

SkillOffers::Served SkillOffers::discover() const {
  Served served;
  const SkillPrompts::Places places = places_();
  auto root = workspace::Root::open(places.workspace);
  if (!root) return served;
  served.root.emplace(*std::move(root));
  served.skills = SkillPrompts::discover(*served.root, places).skills;
  std::erase_if(served.skills, [](const Skill& skill) { return !can_be_offered(skill); });
  return served;
}

std::optional<std::pair<const Skill*, std::string>> SkillOffers::locate(const Served& served,
                                                                        const std::string& uri) {
  if (!uri.starts_with(kSkillScheme)) return {};
  const std::string_view whole = std::string_view(uri).substr(kSkillScheme.size());
  const std::size_t slash = whole.find('/');
  std::string_view rest = slash == std::string_view::npos ? "" : whole.substr(slash + 1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const auto found = std::ranges::find(served.skills, whole.substr(0, slash), &Skill::name);
  if (found == served.skills.end()) return {};
  return std::pair(&*found, std::string(rest));
}

JsonArray SkillOffers::list() {
  JsonArray entries;
  const Served served = discover();
  for (const Skill& skill : served.skills)
    if (auto entry = entry_of(skill, *served.root)) entries.push_back(*std::move(entry));
  return entries;
}

std::optional<Json> SkillOffers::get(const std::string& uri) {
  const Served served = discover();
  const auto found = locate(served, uri);
  if (!found || found->second != found->first->file) return {};
  return entry_of(*found->first, *served.root);
}

JsonArray SkillOffers::resources() {
  JsonArray described;
  for (const Skill& skill : discover().skills)
    described.push_back(JsonObject{{"uri", uri_of(skill, skill.file)},
                                   {"name", skill.name},
                                   {"description", skill.description},
                                   {"mimeType", "text/markdown"}});
  return described;
}

std::optional<JsonArray> SkillOffers::read(const std::string& uri) {
  const Served served = discover();
  const auto found = locate(served, uri);
  if (!found) return {};
  const auto folder = SkillFolder::open(*found->first, *served.root);
  const auto files = folder ? folder->list() : fail(folder.error());
  if (!files) return {};
  // Only files that are listed are read, so that no URI leads elsewhere.
  for (const SkillFile& file : files->files) {
    if (escaped_path(file.path) != found->second) continue;
    auto bytes = folder->read(file.path, skills::kMostSkillFolderBytes);
    if (!bytes) return {};
    const std::string_view type = mime_type_of(file.path, *bytes);
    Json content = JsonObject{{"uri", uri}, {"mimeType", type}};
    if (type.starts_with("text/") && is_valid_utf8(*bytes))
      content["text"] = *std::move(bytes);
    else
      content["blob"] = to_base64(*bytes);
    return JsonArray{std::move(content)};
  }
  return {};
}

std::optional<JsonArray> SkillOffers::directory(const std::string& uri) {
  const Served served = discover();
  const auto found = locate(served, uri);
  if (!found) return {};
  const auto folder = SkillFolder::open(*found->first, *served.root);
  const auto files = folder ? folder->list() : fail(folder.error());
  if (!files) return {};
  const std::string prefix = found->second.empty() ? "" : concat(found->second, "/");
  std::set<std::string> directories;
  JsonArray children;
  for (const SkillFile& file : files->files) {
    const std::string path = escaped_path(file.path);
    if (!path.starts_with(prefix)) continue;
    const std::size_t slash = path.find('/', prefix.size());
    if (slash != std::string::npos) {
      directories.insert(path.substr(0, slash));
      continue;
    }
    children.push_back(JsonObject{{"uri", concat(kSkillScheme, found->first->name, "/", path)},
                                  {"name", file.path.substr(file.path.rfind('/') + 1)},
                                  {"size", file.size}});
  }
  for (const std::string& directory : directories)
    children.push_back(JsonObject{{"uri", concat(kSkillScheme, found->first->name, "/", directory)},
                                  {"name", directory.substr(prefix.size())},
                                  {"mimeType", "inode/directory"}});
  if (children.empty()) return {};
  return children;
}

}  // namespace helve::mcp
