// Tests that no process or file remains when language servers or Helve end.
#include <gmock/gmock.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/clock.h"
#include "lsp/testing.h"

namespace helve::lsp {
namespace {

using std::chrono::milliseconds;

// Marks all processes of this test by an environment variable.
class ProcessesTest : public LspTest {
 public:
  ProcessesTest() : marker_(random_id("mark")) {
    ::setenv("LSP_TEST_MARK", marker_.c_str(), 1);
    write("a.fake", "def first\n");
  }
  ~ProcessesTest() override {
    servers_.reset();
    process::kill_marked(marker_);
    ::unsetenv("LSP_TEST_MARK");
  }
  void use(const std::string& faults) { use_fake(faults); }
  [[nodiscard]] std::vector<std::string> left() const { return process::marked_processes(marker_); }
  [[nodiscard]] bool all_end_in_time() const {
    for (int i = 0; i < 600 && !left().empty(); ++i) std::this_thread::sleep_for(milliseconds(50));
    return left().empty();
  }
  static std::size_t zombies() {
    std::size_t count = 0;
    for (const process::ProcStat& each : process::read_all_processes())
      if (each.parent == ::getpid() && each.state == 'Z') ++count;
    return count;
  }

  const std::string marker_;
};

TEST_F(ProcessesTest, FiftyServersLeaveNoProcesses) {
  use("child");  // it leaves its process group
  servers();
  constexpr int kAtOnce = 5;
  for (int round = 0; round < 50 / kAtOnce; ++round) {
    std::vector<std::unique_ptr<Servers>> several;
    std::vector<std::jthread> starters;
    for (int i = 0; i < kAtOnce; ++i) several.push_back(std::make_unique<Servers>(options_));
    for (auto& each : several)
      starters.emplace_back([&] { EXPECT_TRUE(each->server_for(path("a.fake"), in_time())); });
    starters.clear();
    if (round == 0)  // the children start a moment later
      for (int i = 0; i < 600 && left().size() < std::size_t{2} * kAtOnce; ++i)
        std::this_thread::sleep_for(milliseconds(50));
    if (round == 0) {
      EXPECT_GE(left().size(), std::size_t{2} * kAtOnce);
    }
    several.clear();
    EXPECT_TRUE(all_end_in_time()) << "round " << round << ": " << join(left(), "\n");
  }
  EXPECT_EQ(received_count("method", "initialize"), 50U);
  EXPECT_EQ(received_count("method", "exit"), 50U);
  EXPECT_EQ(zombies(), 0U);
}

TEST_F(ProcessesTest, AKilledServerLeavesNoProcesses) {
  use("child");
  const auto server = servers().server_for(path("a.fake"), in_time());
  ASSERT_TRUE(server) << server.error().message;
  for (const process::ProcStat& each : process::read_all_processes())
    if (process::read_proc_file(concat("/proc/", each.pid, "/cmdline")).find("fake_server.py") !=
            std::string::npos &&
        process::read_proc_file(concat("/proc/", each.pid, "/environ")).find(marker_) != std::string::npos) {
      ::kill(each.pid, SIGKILL);
      break;
    }
  EXPECT_TRUE(all_end_in_time());
  // The next query starts a new server.
  EXPECT_TRUE(questions().hover({.path = "a.fake", .symbol = "first"}, in_time()));
}

TEST_F(ProcessesTest, RemovesTheServersTemporaryFiles) {
  use("litter");
  ASSERT_TRUE(servers().server_for(path("a.fake"), in_time()));
  const auto litter = received();
  const auto place = std::ranges::find_if(litter, [](const Json& each) { return each.find("litter"); });
  ASSERT_NE(place, litter.end());
  const std::string file = place->find("litter")->as_string();
  EXPECT_TRUE(file.contains("/helve-lsp-")) << file;
  EXPECT_TRUE(std::filesystem::exists(file));
  servers_.reset();
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path()));
}

TEST_F(ProcessesTest, KillsAServerThatUsesTooMuchMemory) {
  use("");
  settings_.memory_megabytes = 1;
  options_.maintenance_interval = milliseconds(20);
  const auto server = servers().server_for(path("a.fake"), in_time());
  EXPECT_TRUE(all_end_in_time());
  // On a busy machine it is killed before it has started.
  EXPECT_THAT(server ? (*server)->end_error().message : server.error().message,
              ::testing::HasSubstr("more than 1 MiB of memory"));
}

TEST_F(ProcessesTest, StopsAnIdleServer) {
  use("");
  options_.maintenance_interval = milliseconds(20);
  options_.idle_time = milliseconds(100);
  ASSERT_TRUE(servers().server_for(path("a.fake"), in_time()));
  EXPECT_TRUE(all_end_in_time());
  EXPECT_EQ(received_count("method", "exit"), 1U);
  EXPECT_TRUE(questions().hover({.path = "a.fake", .symbol = "first"}, in_time()));
}

// Not a test by itself: the process that the next test kills.
TEST_F(ProcessesTest, DISABLED_HoldsAServerUntilItIsKilled) {
  use("child");
  ASSERT_TRUE(servers().server_for(path("a.fake"), in_time()));
  ASSERT_TRUE(questions().hover({.path = "a.fake", .symbol = "first"}, in_time()));
  std::ofstream(::getenv("HELVE_TEST_READY")) << "ready";
  std::this_thread::sleep_for(std::chrono::minutes(5));
}

TEST_F(ProcessesTest, KillingHelveLeavesNoProcesses) {
  const std::string ready = directory_.at("ready");
  std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<std::string> words{self, "--gtest_filter=*HoldsAServerUntilItIsKilled",
                                 "--gtest_also_run_disabled_tests", "--gtest_brief=1"};
  std::vector<std::string> variables{
      concat("HELVE_TEST_READY=", ready), concat("LSP_TEST_OUTER=", marker_),
      concat("PATH=", ::getenv("PATH")),
      // Files left by the killed process are removed with this test's directory.
      concat("TMPDIR=", directory_.path())};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  pid_t helve = 0;
  ASSERT_EQ(::posix_spawn(&helve, self.c_str(), nullptr, nullptr, argv.data(), environment.data()), 0);
  for (int i = 0; i < 1200 && !std::filesystem::exists(ready); ++i)
    std::this_thread::sleep_for(milliseconds(50));
  ASSERT_TRUE(std::filesystem::exists(ready));
  // The server and its child inherit this variable from the process in between.
  EXPECT_GE(left().size(), 3U);
  ::kill(helve, SIGKILL);
  ::waitpid(helve, nullptr, 0);
  EXPECT_TRUE(all_end_in_time());
}

}  // namespace
}  // namespace helve::lsp
