// What is left to do in repositories when Helve itself is killed while a command runs: a note for every
// command that may make one, in Helve's state, where no command sees it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "repository/settle.h"

namespace helve {

// Written before a command begins, removed when settle() is through with what it left. The kernel gives the
// lock on the file back however Helve ends, and so a note without a lock is one of a Helve that is gone. It
// is not synced: a note lost with the power costs what the note is for, and a sync would cost every command
// milliseconds. Owned by the facts about the command; one thread at a time.
class UnsettledNote {
 public:
  struct Facts {
    std::string workspace;
    std::string quarantine;  // where settle() puts what it takes away
    std::vector<repository::Guarded> before;
  };
  [[nodiscard]] static Expected<std::shared_ptr<UnsettledNote>> write(const std::string& state_directory,
                                                                      const Facts& facts);
  // Whose end is also the end of everything that the command started.
  void name_launcher(pid_t launcher);
  // Nothing is left to do.
  void remove();

 private:
  UnsettledNote(UniqueFd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  UniqueFd file_;  // holds the lock
  std::string path_;
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
