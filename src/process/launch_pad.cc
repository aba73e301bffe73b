#include "process/launch_pad.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/strings.h"
#include "process/launcher.h"

namespace helve::process {
namespace {

constexpr int kLongestAnswer = 30'000;  // milliseconds; to make a copy takes less than one

class SpawnSetting {
 public:
  SpawnSetting() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t all;
    sigfillset(&all);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    // The launcher blocks everything anyway; no signal shall hit it before it comes to that.
    ::posix_spawnattr_setsigmask(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    // Ours may be pipes to a client, who shall see them end with us.
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, STDIN_FILENO, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, STDIN_FILENO, STDERR_FILENO);
  }
  ~SpawnSetting() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetting(const SpawnSetting&) = delete;
  SpawnSetting& operator=(const SpawnSetting&) = delete;

  // 0, or an errno.
  int spawn(pid_t& pid, const std::string& program, int socket) {
    ::posix_spawn_file_actions_adddup2(&actions_, socket, kPadDescriptor);
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

}  // namespace

Expected<void> LaunchPad::prepare() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(system_error("Cannot make a socket for the launcher", errno));
  UniqueFd ours(ends[0]);
  const UniqueFd low(ends[1]);
  // Not among the numbers that the spawned process gives away before it comes to this one.
  const UniqueFd theirs(::fcntl(low.get(), F_DUPFD_CLOEXEC, kPadDescriptor + 1));
  if (!theirs) return fail(system_error("Cannot duplicate a descriptor", errno));
  SpawnSetting setting;
  if (const int error = setting.spawn(waiting_, program_, theirs.get()); error != 0) {
    waiting_ = -1;
    return fail(system_error(concat("Cannot start the launcher ", program_), error));
  }
  socket_ = std::move(ours);
  return {};
}

void LaunchPad::clear() {
  socket_.reset();
  if (waiting_ <= 0) return;
  ::kill(waiting_, SIGKILL);  // it would end by itself, unless somebody stopped it
  while (::waitpid(waiting_, nullptr, 0) < 0 && errno == EINTR) {
  }
  waiting_ = -1;
}

Expected<pid_t> LaunchPad::launch(const LaunchDescriptors<int>& descriptors) {
  const std::lock_guard lock(mutex_);
  if (!socket_)
    if (auto prepared = prepare(); !prepared) return fail(prepared.error());
  int error = send_launch_request(socket_.get(), descriptors);
  if (error == EPIPE || error == ECONNRESET) {  // somebody killed it
    clear();
    if (auto prepared = prepare(); !prepared) return fail(prepared.error());
    error = send_launch_request(socket_.get(), descriptors);
  }
  if (error != 0 && error != EPIPE && error != ECONNRESET)
    return fail(system_error("Cannot ask the launcher", error));
  const auto answer = error == 0 ? receive_launch_answer(socket_.get(), kLongestAnswer) : std::nullopt;
  if (!answer) {
    clear();
    return fail(ErrorCode::kExecutionFailed, concat("The launcher ", program_, " started no command."),
                "Try again. If it stays so, that program is of another version of Helve, or its main() does "
                "not call launch_if_asked() first.");
  }
  if (*answer < 0) return fail(system_error("Cannot start a process for the command", -*answer));
  return *answer;
}

}  // namespace helve::process
