// Reading from and writing to a connection's socket within a time.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>

namespace helve::http {

using Clock = std::chrono::steady_clock;

// That much later than now; for ever, in words, is ten years.
[[nodiscard]] inline Clock::time_point after(std::chrono::milliseconds time) {
  return Clock::now() + std::min<std::chrono::milliseconds>(time, std::chrono::years(10));
}

enum class ReadOutcome { kSome, kEnd, kTimeout };

// Appends what comes, at most `most` bytes. Without a deadline the socket's own time limit holds, which costs
// one system call instead of two.
[[nodiscard]] ReadOutcome read_some(int socket, std::string& out, std::size_t most);
[[nodiscard]] ReadOutcome read_some(int socket, std::string& out, std::size_t most,
                                    Clock::time_point deadline);

// Sends all pieces, of which the first is never empty. `time` is what the other side has to take the next
// 64 KiB. False when it has gone or was too slow.
[[nodiscard]] bool send_all(int socket, std::span<iovec> pieces, std::chrono::milliseconds time);

// Says that nothing more comes and reads what is still on its way for a moment: closing a socket with unread
// bytes resets the connection, and the last answer is lost with it.
void close_gently(int socket);

// Who is at the other end: "127.0.0.1:40000", "[::1]:40000"; empty for a socket in the file system.
[[nodiscard]] std::string peer_name(int socket);

void set_read_time(int socket, std::chrono::milliseconds time);

}  // namespace helve::http
