#include "settings/trust.h"

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/file_trust.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"

namespace helve::settings {
namespace {

// {"path", "sha256", "bytes", "text"}
Json file_json(const GrantedFile& file) {
  JsonObject json{{"path", file.path}, {"sha256", file.sha256}, {"bytes", file.bytes}};
  if (file.text) json.append("text", *file.text);
  return json;
}

GrantedFile read_granted(const Json& json) {
  GrantedFile file{.path = text_in(json, "path"), .sha256 = text_in(json, "sha256")};
  std::int64_t bytes = 0;
  if (const Json* value = json.find("bytes"); value != nullptr && value->fits_int64(bytes) && bytes > 0)
    file.bytes = static_cast<std::size_t>(bytes);
  if (const Json* text = json.find("text"); text != nullptr && text->is_string())
    file.text = text->as_string();
  return file;
}

}  // namespace

TrustedFolders::TrustedFolders(const std::string& state_directory)
    : directory_(state_directory), path_(concat(state_directory, "/trust.json")) {}

Expected<JsonObject> TrustedFolders::load() const {
  const auto text = read_file(path_);
  if (!text && text.error().code == ErrorCode::kNotFound) return JsonObject();
  if (!text) return fail(text.error());
  if (auto safe = check_writers(path_); !safe) return fail(safe.error());
  const auto json = parse_json(*text);
  const Json* folders = json ? json->find("folders") : nullptr;
  if (folders == nullptr || !folders->is_object())
    return fail(ErrorCode::kExecutionFailed, concat(path_, " is damaged, so no project is trusted."),
                "Remove the file and trust your projects again.");
  return folders->as_object();
}

Expected<std::vector<std::string>> TrustedFolders::list() const {
  const auto folders = load();
  if (!folders) return fail(folders.error());
  std::vector<std::string> names;
  for (const auto& [name, reviewed] : *folders) names.push_back(name);
  return names;
}

Expected<std::optional<ProjectGrants>> TrustedFolders::find(const std::string& folder) const {
  const auto folders = load();
  if (!folders) return fail(folders.error());
  const Json all = *folders;
  const Json* entry = all.find(folder);
  if (entry == nullptr) return std::nullopt;
  ProjectGrants reviewed;
  if (const JsonArray* files = array_in(*entry, "files"))
    for (const Json& file : *files) reviewed.files.push_back(read_granted(file));
  return reviewed;
}

Expected<void> TrustedFolders::add(const std::string& folder, const ProjectGrants& reviewed) {
  if (auto made = make_private_directories(directory_); !made) return made;
  const auto lock = lock_directory(directory_);
  if (!lock) return fail(lock.error());
  auto folders = load();
  if (!folders) return fail(folders.error());
  JsonArray files;
  for (const GrantedFile& file : reviewed.files) files.push_back(file_json(file));
  Json all = *std::move(folders);
  all[folder] = JsonObject{{"reviewed", utc_timestamp()}, {"files", std::move(files)}};
  return save(all.as_object());
}

Expected<bool> TrustedFolders::remove(const std::string& folder) {
  const auto lock = lock_directory(directory_);
  if (!lock && lock.error().code == ErrorCode::kNotFound) return false;
  if (!lock) return fail(lock.error());
  auto folders = load();
  if (!folders) return fail(folders.error());
  Json all = *std::move(folders);
  if (all.find(folder) == nullptr) return false;
  all.as_object().erase(folder);
  if (auto saved = save(all.as_object()); !saved) return fail(saved.error());
  return true;
}

Expected<void> TrustedFolders::save(const JsonObject& folders) const {
  return replace_private_file(path_,
                              to_pretty_text(JsonObject{{"version", 1}, {"folders", Json(folders)}}) + "\n");
}

std::vector<std::string> changed_files(const ProjectGrants& before, const ProjectGrants& now) {
  std::set<std::string> changed;
  const auto compare = [&](const ProjectGrants& one, const ProjectGrants& other) {
    for (const GrantedFile& file : one.files) {
      const GrantedFile* same = other.find(file.path);
      if (same == nullptr || same->sha256 != file.sha256) changed.insert(file.path);
    }
  };
  compare(before, now);
  compare(now, before);
  return {changed.begin(), changed.end()};
}

ProjectTrust project_trust(const std::string& state_directory, const std::string& folder) {
  ProjectTrust trust{.reason = "its folder is not trusted; read it, then run `helve config trust`"};
  const auto reviewed = TrustedFolders(state_directory).find(folder);
  if (!reviewed) {
    trust.reason = reviewed.error().message;
    return trust;
  }
  if (!*reviewed) return trust;
  auto now = read_project_grants(folder);
  if (!now) {
    trust.reason = concat("what the folder is trusted with cannot be checked: ", now.error().message);
    return trust;
  }
  trust.changed = changed_files(**reviewed, *now);
  if (!trust.changed.empty()) {
    constexpr std::size_t kShown = 3;
    std::vector<std::string> shown(
        trust.changed.begin(),
        trust.changed.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, trust.changed.size())));
    if (trust.changed.size() > kShown) shown.push_back(concat(trust.changed.size() - kShown, " more"));
    trust.reason = concat(enumerate(shown),
                          " changed since you trusted the folder; `helve config trust` shows what is new");
    return trust;
  }
  trust.reason.clear();
  trust.grants = std::make_shared<const ProjectGrants>(*std::move(now));
  return trust;
}

}  // namespace helve::settings
