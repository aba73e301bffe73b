#include "settings/project_grants.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/file_io.h"
#include "base/json_read.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "settings/named_files.h"
#include "settings/toml.h"

namespace helve::settings {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFiles[] = {".mcp.json", ".vscode/mcp.json", ".claude/settings.json",
                                       ".claude/settings.local.json"};
constexpr std::string_view kDirectories[] = {".helve", ".agents/skills", ".claude/skills"};
constexpr std::size_t kMostFiles = 4000;
constexpr std::size_t kMostBytes = std::size_t{512} << 20;
constexpr std::size_t kLongestText = std::size_t{256} << 10;
constexpr int kDeepest = 12;

void add_strings(const Json& json, std::vector<std::string>& out) {
  if (json.is_string()) out.push_back(json.as_string());
  if (json.is_array())
    for (const Json& element : json.as_array()) add_strings(element, out);
  if (json.is_object())
    for (const auto& [name, member] : json.as_object()) add_strings(member, out);
}

class Reader {
 public:
  explicit Reader(const std::string& folder) : folder_(folder) {}

  Expected<ProjectGrants> run() {
    for (const std::string_view file : kFiles)
      if (auto added = add(std::string(file), 0); !added) return fail(added.error());
    for (const std::string_view directory : kDirectories)
      if (auto added = add(std::string(directory), 0); !added) return fail(added.error());
    if (auto added = add_named_files(); !added) return fail(added.error());
    std::ranges::sort(grants_.files, {}, &GrantedFile::path);
    return std::move(grants_);
  }

 private:
  // Why a project cannot be trusted as it is.
  [[nodiscard]] std::unexpected<Error> cannot(const std::string& path, std::string_view why) const {
    return fail(ErrorCode::kUnavailable, concat(folder_, "/", path, why, "."),
                "Helve uses nothing of the project's own configuration until this is corrected.");
  }

  Expected<void> add(const std::string& path, int depth) {
    const std::string absolute = concat(folder_, "/", path);
    struct stat status{};
    if (::lstat(absolute.c_str(), &status) != 0)
      return errno == ENOENT || errno == ENOTDIR
                 ? Expected<void>()
                 : cannot(path, concat(" cannot be checked: ", errno_text(errno)));
    if (S_ISLNK(status.st_mode)) {
      std::error_code error;
      const std::string target = fs::read_symlink(absolute, error).string();
      if (auto kept = keep({.path = concat(path, " (symlink)"), .sha256 = sha256_hex(concat("-> ", target))});
          !kept)
        return kept;
      if (::stat(absolute.c_str(), &status) != 0) return {};  // it leads nowhere
    }
    if (S_ISDIR(status.st_mode)) return add_directory(path, status, depth);
    if (S_ISREG(status.st_mode)) return add_file(path);
    return {};  // sockets and the like grant nothing
  }

  Expected<void> add_directory(const std::string& path, const struct stat& status, int depth) {
    if (!visited_.emplace(status.st_dev, status.st_ino).second) return {};
    if (depth >= kDeepest) return cannot(path, " has too many levels of directories to be checked");
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator at(concat(folder_, "/", path), error), end; !error && at != end;
         at.increment(error)) {
      names.push_back(at->path().filename().string());
      if (names.size() > kMostFiles) break;
    }
    if (error) return cannot(path, concat(" cannot be listed: ", error.message()));
    std::ranges::sort(names);
    for (const std::string& name : names)
      if (auto added = add(concat(path, "/", name), depth + 1); !added) return added;
    return {};
  }

  Expected<void> add_file(const std::string& path) {
    // O_NONBLOCK, because the file may have become a pipe.
    const UniqueFd file(
        ::open(concat(folder_, "/", path).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status{};
    if (!file || ::fstat(file.get(), &status) != 0)
      return cannot(path, concat(" cannot be read: ", errno_text(errno)));
    if (!S_ISREG(status.st_mode)) return {};
    if (bytes_ + static_cast<std::size_t>(status.st_size) > kMostBytes)
      return cannot(path, ": with it there is too much to check (512 MB)");
    auto content = read_all(file.get(), kMostBytes - bytes_);
    if (!content) return cannot(path, concat(" cannot be read: ", content.error().message));
    bytes_ += content->size();
    GrantedFile granted{.path = path, .sha256 = sha256_hex(*content), .bytes = content->size()};
    if (content->size() <= kLongestText && is_valid_utf8(*content) && !content->contains('\0'))
      granted.text = *std::move(content);
    return keep(std::move(granted));
  }

  Expected<void> keep(GrantedFile file) {
    if (grants_.files.size() >= kMostFiles)
      return cannot(file.path, ": with it there are too many files to check (4,000)");
    known_.insert(file.path);
    grants_.files.push_back(std::move(file));
    return {};
  }

  // Programs and scripts of the project that configuration files name: one file too many only means one more
  // question.
  Expected<void> add_named_files() {
    std::set<std::string> named;
    const auto note = [&](const std::vector<std::string>& paths) {
      for (const std::string& path : paths)
        // `a/../b` and `b` are one file, and what is outside of the project is not the project's.
        if (const auto real = real_path(path); real && is_within(*real, folder_))
          named.insert(real->substr(folder_ == "/" ? 1 : folder_.size() + 1));
    };
    for (const GrantedFile& file : grants_.files) {
      if (!file.text || !(file.path.ends_with(".toml") || file.path.ends_with(".json"))) continue;
      note(files_in_text(folder_, *file.text));
      for (const auto& command : commands_in(file)) note(files_of_command(folder_, command).existing);
    }
    for (const std::string& path : named)
      if (!known_.contains(path))
        if (auto added = add_file(path); !added) return added;
    return {};
  }

  const std::string& folder_;
  ProjectGrants grants_;
  std::set<std::string> known_;
  std::set<std::pair<dev_t, ino_t>> visited_;
  std::size_t bytes_ = 0;
};

}  // namespace

const GrantedFile* ProjectGrants::find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(
      files, path, {}, [](const GrantedFile& file) -> std::string_view { return file.path; });
  return found != files.end() && found->path == path ? &*found : nullptr;
}

bool ProjectGrants::has_content(std::string_view sha256) const {
  return std::ranges::find(files, sha256, &GrantedFile::sha256) != files.end();
}

std::vector<std::vector<std::string>> commands_in(const GrantedFile& file) {
  if (!file.text) return {};
  if (is_server_list(file.path)) return {quoted_strings(*file.text)};
  if (file.path != ".helve/config.toml") return {};
  const auto config = parse_toml(*file.text, file.path);
  if (!config) return {};
  std::vector<std::vector<std::string>> commands;
  for (const char* section : {"hooks", "mcp_servers", "lsp"}) {
    const Json* described = config->find(section);
    if (described == nullptr) continue;
    add_strings(*described, commands.emplace_back());
  }
  return commands;
}

bool is_server_list(std::string_view path) { return path == ".mcp.json" || path == ".vscode/mcp.json"; }

Expected<ProjectGrants> read_project_grants(const std::string& folder) { return Reader(folder).run(); }

}  // namespace helve::settings
