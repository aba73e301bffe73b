// A launcher that waits, ready, and makes a copy of itself for each command: a program as large as Helve
// takes a millisecond to start, a copy of one that runs a tenth of that.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <string>

#include "base/file_io.h"
#include "helve/error.h"
#include "process/launch_request.h"

namespace helve::process {

// The usual launcher: the running program, even when its file was replaced meanwhile.
inline constexpr const char* kOwnProgram = "/proc/self/exe";

// May be used from all threads. Its process is started when it is first needed and again when it was killed;
// it ends with this or with Helve, whatever the way. The copies are Helve's own children and live on.
class LaunchPad {
 public:
  explicit LaunchPad(std::string launcher_program) : program_(std::move(launcher_program)) {}
  ~LaunchPad() { clear(); }
  LaunchPad(const LaunchPad&) = delete;
  LaunchPad& operator=(const LaunchPad&) = delete;

  // The process id of a launcher with these descriptors. The caller waits for it in the end.
  [[nodiscard]] Expected<pid_t> launch(const LaunchDescriptors<int>& descriptors);

 private:
  [[nodiscard]] Expected<void> prepare();  // these two hold mutex_
  void clear();

  const std::string program_;
  std::mutex mutex_;
  pid_t waiting_ = -1;
  UniqueFd socket_;
};

}  // namespace helve::process
