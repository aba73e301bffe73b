// Repository clean-up after Helve itself was killed during a job: a note per job, in Helve's state directory,
// which jobs cannot see.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "repository/git_safety.h"

namespace helve::core {

// A note is written before a job starts, and removed after settle(). One lock covers all notes of a process;
// the kernel releases it however the process ends, so unlocked notes belong to a dead Helve. Notes are not
// synced: a sync would cost every job milliseconds, and a note lost with the power only loses its clean-up.
// Owned by the jobs of a session; may be used from all threads.
class UnsettledNotes {
 public:
  struct Facts {
    std::string workspace;
    std::string quarantine;  // where settle() moves what it removes
    std::vector<repository::Guarded> before;
  };
  [[nodiscard]] static Expected<std::unique_ptr<UnsettledNotes>> open(const std::string& state_directory);
  ~UnsettledNotes();
  UnsettledNotes(const UnsettledNotes&) = delete;
  UnsettledNotes& operator=(const UnsettledNotes&) = delete;

  // The path of the note.
  [[nodiscard]] Expected<std::string> write(const Facts& facts);
  // The process whose end also ends everything that the job started.
  static void name_launcher(const std::string& note, pid_t launcher);
  // Removes the note: nothing is left to do.
  void remove(const std::string& note);

 private:
  UnsettledNotes(UniqueFd lock, std::string stem) : lock_(std::move(lock)), stem_(std::move(stem)) {}

  const UniqueFd lock_;
  const std::string stem_;  // of the paths of lock and notes
  std::atomic<int> left_ = 0;
};

struct SettledLater {
  std::string workspace;
  std::string quarantine;
  repository::Settled settled;
};
// Completes the clean-up that killed processes left in this workspace, above it or in it. `workspace` is
// absolute and resolved. Waits for their jobs to end, which takes milliseconds.
[[nodiscard]] std::vector<SettledLater> settle_left_over(const std::string& state_directory,
                                                         const std::string& workspace);

}  // namespace helve::core
