// Sandboxed commands: input waits, usage and start errors must be detected across namespaces.
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>

#include "process/testing.h"
#include "sandbox/sandbox.h"

namespace helve::process {
namespace {

JobRequest sandboxed_request(const TestDirectory& directory, const std::string& command) {
  auto request = shell_request(directory, command, sandbox::Level::kWorkspaceWrite);
  request.input = JobRequest::Input::kOpen;
  request.launch.plan.may_lack = {sandbox::Part::kCgroup, sandbox::Part::kLandlock, sandbox::Part::kSeccomp};
  return request;
}

// Each check returns an error text, because it may run in a child process as another user.
std::string check_input_wait(Jobs& jobs, const TestDirectory& directory, bool terminal) {
  auto request = sandboxed_request(directory, "stty -echo 2>/dev/null; read x; echo got $x");
  request.terminal = terminal;
  auto job = jobs.start(std::move(request));
  if (!job) return job.error().message;
  if ((*job)->wait({}, {}, in(kTestTimeout)) != WaitOutcome::kInput) return "no input wait was detected";
  const JobStatus status = (*job)->status();
  if (!status.waiting || status.waiting->program != "bash" || status.waiting->password != terminal)
    return "the wrong process waits";
  if (!(*job)->write("it\n", false)) return "cannot write";
  if (!(*job)->wait_for_end({}, in(kTestTimeout))) return "it does not end";
  const std::string text = (*job)->log().read(0, 100)->bytes;
  return text == "got it\n" ? "" : "it wrote " + text;
}

std::string check_usage(Jobs& jobs, const TestDirectory& directory) {
  auto job =
      jobs.start(sandboxed_request(directory,
                                   "python3 -c 'import socket,time; s=socket.socket(); s.bind((\"\",8123)); "
                                   "s.listen(); time.sleep(300)' & sleep 300"));
  if (!job) return job.error().message;
  const WaitOutcome outcome = (*job)->wait({.port = 8123}, {}, in(kTestTimeout));
  if (outcome != WaitOutcome::kPort)
    return concat("the port was not detected: ", static_cast<int>(outcome), " ",
                  (*job)->log().read(0, 1000)->bytes);
  const Usage usage = (*job)->usage();
  if (usage.listening_ports != std::vector<std::uint16_t>{8123}) return "wrong ports";
  if (usage.processes < 2) return "too few processes";
  if (std::ranges::find(usage.programs, "helve-launcher") != usage.programs.end())
    return "the launcher is counted";
  (*job)->kill(milliseconds(0));
  if (!(*job)->wait_for_end({}, in(kTestTimeout))) return "it does not end";
  return (*job)->status().signal == SIGKILL ? "" : "not killed";
}

std::string check_start_errors(Jobs& jobs, const TestDirectory& directory) {
  auto request = sandboxed_request(directory, "true");
  request.launch.directory = "/no/such/directory";
  const auto job = jobs.start(std::move(request));
  if (job) return "it started";
  return job.error().code == ErrorCode::kNotFound ? "" : job.error().message;
}

std::string check_all() {
  const TestDirectory directory(0777);
  auto jobs = Jobs::create({.output_directory = directory.path()});
  for (const bool terminal : {false, true})
    if (std::string wrong = check_input_wait(**jobs, directory, terminal); !wrong.empty())
      return concat("input: ", wrong);
  if (std::string wrong = check_usage(**jobs, directory); !wrong.empty()) return concat("usage: ", wrong);
  if (std::string wrong = check_start_errors(**jobs, directory); !wrong.empty())
    return concat("start: ", wrong);
  return {};
}

class SandboxedJobTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const sandbox::PartState& state : sandbox::probe_machine())
      if (state.part == sandbox::Part::kPidNamespace && !state.available)
        GTEST_SKIP() << "no PID namespaces: " << state.detail;
  }
};

TEST_F(SandboxedJobTest, ReportsInputWaitUsageAndErrors) { EXPECT_EQ(check_all(), ""); }

TEST_F(SandboxedJobTest, ReportsInputWaitUsageAndErrorsToAnOrdinaryUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "already running as an ordinary user";
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
