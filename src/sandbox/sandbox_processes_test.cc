#include <arpa/inet.h>
#include <netinet/in.h>
#include <pty.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "sandbox/cgroup.h"
#include "sandbox/sandbox.h"
#include "sandbox/testing.h"
#include "sandbox/unix_sockets.h"

namespace helve::sandbox {
namespace {

class SandboxProcesses : public SandboxTest {};
HELVE_SANDBOX_TEST_AS_BOTH_USERS(SandboxProcesses);

TEST_P(SandboxProcesses, OnlyTheCommandsOwnProcessesAreVisible) {
  EXPECT_EQ(good("ps -e -o pid= | wc -l; ls -d /proc/[0-9]* | wc -l").size(), 4U);
  refused(concat("kill -0 ", ::getpid()));
  refused(concat("test -e /proc/", ::getpid(), "/environ"));
}

TEST_P(SandboxProcesses, TheInitCannotBeReadTracedOrKilled) {
  ::setenv("HELVE_TEST_SECRET", "s3cret", 1);
  refused("cat /proc/1/environ");
  refused("cat /proc/1/mem");
  refused("cat /proc/1/maps | grep .");
  refused("ls /proc/1/fd/0");
  EXPECT_THAT(shell("cat /proc/1/environ /proc/1/cmdline").output,
              ::testing::Not(::testing::HasSubstr("s3cret")));
  Launch tracing = launch();
  tracing.in_place_of_program = [] {
    if (::ptrace(PTRACE_ATTACH, 1, nullptr, nullptr) == 0) return 1;
    if (::ptrace(PTRACE_SEIZE, 1, nullptr, nullptr) == 0) return 2;
    if (::kill(1, SIGKILL) == 0 || ::kill(1, SIGTERM) == 0) return 3;
    return 0;
  };
  EXPECT_EQ(run_sandboxed(plan_, {}, tracing).exit_code, 0);
  ::unsetenv("HELVE_TEST_SECRET");
}

// A program that embeds Helve: run by the command's user, dumpable, with a secret in its environment.
class Embedding {
 public:
  explicit Embedding(bool as_ordinary_user) {
    process_ = ::fork();
    if (process_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (as_ordinary_user && ::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
      ::_exit(1);
    const char* environment[] = {"HELVE_TEST_SECRET=s3cret", nullptr};
    ::execle("/bin/sleep", "sleep", "600", nullptr, environment);
    ::_exit(1);
  }
  ~Embedding() {
    ::kill(process_, SIGKILL);
    detail::wait_for(process_);
  }
  Embedding(const Embedding&) = delete;
  Embedding& operator=(const Embedding&) = delete;

  [[nodiscard]] pid_t process() const { return process_; }
  // True once exec is done and the user can read the secret; otherwise the test would prove nothing.
  [[nodiscard]] bool is_open_to_its_user() const {
    for (int i = 0; i < 1000; ++i, ::usleep(5000))
      if (read_file(concat("/proc/", process_, "/environ")).value_or("").find("s3cret") != std::string::npos)
        return true;
    return false;
  }

 private:
  pid_t process_;
};

// 0 when no kernel interface gives access to the process.
int try_to_access(pid_t process) {
  if (::ptrace(PTRACE_SEIZE, process, nullptr, nullptr) == 0) return 1;
  if (::ptrace(PTRACE_ATTACH, process, nullptr, nullptr) == 0) return 2;
  char here[16];
  iovec to{here, sizeof here};
  iovec from{reinterpret_cast<void*>(&try_to_access), sizeof here};
  if (::process_vm_readv(process, &to, 1, &from, 1, 0) > 0) return 3;
  if (::syscall(SYS_pidfd_open, process, 0) >= 0) return 4;
  if (::kill(process, 0) == 0) return 5;
  return 0;
}

TEST_P(SandboxProcesses, AnEmbeddingProgramIsInaccessibleEvenWhenDumpable) {
  const Embedding program(launch().as_ordinary_user);
  ASSERT_TRUE(program.is_open_to_its_user());
  Launch tracing = launch();
  tracing.in_place_of_program = [&] { return try_to_access(program.process()); };
  EXPECT_EQ(run_sandboxed(plan_, {}, tracing).exit_code, 0);
  EXPECT_THAT(shell("cat /proc/[0-9]*/environ").output, ::testing::Not(::testing::HasSubstr("s3cret")));
  refused(concat("cat /proc/", program.process(), "/environ"));
}

TEST_P(SandboxProcesses, TheUserNamespaceAloneBlocksAccessToVisibleProcesses) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to mount the machine's /proc elsewhere";
  const Embedding program(launch().as_ordinary_user);
  ASSERT_TRUE(program.is_open_to_its_user());
  make("outside/proc");
  plan_.visible = {at("outside")};
  Launch seeing = launch();
  seeing.before = [&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("/proc", at("outside/proc").c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
      ::_exit(kNotLaunched);
  };
  const std::string there = concat(at("outside/proc/"), program.process());
  const Outcome outcome =
      run_shell(plan_,
                concat("cat ", there, "/comm; cat ", there, "/environ; head -c 9 ", there, "/mem; ls ", there,
                       "/fd/ ", there, "/root/; cat ", there, "/maps"),
                seeing);
  EXPECT_TRUE(outcome.output.starts_with("sleep\n")) << outcome.output;
  EXPECT_THAT(outcome.output, ::testing::Not(::testing::HasSubstr("s3cret")));
  EXPECT_THAT(outcome.output, ::testing::Not(::testing::HasSubstr("/bin/sleep\n")));
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("environ: Permission denied"));
}

TEST_P(SandboxProcesses, AnUndumpableProcessCannotBeReadByTheSameUser) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reading(ends[0]);
  const UniqueFd writing(ends[1]);
  const pid_t undumpable = ::fork();
  if (undumpable == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(1);
    ::prctl(PR_SET_DUMPABLE, 1);
    make_undumpable();
    static_cast<void>(write_all(ends[1], "x"));
    ::pause();
    ::_exit(0);
  }
  char ready = 0;
  EXPECT_EQ(::read(ends[0], &ready, 1), 1);
  const pid_t reader = ::fork();
  if (reader == 0) {
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(9);
    if (read_file(concat("/proc/", undumpable, "/environ"))) ::_exit(1);
    ::_exit(::ptrace(PTRACE_SEIZE, undumpable, nullptr, nullptr) == 0 ? 2 : 0);
  }
  EXPECT_EQ(detail::wait_for(reader), 0);
  ::kill(undumpable, SIGKILL);
  detail::wait_for(undumpable);
}

TEST_P(SandboxProcesses, CapabilitiesAreDroppedForGood) {
  const std::string wanted = GetParam() == Who::kRoot ? "00000000000000fb" : "0000000000000000";
  for (const char* set : {"CapPrm", "CapEff", "CapBnd"})
    EXPECT_EQ(good(concat("grep ", set, " /proc/self/status | cut -f 2")), wanted + "\n") << set;
  EXPECT_EQ(good("grep -e CapInh -e CapAmb /proc/self/status | cut -f 2 | sort -u"), "0000000000000000\n");
  EXPECT_EQ(good("grep NoNewPrivs /proc/self/status | cut -f 2"), "1\n");
}

TEST_P(SandboxProcesses, SetuidProgramsGrantNothing) {
  if (GetParam() == Who::kRoot) GTEST_SKIP() << "root cannot gain privileges";
  const Outcome outcome = shell(
      "for p in $(find /usr/bin -maxdepth 1 -perm -4000); do echo $p; done; echo | su -c id 2>&1; mount "
      "-t tmpfs x "
      "/mnt 2>&1; grep CapEff /proc/self/status");
  EXPECT_THAT(outcome.output, ::testing::Not(::testing::HasSubstr("uid=0")));
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("CapEff:\t0000000000000000"));
  refused("mount -t tmpfs x /mnt");
}

// Forks children that stay until fork() fails. Returns how many children the first process made.
int fork_bomb() {
  for (int made = 0; made < 150; ++made) {
    const pid_t child = ::fork();
    if (child < 0) return errno == EAGAIN ? made : 200;
    if (child > 0) continue;
    static_cast<void>(::fork());
    ::pause();
  }
  return 150;
}

TEST_P(SandboxProcesses, AForkBombIsStopped) {
  plan_.limits.processes = 60;
  std::optional<Cgroup> group;
  Launch limited = launch();
  limited.in_place_of_program = fork_bomb;
  if (GetParam() == Who::kRoot) {
    // Root is exempt from RLIMIT_NPROC.
    Expected<Cgroup> made = Cgroup::create(plan_.limits);
    if (!made) GTEST_SKIP() << made.error().message;
    group.emplace(std::move(*made));
    plan_.limits.in_cgroup = true;
    limited.before = [&] {
      if (!group->add()) ::_exit(97);
    };
  }
  const Outcome outcome = run_sandboxed(plan_, {}, limited);
  EXPECT_GT(outcome.exit_code, 5) << outcome.output;
  EXPECT_LT(outcome.exit_code, 60) << outcome.output;
}

TEST_P(SandboxProcesses, AMemoryLimitWithoutACgroupNeedsMayLack) {
  plan_.limits.memory_bytes = std::uint64_t{300} << 20;
  Outcome outcome = shell("true");
  EXPECT_EQ(outcome.exit_code, kNotLaunched);
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("lacks its cgroup"));
  plan_.may_lack = {Part::kCgroup};
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own memory does not fit under a limit of the address space";
#endif
  outcome = shell("python3 -c 'x = bytearray(200 << 20)' && python3 -c 'x = bytearray(900 << 20)'");
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("MemoryError"));
}

TEST_P(SandboxProcesses, EnforcesLimitsOfFilesAndTime) {
  plan_.limits = {.open_files = 64, .file_bytes = 1 << 20, .cpu_seconds = 1};
  EXPECT_EQ(good("ulimit -n; ulimit -c; ulimit -t"), "64\n0\n1\n");
  refused("head -c 2000000 /dev/zero > large");
  refused("while :; do :; done");
}

TEST_P(SandboxProcesses, DoesNotChangeMemoryLimitsAndUmask) {
  Launch with_mask = launch();
  with_mask.before = [] { ::umask(027); };
  EXPECT_EQ(run_shell(plan_, "umask; ulimit -v; ulimit -d", with_mask).output,
            "0027\nunlimited\nunlimited\n");
}

class SandboxNetwork : public SandboxTest {};
HELVE_SANDBOX_TEST_AS_BOTH_USERS(SandboxNetwork);

// A host server on 127.0.0.1 that never accepts.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_.get(), generic, length) != 0 || ::listen(socket_.get(), 8) != 0 ||
        ::getsockname(socket_.get(), generic, &length) != 0)
      std::abort();
    port_ = ntohs(address.sin_port);
  }
  [[nodiscard]] std::string connect() const { return concat("exec 3<>/dev/tcp/127.0.0.1/", port_); }

 private:
  UniqueFd socket_;
  int port_ = 0;
};

UniqueFd listen_at(const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // A leading @ stands for the zero byte of an abstract name.
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (path.starts_with('@')) address.sun_path[0] = 0;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::listen(socket.get(), 8) != 0)
    std::abort();
  if (!path.starts_with('@')) ::chmod(path.c_str(), 0777);
  return socket;
}

std::string connect_to(const std::string& path) {
  return concat("python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"",
                path.starts_with('@') ? concat("\\0", path.substr(1)) : path, "\")'");
}

TEST_P(SandboxNetwork, WithoutNetworkTheHostsLoopbackIsUnreachable) {
  const Listener listener;
  refused(listener.connect());
  EXPECT_EQ(good("tail -n +3 /proc/net/dev | cut -d: -f1"), "    lo\n");
  plan_.network = true;
  good(listener.connect());
}

TEST_P(SandboxNetwork, WithoutNetworkThereIsAPrivateLoopback) {
  EXPECT_EQ(good("python3 -c '\nimport socket\ns = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen()\n"
                 "c = socket.create_connection(s.getsockname()); c.sendall(b\"hi\")\n"
                 "print(s.accept()[0].recv(2).decode())'"),
            "hi\n");
}

TEST_P(SandboxNetwork, AbstractSocketsOfTheHostAreUnreachable) {
  const std::string name = concat("@helve-test-", ::getpid(), GetParam() == Who::kRoot ? "r" : "u");
  const UniqueFd server = listen_at(name);
  refused(connect_to(name));
  plan_.network = true;  // then only Landlock blocks it
  refused(connect_to(name));
}

TEST_P(SandboxNetwork, SocketsInRunAndTmpAreUnreachable) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to create a socket in /run";
  for (const std::string& path : {concat("/run/helve-test-", ::getpid(), ".sock"), at("outside/sock")}) {
    const UniqueFd server = listen_at(path);
    for (const bool network : {false, true}) {
      plan_.network = network;
      refused(connect_to(path));
    }
    ::unlink(path.c_str());
  }
}

TEST_P(SandboxNetwork, SocketsElsewhereAreFoundAndHidden) {
  std::string pattern = "/opt/helve-sandbox-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) GTEST_SKIP() << "cannot write to /opt";
  ::chmod(pattern.c_str(), 0755);
  const std::string path = pattern + "/agent.sock";
  {
    const UniqueFd server = listen_at(path);
    EXPECT_EQ(shell(connect_to(path)).exit_code, 0);  // why it has to be hidden
    plan_.hidden = find_outside_sockets(plan_);
    EXPECT_NE(std::ranges::find(plan_.hidden, path), plan_.hidden.end());
    refused(connect_to(path));
  }
  std::filesystem::remove_all(pattern);
}

TEST_P(SandboxNetwork, SocketsInTheWorkspaceWork) {
  good(
      "python3 -c '\nimport socket\na, b = socket.socketpair()\ns = socket.socket(socket.AF_UNIX); "
      "s.bind(\"sock\"); "
      "s.listen()\nsocket.socket(socket.AF_UNIX).connect(\"sock\")'");
}

class SandboxTerminal : public SandboxTest {};
HELVE_SANDBOX_TEST_AS_BOTH_USERS(SandboxTerminal);

TEST_P(SandboxTerminal, AnInheritedTerminalWorksAsStdin) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const UniqueFd near(master);
  const UniqueFd far(slave);
  if (::geteuid() == 0 && GetParam() == Who::kOrdinaryUser) {
    ASSERT_EQ(::fchown(slave, kNobody, kNobody), 0);
  }
  Launch with_terminal = launch();
  with_terminal.stdin_fd = slave;
  with_terminal.before = [] {
    ::setsid();
    ::ioctl(0, TIOCSCTTY, 0);
  };
  const Outcome outcome =
      run_shell(plan_, "test -t 0 && tty && echo seen > /dev/tty && stty -a | head -1", with_terminal);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("/dev/console"));
  char text[64] = {};
  ASSERT_GT(::read(master, text, sizeof text - 1), 0);
  EXPECT_EQ(std::string(text), "seen\r\n");

  with_terminal.in_place_of_program = [] {
    char letter = 'x';
    return ::ioctl(0, TIOCSTI, &letter) == 0 ? 1 : errno == EPERM ? 0 : 2;
  };
  EXPECT_EQ(run_sandboxed(plan_, {}, with_terminal).exit_code, 0);
}

TEST_P(SandboxTerminal, TerminalsCanBeCreatedInside) {
  EXPECT_EQ(good("python3 -c 'import os, pty; m, s = pty.openpty(); print(os.ttyname(s))'"), "/dev/pts/0\n");
  EXPECT_EQ(good("script -qc 'tty' /dev/null < /dev/null | tr -d '\\r'"), "/dev/pts/0\n");
}

}  // namespace
}  // namespace helve::sandbox
