// Keeps change sets apart: who works on which path, and which change sets are under way in a living process.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve {

// Paths that one change set works on, until it is destroyed. Threads and processes alike wait for each other
// (open file description locks, one byte of one file for each path); since all take them in the same order,
// none waits for ever. Owned by one thread.
class PathLocks {
 public:
  // CONFLICT when somebody holds one of them for longer than `wait`.
  [[nodiscard]] static Expected<PathLocks> take(int directory, std::span<const std::string> paths,
                                                std::chrono::milliseconds wait);
  // Undo and redo choose what to do by looking at the history, so only one of them may run.
  [[nodiscard]] static Expected<PathLocks> take_undo(int directory, std::chrono::milliseconds wait);

 private:
  explicit PathLocks(UniqueFd fd) : fd_(std::move(fd)) {}
  [[nodiscard]] Expected<void> lock(off_t byte, std::string_view path, std::chrono::milliseconds wait) const;

  UniqueFd fd_;
};

// A change set under way: a file named after it, locked (flock) as long as somebody sees to it. A kill frees
// the lock and leaves the file, which tells recovery. Owned by one thread.
class ActiveMark {
 public:
  // The directory's handle must outlive it.
  [[nodiscard]] static Expected<ActiveMark> create(int directory, const std::string& id);
  // Takes over one that was left; nothing when it belongs to a living process or is gone.
  [[nodiscard]] static std::optional<ActiveMark> adopt(int directory, const std::string& id);
  // Ids of all that exist, living or left.
  [[nodiscard]] static std::vector<std::string> list(int directory);

  ActiveMark(ActiveMark&&) noexcept = default;
  ActiveMark& operator=(ActiveMark&&) = delete;
  // Leaves the file: whatever is not finished is for recovery.
  ~ActiveMark() = default;

  // Everything is in order: nothing is left to recover.
  void finish();

 private:
  ActiveMark(int directory, UniqueFd fd, std::string id)
      : directory_(directory), fd_(std::move(fd)), id_(std::move(id)) {}

  int directory_;
  UniqueFd fd_;
  std::string id_;
};

}  // namespace helve
