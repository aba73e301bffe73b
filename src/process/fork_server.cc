#include "process/fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/strings.h"
#include "process/launcher.h"

namespace helve::process {
namespace {

constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(LaunchDescriptors<int>));

// A one-byte packet with room for the descriptors.
struct Packet {
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

  Packet() = default;
  Packet(const Packet&) = delete;  // contains pointers into itself
  Packet& operator=(const Packet&) = delete;
};

// Empty for a packet with another number of descriptors; those are closed.
std::optional<LaunchDescriptors<UniqueFd>> received_descriptors(msghdr& head) {
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

constexpr int kAnswerTimeout = 30'000;  // milliseconds; a fork takes less than one

class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t all;
    sigfillset(&all);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    // The launcher blocks all signals itself; none may arrive before it does.
    ::posix_spawnattr_setsigmask(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    // Helve's streams may be pipes to a client, who must see them close when Helve exits.
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, STDIN_FILENO, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, STDIN_FILENO, STDERR_FILENO);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  // 0, or an errno.
  int spawn(pid_t& pid, const std::string& program, int socket) {
    ::posix_spawn_file_actions_adddup2(&actions_, socket, kForkServerSocket);
    std::string name = kLauncherName;
    std::array<char*, 2> arguments = {name.data(), nullptr};
    std::array<char*, 1> environment = {nullptr};
    return ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, arguments.data(),
                         environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Returns 0 or an errno: EPIPE when the server is gone.
int send_launch_request(int socket, const LaunchDescriptors<int>& descriptors) {
  Packet packet;
  cmsghdr* const part = CMSG_FIRSTHDR(&packet.head);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(part), descriptors.data(), sizeof descriptors);
  while (::sendmsg(socket, &packet.head, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

// Empty when the server is gone or does not answer in time.
std::optional<pid_t> receive_launch_answer(int socket, int timeout_milliseconds) {
  pollfd ready{.fd = socket, .events = POLLIN, .revents = 0};
  int found = 0;
  while ((found = ::poll(&ready, 1, timeout_milliseconds)) < 0 && errno == EINTR) {
  }
  pid_t answer = 0;
  if (found <= 0 || ::recv(socket, &answer, sizeof answer, 0) != sizeof answer) return {};
  return answer;
}

}  // namespace

std::optional<LaunchDescriptors<UniqueFd>> receive_launch_request(int socket) {
  for (;;) {
    Packet packet;
    const ssize_t got = ::recvmsg(socket, &packet.head, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    if (auto descriptors = received_descriptors(packet.head)) return descriptors;
    send_launch_answer(socket, -EMFILE);  // the usual reason why descriptors do not arrive
  }
}

void send_launch_answer(int socket, pid_t answer) {
  while (::send(socket, &answer, sizeof answer, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

Expected<void> ForkServer::start() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(system_error("Cannot make a socket for the launcher", errno));
  UniqueFd ours(ends[0]);
  const UniqueFd low(ends[1]);
  // Above the descriptors that posix_spawn overwrites before it duplicates this one.
  const UniqueFd theirs(::fcntl(low.get(), F_DUPFD_CLOEXEC, kForkServerSocket + 1));
  if (!theirs) return fail(system_error("Cannot duplicate a descriptor", errno));
  SpawnSettings settings;
  if (const int error = settings.spawn(pid_, program_, theirs.get()); error != 0) {
    pid_ = -1;
    return fail(system_error(concat("Cannot start the launcher ", program_), error));
  }
  socket_ = std::move(ours);
  return {};
}

void ForkServer::stop() {
  socket_.reset();
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);  // it exits by itself, unless it was stopped
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

Expected<pid_t> ForkServer::launch(const LaunchDescriptors<int>& descriptors) {
  const std::lock_guard lock(mutex_);
  if (!socket_)
    if (auto started = start(); !started) return fail(started.error());
  int error = send_launch_request(socket_.get(), descriptors);
  if (error == EPIPE || error == ECONNRESET) {  // it was killed
    stop();
    if (auto started = start(); !started) return fail(started.error());
    error = send_launch_request(socket_.get(), descriptors);
  }
  if (error != 0 && error != EPIPE && error != ECONNRESET)
    return fail(system_error("Cannot send a request to the launcher", error));
  const auto answer = error == 0 ? receive_launch_answer(socket_.get(), kAnswerTimeout) : std::nullopt;
  if (!answer) {
    stop();
    return fail(ErrorCode::kExecutionFailed, concat("The launcher ", program_, " did not start the command."),
                "Try again. If it keeps failing, that program is a different version of Helve, or its main() "
                "does not call launch_if_asked() first.");
  }
  if (*answer < 0) return fail(system_error("Cannot start a process for the command", -*answer));
  return *answer;
}

}  // namespace helve::process
