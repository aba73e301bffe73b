// Where the git repositories of a workspace are, kept up to date cheaply.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/file_io.h"
#include "search/directory_reader.h"

namespace helve::repository {

// What git takes for a repository, by its path from the workspace on.
struct Found {
  enum class Kind {
    kDirectory,  // a `.git` directory
    kPointer,    // a `.git` file or link that leads elsewhere, for worktrees and submodules
    kBare,       // a directory that looks like the inside of one, also of a submodule or worktree
  };
  std::string path;  // "" when the workspace itself is one
  Kind kind = Kind::kDirectory;
  std::uint64_t inode = 0;  // another one at the same path is another repository

  auto operator<=>(const Found&) const = default;
};

// Remembers every directory of a tree with the time of its last change, so that the next look reads only
// those that changed; the kernel sets that time, and no program can set it back. May be used from all
// threads.
class RepositoryIndex {
 public:
  // `workspace` is an absolute path.
  explicit RepositoryIndex(std::string workspace) : workspace_(std::move(workspace)) {}

  // All repositories as of now, in order. What cannot be read is left out. More directories than the limit:
  // those nearest to the top; `complete` tells.
  struct Look {
    std::vector<Found> repositories;
    bool complete = true;
  };
  [[nodiscard]] Look look();

 private:
  struct Directory {
    std::int64_t changed = 0;  // nanoseconds; 0: to be read
    std::vector<std::string> children;
    std::vector<Found> found;
  };

  void visit(int workspace_fd, const std::string& path, int depth);
  void read(int directory_fd, const std::string& path, std::uint64_t inode, Directory& directory);
  void forget(const std::string& path);

  const std::string workspace_;
  std::mutex mutex_;
  std::map<std::string, Directory> directories_;  // by path from the workspace on; "" is the workspace
  search::DirectoryReader reader_;
  Look look_;
  std::size_t visited_ = 0;
};

}  // namespace helve::repository
