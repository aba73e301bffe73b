#include "process/launch_request.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

namespace helve::process {
namespace {

constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(LaunchDescriptors<int>));

// The letter that the descriptors travel with, and room for them.
struct Letter {
  char byte = 'L';
  alignas(cmsghdr) std::array<char, kControlBytes> control{};
  iovec part{.iov_base = &byte, .iov_len = 1};
  msghdr head{.msg_name = nullptr,
              .msg_namelen = 0,
              .msg_iov = &part,
              .msg_iovlen = 1,
              .msg_control = control.data(),
              .msg_controllen = control.size(),
              .msg_flags = 0};

  Letter() = default;
  Letter(const Letter&) = delete;  // it points into itself
  Letter& operator=(const Letter&) = delete;
};

// A letter with another number of descriptors is from nobody who should be there; they are closed.
std::optional<LaunchDescriptors<UniqueFd>> enclosed(msghdr& head) {
  LaunchDescriptors<UniqueFd> taken;
  std::size_t count = 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&head); part != nullptr; part = CMSG_NXTHDR(&head, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t here = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < here && count < taken.size(); ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      taken[count++].reset(fd);
    }
  }
  if (count != taken.size()) return {};
  return taken;
}

}  // namespace

int send_launch_request(int socket, const LaunchDescriptors<int>& descriptors) {
  Letter letter;
  cmsghdr* const part = CMSG_FIRSTHDR(&letter.head);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(part), descriptors.data(), sizeof descriptors);
  while (::sendmsg(socket, &letter.head, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

std::optional<LaunchDescriptors<UniqueFd>> receive_launch_request(int socket) {
  for (;;) {
    Letter letter;
    const ssize_t got = ::recvmsg(socket, &letter.head, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    if (auto descriptors = enclosed(letter.head)) return descriptors;
    send_launch_answer(socket, -EMFILE);  // what else would have kept them from arriving
  }
}

void send_launch_answer(int socket, pid_t answer) {
  while (::send(socket, &answer, sizeof answer, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

std::optional<pid_t> receive_launch_answer(int socket, int timeout_milliseconds) {
  pollfd ready{.fd = socket, .events = POLLIN, .revents = 0};
  int found = 0;
  while ((found = ::poll(&ready, 1, timeout_milliseconds)) < 0 && errno == EINTR) {
  }
  pid_t answer = 0;
  if (found <= 0 || ::recv(socket, &answer, sizeof answer, 0) != sizeof answer) return {};
  return answer;
}

}  // namespace helve::process
