// How Helve and a launcher talk: the launch plan in a sealed memory file, and messages over a control socket.
//
//   launcher → Helve   watching, with a descriptor, if changes are watched;
//                      ready, once the command's program runs, and later ended; or failed, and nothing else
//   Helve → launcher   a signal for every process of the command; hanging up kills them all
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::process {

struct Launch {
  std::vector<std::string> argv = {};         // the program first, as an absolute path
  std::vector<std::string> environment = {};  // NAME=value
  std::string directory = {};                 // working directory, absolute
  sandbox::Plan plan = {};
  // Directories of the cgroups that the command joins; launcher and init stay outside.
  std::vector<std::string> cgroups = {};
  // Run no command, but hold a network namespace for commands to share until Helve hangs up.
  bool holds_network = false;
  std::uint64_t usual_descriptors = 0;  // Helve's original limit of open files; 0: unchanged
  bool terminal = false;                // stdin is a terminal and becomes the controlling terminal
  bool watched = false;  // report each change of a file before it happens: see sandbox/watch_filter.h
};

// Descriptors of a launcher.
inline constexpr int kPlanDescriptor = 3;     // the sealed file
inline constexpr int kControlDescriptor = 4;  // its end of the control socket

// The longest argument that Linux passes to a program.
inline constexpr std::size_t kLongestArgument = (std::size_t{128} << 10) - 1;

[[nodiscard]] std::string encode_launch(const Launch& launch);
// Accepts only what encode_launch() produces.
[[nodiscard]] Expected<Launch> decode_launch(std::string_view bytes);

// Writes the launch to a memory file that can no longer be changed. Refuses arguments that cannot be passed
// to a program: too long, or with a NUL.
[[nodiscard]] Expected<UniqueFd> seal_launch(const Launch& launch);
[[nodiscard]] Expected<Launch> read_sealed_launch(int fd);

// One packet on the control socket.
struct LauncherMessage {
  enum class Kind : std::uint32_t { kReady = 1, kFailed, kEnded, kWatching };

  Kind kind = Kind::kReady;
  // ready: a bit for each sandbox::Part that the machine does not provide.
  std::uint32_t missing = 0;
  std::uint32_t own_pid_namespace = 0;  // 1: the launcher's only child is the command's init
  std::int32_t watch_error =
      0;  // ready: why changes are not watched although the launch asked for it; an errno
  // failed: an ErrorCode; the texts are cut to fit.
  std::uint32_t error_code = 0;
  std::array<char, 1536> message{};
  std::array<char, 512> hint{};
  // ended: as from wait4(), with the time and memory of the command and of the processes it waited for.
  std::int32_t wait_status = 0;
  std::uint32_t left_processes = 0;  // 1: the command left processes behind, and they have been killed
  std::uint64_t user_microseconds = 0;
  std::uint64_t system_microseconds = 0;
  std::uint64_t most_memory_bytes = 0;
};

struct SignalRequest {
  std::int32_t number = 0;
};

[[nodiscard]] LauncherMessage failure_message(const Error& error);
[[nodiscard]] Error error_of(const LauncherMessage& message);
[[nodiscard]] std::uint32_t part_bits(const std::vector<sandbox::Part>& parts);
[[nodiscard]] std::vector<sandbox::Part> parts_of(std::uint32_t bits);

// None of these blocks or raises SIGPIPE. Sending to a peer that is gone does nothing.
void send_message(int socket, const LauncherMessage& message);
// Returns 0 or the errno.
[[nodiscard]] int send_listener(int socket, int listener);
void send_signal(int socket, const SignalRequest& request);

enum class Received { kPacket, kNothing, kHangUp };
// `listener` gets the descriptor of a kWatching message.
[[nodiscard]] Received receive_message(int socket, LauncherMessage& message, UniqueFd* listener = nullptr);
[[nodiscard]] Received receive_signal(int socket, SignalRequest& request);

}  // namespace helve::process
