// Commands behind walls: what is known about them must not depend on the namespaces that they are in.
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>

#include "process/testing.h"
#include "sandbox/sandbox.h"

namespace helve::process {
namespace {

SessionRequest walled_request(const ScratchDirectory& directory, const std::string& command) {
  auto request = shell_request(directory, command, sandbox::Level::kWorkspaceWrite);
  request.input = SessionRequest::Input::kOpen;
  request.launch.plan.may_lack = {sandbox::Part::kCgroup, sandbox::Part::kLandlock, sandbox::Part::kSeccomp};
  return request;
}

// Each returns what was wrong, because it may run in a child process as another user.
std::string check_input_wait(Sessions& sessions, const ScratchDirectory& directory, bool terminal) {
  auto request = walled_request(directory, "stty -echo 2>/dev/null; read x; echo got $x");
  request.terminal = terminal;
  auto session = sessions.start(std::move(request));
  if (!session) return session.error().message;
  if ((*session)->wait({}, {}, in(kPatience)) != WaitOutcome::kInput)
    return "it was not seen to wait for input";
  const SessionStatus status = (*session)->status();
  if (!status.waiting || status.waiting->program != "bash" || status.waiting->password != terminal)
    return "the wrong one waits";
  if (!(*session)->write("it\n", false)) return "cannot write";
  if (!(*session)->wait_for_end({}, in(kPatience))) return "it does not end";
  const std::string text = (*session)->log().read(0, 100)->bytes;
  return text == "got it\n" ? "" : "it wrote " + text;
}

std::string check_usage(Sessions& sessions, const ScratchDirectory& directory) {
  auto session =
      sessions.start(walled_request(directory,
                                    "python3 -c 'import socket,time; s=socket.socket(); s.bind((\"\",8123)); "
                                    "s.listen(); time.sleep(300)' & sleep 300"));
  if (!session) return session.error().message;
  const WaitOutcome outcome = (*session)->wait({.port = 8123}, {}, in(kPatience));
  if (outcome != WaitOutcome::kPort)
    return concat("the port was not seen: ", static_cast<int>(outcome), " ",
                  (*session)->log().read(0, 1000)->bytes);
  const Usage usage = (*session)->usage();
  if (usage.listening_ports != std::vector<std::uint16_t>{8123}) return "other ports";
  if (usage.processes < 2) return "too few processes";
  if (std::ranges::find(usage.programs, "helve-launcher") != usage.programs.end())
    return "the launcher is counted";
  (*session)->kill(milliseconds(0));
  if (!(*session)->wait_for_end({}, in(kPatience))) return "it does not end";
  return (*session)->status().signal == SIGKILL ? "" : "not killed";
}

std::string check_start_errors(Sessions& sessions, const ScratchDirectory& directory) {
  auto request = walled_request(directory, "true");
  request.launch.directory = "/no/such/directory";
  const auto session = sessions.start(std::move(request));
  if (session) return "it started";
  return session.error().code == ErrorCode::kNotFound ? "" : session.error().message;
}

std::string check_all() {
  const ScratchDirectory directory;
  auto sessions = Sessions::create({.output_directory = directory.path()});
  for (const bool terminal : {false, true})
    if (std::string wrong = check_input_wait(**sessions, directory, terminal); !wrong.empty())
      return concat("input: ", wrong);
  if (std::string wrong = check_usage(**sessions, directory); !wrong.empty()) return concat("usage: ", wrong);
  if (std::string wrong = check_start_errors(**sessions, directory); !wrong.empty())
    return concat("start: ", wrong);
  return {};
}

class WalledSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const sandbox::PartState& state : sandbox::probe_machine())
      if (state.part == sandbox::Part::kPidNamespace && !state.available)
        GTEST_SKIP() << "no PID namespaces here: " << state.detail;
  }
};

TEST_F(WalledSessionTest, IsKnownAsWellAsAnyOther) { EXPECT_EQ(check_all(), ""); }

TEST_F(WalledSessionTest, IsKnownAsWellAsAnyOtherToAnOrdinaryUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "the tests run as an ordinary user anyway";
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(2);
    const std::string wrong = check_all();
    static_cast<void>(!::write(STDERR_FILENO, wrong.data(), wrong.size()));
    ::_exit(wrong.empty() ? 0 : 1);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace helve::process
