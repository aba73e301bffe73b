// Understands a system call of a command: which places in the workspace it is about to change.
#pragma once

#include <linux/seccomp.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/file_io.h"
#include "effects/recorder.h"

namespace helve::effects {

// Finds out where a path of another process leads. Used by one thread.
class PathLocator {
 public:
  // `workspace` is the real path of the workspace, which is the same inside the sandbox.
  explicit PathLocator(std::string workspace) : workspace_(std::move(workspace)) {}

  enum class FinalLink { kFollow, kKeep };
  // The place relative to the workspace, or nullopt if it is outside or cannot exist. `directory` is a
  // descriptor of the process, or AT_FDCWD.
  [[nodiscard]] std::optional<std::string> locate(pid_t process, int directory, std::string_view path,
                                                  FinalLink link);
  // The place of an open file of the process.
  [[nodiscard]] std::optional<std::string> locate_open(pid_t process, int descriptor);

 private:
  [[nodiscard]] std::optional<std::string> relative(std::string_view path) const;
  [[nodiscard]] UniqueFd open_directory(pid_t process, const std::string& path);

  const std::string workspace_;
  UniqueFd root_;  // of the command, whose processes all have the same
};

// Has the recorder note what the call may change.
void record_call(const seccomp_notif& call, PathLocator& locator, Recorder& recorder);

}  // namespace helve::effects
