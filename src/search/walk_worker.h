// What each thread of a walk does: take a task, read the directory or visit the files, take the next.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "search/directory_reader.h"
#include "search/walk_filter.h"
#include "search/walk_tasks.h"
#include "search/walker.h"

namespace helve::search {

// What the workers of a walk have in common. Owned by walk(), which outlives them.
struct WalkShared {
  const WalkOptions& options;
  Visitor& visitor;
  WalkTasks& tasks;
  std::string_view root_prefix;  // makes relative paths absolute
  int start_fd;
  std::size_t start_bytes;  // of the start's path, without `/` at its end
};

// Owned by walk() and used by one thread until that has ended.
class WalkWorker {
 public:
  WalkWorker(const WalkShared& shared, unsigned number)
      : shared_(shared), number_(number), filter_(shared.options, shared.root_prefix) {}

  // Reads the start, whose path is without `/` at its end.
  void begin(std::string_view path, const IgnoreLevelPtr& outer, std::string_view resume_after);
  // Works until nothing is left. `between` is called after every task.
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
  // For the entries of a directory; -1 when it is gone.
  [[nodiscard]] int descriptor_of(const WalkDirectory& directory);
  [[nodiscard]] UniqueFd reopen(const WalkDirectory& directory) const;
  // Everything about a directory that has been opened.
  [[nodiscard]] bool read(WalkDirectory& directory, int fd, const IgnoreLevelPtr& outer);
  void select(const WalkDirectory& directory);
  void keep(WalkDirectory& directory);
  void cut_into_tasks(WalkDirectory& directory);
  void report_unreadable(std::string_view path, int error_number);

  const WalkShared& shared_;
  const unsigned number_;
  WalkFilter filter_;
  DirectoryReader reader_;
  // The directory used last of those that gave up their descriptor: often the next one too.
  UniqueFd last_reopened_;
  std::string last_path_;
  WalkReport report_;
};

}  // namespace helve::search
