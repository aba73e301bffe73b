#include "http/socket_io.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/strings.h"

namespace helve::http {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kProgress = std::size_t{64} << 10;
constexpr milliseconds kDrainTime{1'000};
constexpr std::size_t kDrainBytes = std::size_t{64} << 20;

// Whether the socket became ready (or broke) before the deadline.
bool wait_for(int socket, short events, Clock::time_point deadline) {
  for (;;) {
    const auto rest = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    if (rest <= 0) return false;
    pollfd waiting{.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<long long>(rest, 1'000'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

ReadOutcome receive(int socket, std::string& out, std::size_t most, int flags) {
  const std::size_t before = out.size();
  ssize_t count = 0;
  int error = 0;
  // Resize without zeroing the memory first.
  out.resize_and_overwrite(before + most, [&](char* bytes, std::size_t) {
    do {
      count = ::recv(socket, bytes + before, most, flags);
      error = errno;
    } while (count < 0 && error == EINTR);
    return before + static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  });
  if (count > 0) return ReadOutcome::kSome;
  return count < 0 && (error == EAGAIN || error == EWOULDBLOCK) ? ReadOutcome::kTimeout : ReadOutcome::kEnd;
}

}  // namespace

ReadOutcome read_some(int socket, std::string& out, std::size_t most) {
  return receive(socket, out, most, 0);
}

ReadOutcome read_some(int socket, std::string& out, std::size_t most, Clock::time_point deadline) {
  for (;;) {
    // The deadline must hold even if more data is always ready.
    if (Clock::now() >= deadline) return ReadOutcome::kTimeout;
    const ReadOutcome outcome = receive(socket, out, most, MSG_DONTWAIT);
    if (outcome != ReadOutcome::kTimeout) return outcome;
    if (!wait_for(socket, POLLIN, deadline)) return ReadOutcome::kTimeout;
  }
}

bool send_all(int socket, std::span<iovec> pieces, milliseconds time) {
  Clock::time_point deadline{};  // for the next 64 KiB; set once sending blocks
  std::size_t progress = 0;
  while (!pieces.empty()) {
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
      if (deadline == Clock::time_point{}) deadline = after(time);
      if (!wait_for(socket, POLLOUT, deadline)) return false;
      continue;
    }
    progress += static_cast<std::size_t>(sent);
    if (progress >= kProgress) {
      progress = 0;
      deadline = {};
    }
    for (auto rest = static_cast<std::size_t>(sent); !pieces.empty();) {
      iovec& piece = pieces.front();
      const std::size_t count = std::min(rest, piece.iov_len);
      piece.iov_base = static_cast<char*>(piece.iov_base) + count;
      piece.iov_len -= count;
      rest -= count;
      if (piece.iov_len > 0) break;
      pieces = pieces.subspan(1);
    }
  }
  return true;
}

void close_gracefully(int socket) {
  ::shutdown(socket, SHUT_WR);
  const auto deadline = after(kDrainTime);
  std::string dropped;
  for (std::size_t total = 0; total < kDrainBytes; total += dropped.size()) {
    dropped.clear();
    if (read_some(socket, dropped, kProgress, deadline) != ReadOutcome::kSome) break;
  }
}

std::string peer_name(int socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (peer.ss_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &peer, sizeof four);
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    return concat(text.data(), ":", ntohs(four.sin_port));
  }
  if (peer.ss_family != AF_INET6) return {};
  sockaddr_in6 six{};
  std::memcpy(&six, &peer, sizeof six);
  ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  return concat("[", text.data(), "]:", ntohs(six.sin6_port));
}

std::string peer_network(const sockaddr_storage& peer) {
  if (peer.ss_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &peer, sizeof four);
    return {reinterpret_cast<const char*>(&four.sin_addr), sizeof four.sin_addr};
  }
  if (peer.ss_family != AF_INET6) return {};
  sockaddr_in6 six{};
  std::memcpy(&six, &peer, sizeof six);
  const bool is_four = IN6_IS_ADDR_V4MAPPED(&six.sin6_addr);
  return {reinterpret_cast<const char*>(&six.sin6_addr), is_four ? sizeof six.sin6_addr : std::size_t{8}};
}

void set_read_time(int socket, milliseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  timeval value{};
  value.tv_sec = seconds.count();
  value.tv_usec = std::chrono::microseconds(time - seconds).count();
  // Zero would mean no limit.
  if (value.tv_sec <= 0 && value.tv_usec <= 0) value = {.tv_sec = 0, .tv_usec = 1000};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
}

}  // namespace helve::http
