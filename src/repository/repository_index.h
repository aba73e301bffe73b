// Finds the git repositories of a workspace and keeps the list up to date cheaply.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/file_io.h"
#include "search/directory_reader.h"

namespace helve::repository {

// A directory or file that git treats as a repository.
struct Found {
  enum class Kind {
    kDirectory,  // a `.git` directory
    kPointer,    // a `.git` file or symlink that points elsewhere, for worktrees and submodules
    kBare,       // a directory with the contents of a `.git` directory, including those of submodules and
                 // worktrees
  };
  std::string path;  // relative to the workspace; "" if the workspace itself is one
  Kind kind = Kind::kDirectory;
  std::uint64_t inode = 0;  // a different inode at the same path is a different repository

  auto operator<=>(const Found&) const = default;
};

// Caches every directory of a tree with its change time, so that the next look() reads only changed
// directories. The kernel sets the change time; programs cannot forge it. Thread-safe.
class RepositoryIndex {
 public:
  static constexpr std::size_t kMostDirectories = 500'000;

  // `workspace` is an absolute path.
  explicit RepositoryIndex(std::string workspace) : workspace_(std::move(workspace)) {}

  // All current repositories, in order. `complete` is false if a directory could not be read or there are
  // more directories than the limit.
  struct Look {
    std::vector<Found> repositories;
    bool complete = true;
  };
  // `most_directories` limits the time that the first look takes in a large tree.
  [[nodiscard]] Look look(std::size_t most_directories = kMostDirectories);

 private:
  struct Directory {
    std::int64_t changed = 0;  // nanoseconds; 0: must be read again
    std::vector<std::string> children;
    std::vector<Found> found;
  };

  void visit(int workspace_fd, const std::string& path, int depth);
  void read(int directory_fd, const std::string& path, std::uint64_t inode, Directory& directory);
  void forget(const std::string& path);

  const std::string workspace_;
  std::mutex mutex_;
  std::map<std::string, Directory> directories_;  // by path relative to the workspace; "" is the workspace
  search::DirectoryReader reader_;
  Look look_;
  std::size_t visited_ = 0;
  std::size_t most_directories_ = kMostDirectories;
};

// Opens a directory for reading, without following symlinks. If the current user owns it but cannot read it,
// makes it readable first, because it could hide a repository. Sets errno on failure.
[[nodiscard]] UniqueFd open_own_directory(int at, const char* name);

}  // namespace helve::repository
