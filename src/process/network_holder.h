// A process that keeps a network, apart from the machine's, for all commands of a session to share: a server
// that one of them runs can be reached by the next one.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <optional>

#include "process/spawn.h"

namespace helve::process {

// Owned by Sessions; may be used from all threads. The process is started when it is first asked for, and
// ends with this or with Helve.
class NetworkHolder {
 public:
  explicit NetworkHolder(LaunchPad& pad) : pad_(pad) {}
  ~NetworkHolder();
  NetworkHolder(const NetworkHolder&) = delete;
  NetworkHolder& operator=(const NetworkHolder&) = delete;

  // 0 when the machine does not allow it: then every command has a network of its own.
  [[nodiscard]] pid_t pid();

 private:
  [[nodiscard]] std::optional<Child> start();
  static void end(Child& child);

  LaunchPad& pad_;
  std::mutex mutex_;
  std::optional<Child> child_;
  bool refused_ = false;
};

}  // namespace helve::process
