// The workspace as an open directory: every path that a tool uses is resolved and opened below it.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/file_write.h"
#include "workspace/open_file.h"
#include "workspace/protected_paths.h"
#include "workspace/root_walk.h"

namespace helve::workspace {

struct RootOptions {
  Symlinks symlinks = Symlinks::kFollow;
  bool refuse_parent_components = false;  // every `..`, even one that stays inside
  // Absolute directories that may be read, such as session output.
  std::vector<std::string> read_only_roots = {};
  std::vector<ProtectedRule> protected_rules = default_protected_rules();
  // Absolute paths of the `.git` and of the bare repositories in the workspace; empty: only those around a
  // path count. Called before each write, from all threads.
  std::function<std::vector<std::string>()> repositories = {};
  std::string home_directory = {};  // for `~/` rules, if it is in the workspace; empty: none
};

// Owned by the caller; immutable after open and thread-safe. Paths are relative to the root or absolute
// inside it. Resolved paths are relative to the root; those in a read-only root are absolute.
class Root {
 public:
  enum class Purpose { kRead, kWrite };
  struct Directory {
    UniqueFd fd;  // O_RDONLY
    std::string path;
  };
  struct Status {
    struct stat status;
    std::string path;
  };

  [[nodiscard]] static Expected<Root> open(const std::string& path, const RootOptions& options = {});

  // The real path of the root when it was opened.
  [[nodiscard]] const std::string& path() const { return real_path_; }
  // O_PATH, for directory walkers.
  [[nodiscard]] int fd() const { return bases_.front().fd.get(); }

  // Opens a regular file for reading. Never blocks: FIFOs, devices, sockets and directories are refused.
  [[nodiscard]] Expected<OpenFile> open_read(std::string_view path) const;
  [[nodiscard]] Expected<Directory> open_directory(std::string_view path) const;
  // NOT_FOUND without suggestions, because a missing file is an expected answer here.
  [[nodiscard]] Expected<Status> stat(std::string_view path, FinalLink final_link = FinalLink::kFollow) const;

  // The place to write, remove or rename. A final symlink is resolved to its target inside, so that writing
  // keeps the link; kKeep uses the link itself. Refuses protected paths, read-only roots and everything that
  // exists but is not a regular file.
  [[nodiscard]] Expected<WriteTarget> open_parent(std::string_view path,
                                                  FinalLink final_link = FinalLink::kFollow) const;

  // Creates a directory with its missing parents and returns the created ones, outermost first.
  [[nodiscard]] Expected<std::vector<std::string>> make_directories(
      std::string_view path, Durability durability = Durability::kFull) const;
  // Removes directories that make_directories created, if they are still empty.
  void remove_directories(std::span<const std::string> created) const;

  // Checks the text of a path without accessing the disk. Returns it relative to the root.
  [[nodiscard]] Expected<std::string> check_text(std::string_view path, Purpose purpose) const;
  // The path for display: relative if it is in the workspace. Does not access the disk.
  [[nodiscard]] std::string relative_name(std::string_view path) const;
  // The rule that makes a resolved path read-only for all tools; nullptr when there is none.
  [[nodiscard]] const ProtectedRule* find_protection(std::string_view resolved_path) const;
  // NOT_FOUND with the closest existing paths.
  [[nodiscard]] Error not_found(std::string_view path) const;

 private:
  // A path and the base directory that contains it.
  struct Located {
    const BaseDirectory* base;
    PathText text;
  };
  struct Opened {
    UniqueFd fd;
    std::string path;
  };
  enum class Missing { kSuggest, kPlain };

  Root() = default;
  Expected<Located> locate(std::string_view path) const;
  Expected<Opened> open_existing(std::string_view path, int flags, FinalLink final_link,
                                 Missing missing) const;
  Expected<Place> walk(const Located& located, std::string_view path, FinalLink final_link) const;
  Expected<void> check_writable(const BaseDirectory& base, std::span<const std::string> components) const;
  std::string name_of(const BaseDirectory& base, std::span<const std::string> components) const;
  Error missing_error(const BaseDirectory& base, const Place& place, std::string_view path,
                      Missing missing) const;

  std::string real_path_;
  std::vector<BaseDirectory> bases_;  // the root, then the read-only roots
  Symlinks symlinks_ = Symlinks::kFollow;
  bool refuse_parent_components_ = false;
  ProtectedPaths protected_;
  std::function<std::vector<std::string>()> repositories_;
  bool protects_git_ = false;  // also bare repositories
};

}  // namespace helve::workspace
