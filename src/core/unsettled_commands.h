// What is left to do in repositories when Helve itself is killed while a command runs: a note for every
// command that may make one, in Helve's state, where no command sees it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "repository/settle.h"

namespace helve {

// A note is written before a command begins, and removed when settle() is through with what it left. A lock
// beside the notes, one for all of them, is given back by the kernel however Helve ends; so notes without it
// are of a Helve that is gone. They are not synced: one that is lost with the power costs what the note is
// for, and a sync would cost every command milliseconds. Owned by the commands of a session; may be used from
// all threads.
class UnsettledNotes {
 public:
  struct Facts {
    std::string workspace;
    std::string quarantine;  // where settle() puts what it takes away
    std::vector<repository::Guarded> before;
  };
  [[nodiscard]] static Expected<std::unique_ptr<UnsettledNotes>> open(const std::string& state_directory);
  ~UnsettledNotes();
  UnsettledNotes(const UnsettledNotes&) = delete;
  UnsettledNotes& operator=(const UnsettledNotes&) = delete;

  // The path of the note.
  [[nodiscard]] Expected<std::string> write(const Facts& facts);
  // Whose end is also the end of everything that the command started.
  static void name_launcher(const std::string& note, pid_t launcher);
  // Nothing is left to do.
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
// Does what killed Helves left to do in this workspace, above it or in it. `workspace` is absolute and real.
// Waits for their commands to be gone, which takes milliseconds.
[[nodiscard]] std::vector<SettledLater> settle_left_over(const std::string& state_directory,
                                                         const std::string& workspace);

}  // namespace helve
