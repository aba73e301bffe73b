#include "settings/project_grants.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/file_io.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::settings {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFiles[] = {".mcp.json", ".vscode/mcp.json", ".claude/settings.json",
                                       ".claude/settings.local.json"};
constexpr std::string_view kDirectories[] = {".helve", ".agents/skills", ".claude/skills"};
constexpr std::size_t kMostFiles = 4000;
constexpr std::size_t kMostBytes = std::size_t{512} << 20;
constexpr std::size_t kLongestText = std::size_t{256} << 10;
constexpr std::size_t kMostWords = 20'000;
constexpr int kDeepest = 12;

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

  // Programs and scripts of the project that configuration files name. Every word that is the path of a file
  // counts: one file too many only means one more question.
  Expected<void> add_named_files() {
    std::set<std::string> named;
    for (const GrantedFile& file : grants_.files) {
      if (!file.text || !(file.path.ends_with(".toml") || file.path.ends_with(".json"))) continue;
      std::size_t words = 0;
      std::string_view rest = *file.text;
      while (!rest.empty() && words < kMostWords) {
        const auto end = std::ranges::find_if_not(rest, is_path_character);
        const std::string_view word(rest.begin(), end);
        if (!word.empty()) note_word(word, named);
        words += word.empty() ? 0 : 1;
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      }
    }
    for (const std::string& path : named)
      if (!known_.contains(path))
        if (auto added = add_file(path); !added) return added;
    return {};
  }

  static bool is_path_character(char c) {
    return is_letter_or_digit(c) || std::string_view("_./+@-~,").contains(c) || (c & 0x80) != 0;
  }

  void note_word(std::string_view word, std::set<std::string>& named) const {
    if (word.starts_with(folder_)) word.remove_prefix(folder_.size());
    while (word.starts_with('/') || word.starts_with("./")) word.remove_prefix(word.starts_with('/') ? 1 : 2);
    struct stat status{};
    if (word.empty() || ::stat(concat(folder_, "/", word).c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      return;
    // `a/../b` and `b` are one file, and what is outside of the project is not the project's.
    std::error_code error;
    const std::string real = fs::canonical(concat(folder_, "/", word), error).string();
    if (!error && is_within(real, folder_)) named.insert(real.substr(folder_.size() + 1));
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

Expected<ProjectGrants> read_project_grants(const std::string& folder) { return Reader(folder).run(); }

}  // namespace helve::settings
