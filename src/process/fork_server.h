// A process that forks one launcher per command. Starting a program as large as Helve takes a millisecond;
// forking a running one takes a tenth of that.
//
//   Helve → fork server   the descriptors for the new launcher
//   fork server → Helve   the launcher's process id, or a negative errno
#pragma once

#include <sys/types.h>

#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::process {

// The launcher's first descriptors: the command's three streams, then kPlanDescriptor and kControlDescriptor
// of launcher_protocol.h.
inline constexpr std::size_t kLaunchDescriptors = 5;
template <class Descriptor>
using LaunchDescriptors = std::array<Descriptor, kLaunchDescriptors>;

// The default launcher: the running program, even if its file has been replaced since.
inline constexpr const char* kOwnProgram = "/proc/self/exe";

// May be used from all threads. The process is started on first use and restarted if it was killed. It ends
// with this object or with Helve, however Helve ends. The launchers are children of Helve and outlive the
// server.
class ForkServer {
 public:
  explicit ForkServer(std::string launcher_program) : program_(std::move(launcher_program)) {}
  ~ForkServer() { stop(); }
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  // Returns the process id of a new launcher with these descriptors. The caller must wait for that process.
  [[nodiscard]] Expected<pid_t> launch(const LaunchDescriptors<int>& descriptors);

 private:
  [[nodiscard]] Expected<void> start();  // these two require mutex_
  void stop();

  const std::string program_;
  std::mutex mutex_;
  pid_t pid_ = -1;
  UniqueFd socket_;
};

// The server's side of the protocol, for launcher_main().

// The descriptor of the server's end of the socket.
inline constexpr int kForkServerSocket = 3;
// Waits for the next request. Empty once Helve has hung up.
[[nodiscard]] std::optional<LaunchDescriptors<UniqueFd>> receive_launch_request(int socket);
// `answer` is a process id or a negative errno.
void send_launch_answer(int socket, pid_t answer);

}  // namespace helve::process
