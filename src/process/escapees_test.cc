// Commands that try to leave processes behind: none may survive, however the command ends.
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <thread>
#include <vector>

#include "process/testing.h"
#include "sandbox/sandbox.h"

namespace helve::process {
namespace {

struct Escapee {
  const char* name;
  const char* command;  // leaves a process behind
};
constexpr auto kEscapees = std::to_array<Escapee>({
    {"BackgroundJob", "sleep 300 & "},
    {"Setsid", "setsid sleep 300 & "},
    {"Nohup", "nohup sleep 300 >/dev/null 2>&1 & "},
    {"DoubleFork", "( ( setsid sleep 300 & ) & ) ; "},
    {"IgnoresTerm", "( trap '' TERM HUP INT; while :; do sleep 300; done ) & "},
    {"Stopped", "( kill -STOP $BASHPID; sleep 300 ) & "},
    {"HoldsPipe", "( setsid bash -c 'sleep 300; echo late' ) & "},
    {"ForksOn", "( while :; do setsid sleep 300 & n=$((n+1)); [ $n -gt 150 ] && sleep 1; done ) & "},
    {"Bomb", "f() { [ $1 -gt 6 ] && exec sleep 300; f $(($1+1)) & f $(($1+1)) & wait; }; f 0 & "},
    {"KillsItsGroup", "( trap '' TERM; sleep 300 ) & setsid sleep 300 & trap '' TERM; sleep 0.2; kill 0; "},
    {"ChangedName", "( exec -a '(evil) S 1 ) name' sleep 300 ) & "},
});

enum class End { kNormal, kTimeout, kKill, kKillOfHelve };
constexpr auto kEnds = std::to_array<End>({End::kNormal, End::kTimeout, End::kKill, End::kKillOfHelve});

std::string_view name_of(End end) {
  switch (end) {
    case End::kNormal: return "Normal";
    case End::kTimeout: return "Timeout";
    case End::kKill: return "Kill";
    case End::kKillOfHelve: return "KillOfHelve";
  }
  return "";
}

bool level_available(sandbox::Level level) {
  if (level == sandbox::Level::kOff) return true;
  for (const sandbox::PartState& state : sandbox::probe_machine())
    if (state.part == sandbox::Part::kPidNamespace) return state.available;
  return false;
}

JobRequest marked_request(const TestDirectory& directory, sandbox::Level level, const std::string& marker,
                          const Escapee& escapee, End end) {
  const std::string_view rest = end == End::kNormal ? "sleep 0.2; echo end" : "echo up; sleep 300";
  auto request = shell_request(directory, concat(escapee.command, rest), level);
  request.launch.environment.push_back(marker);
  request.launch.plan.limits.processes = 400;
  // Survival depends only on the PID namespace.
  using sandbox::Part;
  request.launch.plan.may_lack = {
      Part::kNetworkNamespace, Part::kIpcNamespace, Part::kPrivateProc, Part::kMinimalDev,
      Part::kLandlock,         Part::kSeccomp,      Part::kCgroup};
  request.kill_grace = milliseconds(100);
  if (end == End::kTimeout) request.time_limit = milliseconds(1200);
  return request;
}

bool comes_up(Job& job) {
  const WaitCondition up{
      .pattern = [](std::string_view text) { return text.find("up\n") != std::string_view::npos; },
      .from = 0};
  return job.wait(up, {}, in(kTestTimeout)) == WaitOutcome::kPattern;
}

struct Outcome {
  std::vector<std::string> left = {};
  std::string problem = {};
};

Outcome end_within(const TestDirectory& directory, sandbox::Level level, const Escapee& escapee, End end) {
  const std::string marker = make_marker();
  Outcome outcome;
  auto jobs = Jobs::create({.output_directory = directory.path()});
  auto job = (*jobs)->start(marked_request(directory, level, marker, escapee, end));
  if (!job) return {{}, job.error().message + " " + job.error().hint};
  if (end == End::kKill) {
    if (!comes_up(**job)) outcome.problem = "did not come up";
    std::this_thread::sleep_for(milliseconds(150));
    if (marked_processes(marker).size() < 2) outcome.problem = "no process could escape";
    (*job)->kill();
  }
  if (!(*job)->wait_for_end({}, in(kTestTimeout))) outcome.problem = "did not end";
  outcome.left = marked_processes(marker);  // at once: the end means that no process is left
  kill_marked(marker);
  return outcome;
}

// A process like Helve starts the command and is killed without a chance to clean up.
Outcome kill_helve(const TestDirectory& directory, sandbox::Level level, const Escapee& escapee) {
  const std::string marker = make_marker();
  std::array<int, 2> ready{};
  if (::pipe(ready.data()) != 0) return {{}, "no pipe"};
  const pid_t helve = ::fork();
  if (helve == 0) {
    auto jobs = Jobs::create({.output_directory = directory.path()});
    auto job = (*jobs)->start(marked_request(directory, level, marker, escapee, End::kKillOfHelve));
    const char answer = job && comes_up(**job) ? 'y' : 'n';
    if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  ::close(ready[1]);
  char answer = 'n';
  Outcome outcome;
  if (::read(ready[0], &answer, 1) != 1 || answer != 'y') outcome.problem = "did not come up";
  ::close(ready[0]);
  std::this_thread::sleep_for(milliseconds(150));
  // Launchers and inits do not have the marker in their environment, so remember their pids.
  const std::vector<ProcStat> tree = find_descendants(helve, Search::kThorough);
  if (tree.size() < 3) outcome.problem = concat("only ", tree.size(), " processes were there");
  ::kill(helve, SIGKILL);
  ::waitpid(helve, nullptr, 0);
  const auto left = [&] {
    std::vector<std::string> names = marked_processes(marker);
    for (const ProcStat& process : tree) {
      const auto now = read_proc_stat(process.pid);
      if (now && now->start_ticks == process.start_ticks && now->state != 'Z')
        names.push_back(concat("of the tree: ", process.name));
    }
    return names;
  };
  for (const auto until = in(milliseconds(20'000)); Clock::now() < until && !left().empty();)
    std::this_thread::sleep_for(milliseconds(20));
  outcome.left = left();
  kill_marked(marker);
  return outcome;
}

// True when nothing was left. Reports to stderr, because it runs in a child process.
bool is_ended_every_time(sandbox::Level level, const Escapee& escapee) {
  const TestDirectory directory(0777);
  bool good = true;
  for (const End end : kEnds) {
    const Outcome outcome = end == End::kKillOfHelve ? kill_helve(directory, level, escapee)
                                                     : end_within(directory, level, escapee, end);
    if (outcome.left.empty() && outcome.problem.empty()) continue;
    good = false;
    const std::string report = concat(escapee.name, " after ", name_of(end), ": ", outcome.problem,
                                      " left: ", join(outcome.left, ", "), "\n");
    static_cast<void>(!::write(STDERR_FILENO, report.data(), report.size()));
  }
  return good;
}

enum class As { kMyself, kOrdinaryUser };

// Tries the whole table, each escapee in a child process. They mostly wait, so all run at once.
bool no_process_survives(sandbox::Level level, As as) {
  std::vector<pid_t> children;
  for (const Escapee& escapee : kEscapees) {
    const pid_t child = ::fork();
    if (child == 0) {
      const bool ready = as == As::kMyself || (::setgid(65534) == 0 && ::setuid(65534) == 0);
      ::_exit(ready && is_ended_every_time(level, escapee) ? 0 : 1);
    }
    children.push_back(child);
  }
  bool good = true;
  for (const pid_t child : children) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && good;
  }
  return good;
}

class EscapeesTest : public ::testing::TestWithParam<sandbox::Level> {
 protected:
  void SetUp() override {
    if (!level_available(GetParam())) GTEST_SKIP() << "this machine does not support PID namespaces";
  }
};

TEST_P(EscapeesTest, NothingIsLeft) { EXPECT_TRUE(no_process_survives(GetParam(), As::kMyself)); }

TEST_P(EscapeesTest, NothingIsLeftForAnOrdinaryUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "already running as an ordinary user";
  EXPECT_TRUE(no_process_survives(GetParam(), As::kOrdinaryUser));
}

TEST_P(EscapeesTest, NothingIsLeftWhenTheCommandItselfIsStopped) {
  const TestDirectory directory(0777);
  const Escapee stopped = {"StopsItself", "sleep 300 & echo up; kill -STOP $$; "};
  for (const End end : {End::kTimeout, End::kKill}) {
    const Outcome outcome = end_within(directory, GetParam(), stopped, end);
    EXPECT_EQ(outcome.problem, "");
    EXPECT_EQ(outcome.left, std::vector<std::string>{});
  }
  const Outcome outcome = kill_helve(directory, GetParam(), stopped);
  EXPECT_EQ(outcome.problem, "");
  EXPECT_EQ(outcome.left, std::vector<std::string>{});
}

TEST_P(EscapeesTest, NothingIsLeftWhenJobsIsDestroyed) {
  const TestDirectory directory(0777);
  const std::string marker = make_marker();
  {
    auto jobs = Jobs::create({.output_directory = directory.path()});
    for (const Escapee& escapee : kEscapees) {
      auto job = (*jobs)->start(marked_request(directory, GetParam(), marker, escapee, End::kKill));
      ASSERT_TRUE(job) << job.error().message;
    }
  }
  EXPECT_EQ(marked_processes(marker), std::vector<std::string>{});
  EXPECT_EQ(directory.names().size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Off, EscapeesTest, testing::Values(sandbox::Level::kOff));
INSTANTIATE_TEST_SUITE_P(Sandboxed, EscapeesTest, testing::Values(sandbox::Level::kWorkspaceWrite));

}  // namespace
}  // namespace helve::process
