// One thread of a walk: takes tasks, reads directories, visits files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "search/directory_reader.h"
#include "search/ignore_rules.h"
#include "search/walk_tasks.h"
#include "search/walker.h"

namespace helve::search {

// Decides which entries of a directory belong to the walk. One per worker.
class WalkFilter {
 public:
  // `root_prefix` plus a path relative to the root is an absolute path.
  WalkFilter(const WalkOptions& options, std::string_view root_prefix)
      : options_(options), root_bytes_(root_prefix.size()), path_(root_prefix) {}

  // Starts a directory; its path is relative to the root: "" or "a/b/".
  void enter(std::string_view directory, const IgnoreLevel* ignore);
  // Whether the entry belongs to the walk. If not, counts it in `report`.
  [[nodiscard]] bool accepts(std::string_view name, bool is_directory, WalkReport& report);

  // The absolute path of the current directory, without a trailing `/`.
  [[nodiscard]] std::string_view directory() const {
    return std::string_view(path_).substr(0, directory_bytes_ - 1);
  }

 private:
  const WalkOptions& options_;
  std::size_t root_bytes_;
  std::string path_;  // absolute path of the last entry
  std::size_t directory_bytes_ = 0;
  const IgnoreLevel* ignore_ = nullptr;
  bool asks_ = false;  // there are globs or ignore rules to check
};

// How a resumed walk treats an entry. `after` is the rest of the resume path inside this directory; empty:
// deliver everything.
enum class Resume {
  kSkip,     // at or before `after`
  kInside,   // the directory contains `after`: enter it, but do not deliver it
  kDeliver,  // after `after`
};
[[nodiscard]] Resume resume_at(std::string_view name, bool is_directory, std::string_view after);
// `after` without its first component.
[[nodiscard]] std::string_view resume_inside(std::string_view after);

// Shared by the workers of a walk. Owned by walk() and outlives them.
struct WalkShared {
  const WalkOptions& options;
  Visitor& visitor;
  WalkTasks& tasks;
  std::string_view root_prefix;  // makes relative paths absolute
  int start_fd;
  std::size_t start_bytes;  // length of the start's path without a trailing `/`
};

// Owned by walk() and used by one thread.
class WalkWorker {
 public:
  WalkWorker(const WalkShared& shared, unsigned number)
      : shared_(shared), number_(number), filter_(shared.options, shared.root_prefix) {}

  // Reads the start directory. `path` has no trailing `/`.
  void begin(std::string_view path, const IgnoreLevelPtr& outer, std::string_view resume_after);
  // Works until no tasks are left. Calls `between` after every task.
  template <class Between>
  void run(const Between& between) noexcept {
    try {
      WalkTask* task = shared_.tasks.take();
      while (task != nullptr) {
        WalkTask* next = work(task);
        between();
        task = next != nullptr ? next : shared_.tasks.take();
      }
    } catch (...) {
      shared_.tasks.stop_with(std::current_exception());
    }
  }

  void add_to(WalkReport& report) const;

 private:
  [[nodiscard]] WalkTask* work(WalkTask* task);
  void visit(WalkTask* task);
  [[nodiscard]] std::unique_ptr<WalkDirectory> read_inner(const WalkTask& task);
  // An open descriptor of the directory; -1 if it was removed.
  [[nodiscard]] int descriptor_of(const WalkDirectory& directory);
  [[nodiscard]] UniqueFd reopen(const WalkDirectory& directory) const;
  // Reads an open directory and creates its tasks. Returns false if there are none.
  [[nodiscard]] bool read(WalkDirectory& directory, int fd, const IgnoreLevelPtr& outer);
  void filter_and_sort(const WalkDirectory& directory);
  void copy_entries(WalkDirectory& directory);
  void cut_into_tasks(WalkDirectory& directory);
  void report_unreadable(std::string_view path, int error_number);

  const WalkShared& shared_;
  const unsigned number_;
  WalkFilter filter_;
  DirectoryReader reader_;
  // Cache: the last directory that was reopened is often the next one needed.
  UniqueFd last_reopened_;
  std::string last_path_;
  WalkReport report_;
};

}  // namespace helve::search
