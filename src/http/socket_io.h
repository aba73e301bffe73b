// Reads from and writes to a connection's socket with time limits.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>

namespace helve::http {

using Clock = std::chrono::steady_clock;

// The time point `time` from now, limited to ten years to avoid overflow.
[[nodiscard]] inline Clock::time_point after(std::chrono::milliseconds time) {
  return Clock::now() + std::min<std::chrono::milliseconds>(time, std::chrono::years(10));
}

enum class ReadOutcome { kSome, kEnd, kTimeout };

// Appends received data, at most `most` bytes. Without a deadline the socket's own time limit applies, which
// saves a system call.
[[nodiscard]] ReadOutcome read_some(int socket, std::string& out, std::size_t most);
[[nodiscard]] ReadOutcome read_some(int socket, std::string& out, std::size_t most,
                                    Clock::time_point deadline);

// Sends all pieces; the first must not be empty. The peer has `time` to receive each 64 KiB. Returns false if
// it disconnected or was too slow.
[[nodiscard]] bool send_all(int socket, std::span<iovec> pieces, std::chrono::milliseconds time);

// Ends sending and drains incoming data for a moment. Closing a socket with unread data would reset the
// connection and lose the last answer.
void close_gracefully(int socket);

// The peer's address: "127.0.0.1:40000", "[::1]:40000"; empty for a unix socket.
[[nodiscard]] std::string peer_name(int socket);

// The address without the port, of IPv6 the /64 network, because one host can use all of it. Empty for a unix
// socket.
[[nodiscard]] std::string peer_network(const sockaddr_storage& peer);

void set_read_time(int socket, std::chrono::milliseconds time);

}  // namespace helve::http
