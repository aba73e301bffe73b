// Locks on the paths of a change set, and marks of the change sets that a running process is making.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::changes {

// Locks on the paths that one change set touches, released by the destructor. They are open file description
// locks on one byte of one file per path, so they exclude threads and processes alike. All callers lock in
// the same order, so there is no deadlock. Owned by one thread.
class PathLocks {
 public:
  // CONFLICT when one of them is held by others for longer than `wait`.
  [[nodiscard]] static Expected<PathLocks> take(int directory, std::span<const std::string> paths,
                                                std::chrono::milliseconds wait);
  // Undo and redo choose a change set from the history, so only one of them may run at a time.
  [[nodiscard]] static Expected<PathLocks> take_undo(int directory, std::chrono::milliseconds wait);

 private:
  explicit PathLocks(UniqueFd fd) : fd_(std::move(fd)) {}
  [[nodiscard]] Expected<void> lock(off_t byte, std::string_view path, std::chrono::milliseconds wait) const;

  UniqueFd fd_;
};

// The mark of a running change set: a file named after it, locked (flock) while its process works on it. A
// kill releases the lock and leaves the file, which recovery finds. Owned by one thread.
class ActiveMark {
 public:
  // The directory's handle must outlive it.
  [[nodiscard]] static Expected<ActiveMark> create(int directory, const std::string& id);
  // Takes over an abandoned mark; nullopt when a running process holds it or it is gone.
  [[nodiscard]] static std::optional<ActiveMark> adopt(int directory, const std::string& id);
  // The ids of all marks, held or abandoned.
  [[nodiscard]] static std::vector<std::string> list(int directory);

  ActiveMark(ActiveMark&&) noexcept = default;
  ActiveMark& operator=(ActiveMark&&) = delete;
  // Leaves the file, so that recovery handles an unfinished change set.
  ~ActiveMark() = default;

  // Removes the mark: nothing is left to recover.
  void finish();

 private:
  ActiveMark(int directory, UniqueFd fd, std::string id)
      : directory_(directory), fd_(std::move(fd)), id_(std::move(id)) {}

  int directory_;
  UniqueFd fd_;
  std::string id_;
};

}  // namespace helve::changes
