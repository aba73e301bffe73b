// How Helve asks a launcher that waits on its pad for a copy of itself, over a socket of packets.
//
//   Helve → pad   the descriptors that the copy shall have
//   pad → Helve   the copy's process id, or why there is none
#pragma once

#include <sys/types.h>

#include <array>
#include <optional>

#include "base/file_io.h"

namespace helve::process {

// What the copy finds at its first descriptors: the command's streams, then kPlanDescriptor and
// kControlDescriptor of launch_plan.h.
inline constexpr std::size_t kLaunchDescriptors = 5;
template <class Descriptor>
using LaunchDescriptors = std::array<Descriptor, kLaunchDescriptors>;

// Where the pad finds its end of the socket.
inline constexpr int kPadDescriptor = 3;

// 0, or an errno: EPIPE when there is nobody at the other end.
[[nodiscard]] int send_launch_request(int socket, const LaunchDescriptors<int>& descriptors);
// Waits for the next one. Nothing when Helve hung up.
[[nodiscard]] std::optional<LaunchDescriptors<UniqueFd>> receive_launch_request(int socket);

// A process id, or a negative errno. Nothing when the pad is gone or says nothing for that long.
void send_launch_answer(int socket, pid_t answer);
[[nodiscard]] std::optional<pid_t> receive_launch_answer(int socket, int timeout_milliseconds);

}  // namespace helve::process
