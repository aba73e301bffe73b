#include "process/fork_server.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "process/testing.h"

namespace helve::process {
namespace {

class ForkServerTest : public JobsTest {
 protected:
  // The children of this process with that name: the fork server, and one launcher per running command.
  [[nodiscard]] static std::vector<pid_t> launchers() {
    std::vector<pid_t> found;
    for (const ProcStat& process : read_all_processes())
      if (process.parent == ::getpid() && process.name == "helve-launcher" && process.state != 'Z')
        found.push_back(process.pid);
    return found;
  }
  // Whether the word occurs in the writable memory of the process.
  [[nodiscard]] static bool memory_has(pid_t process, const std::string& word) {
    const std::string directory = concat("/proc/", process);
    std::ifstream memory(directory + "/mem", std::ios::binary);
    EXPECT_TRUE(memory.is_open());
    std::istringstream maps(read_whole(directory + "/maps"));
    for (std::string line; std::getline(maps, line);) {
      std::uint64_t begin = 0;
      std::uint64_t end = 0;
      char may_write = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx r%c", &begin, &end, &may_write) != 3 || may_write != 'w')
        continue;
      constexpr std::uint64_t kReserved = std::uint64_t{256} << 20;  // by the address sanitizer
      if (end - begin > kReserved) continue;
      std::string bytes(end - begin, '\0');
      memory.clear();
      memory.seekg(static_cast<std::streamoff>(begin));
      memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      if (bytes.find(word) != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(ForkServerTest, OneServerStaysForTheNextCommand) {
  EXPECT_TRUE(launchers().empty());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(text_of(*run("echo here")), "here\n");
  const auto servers = launchers();
  EXPECT_EQ(servers.size(), 1U);
  EXPECT_EQ(text_of(*run("echo here")), "here\n");
  EXPECT_EQ(launchers(), servers);
  jobs_.reset();
  EXPECT_TRUE(launchers().empty());
}

TEST_F(ForkServerTest, RestartsAKilledServer) {
  EXPECT_EQ(text_of(*run("echo here")), "here\n");
  const auto before = launchers();
  ASSERT_EQ(before.size(), 1U);
  ::kill(before[0], SIGKILL);
  while (!launchers().empty()) std::this_thread::yield();
  EXPECT_EQ(text_of(*run("echo again")), "again\n");
  const auto after = launchers();
  ASSERT_EQ(after.size(), 1U);
  EXPECT_NE(after, before);
}

TEST_F(ForkServerTest, CommandsOutliveTheServer) {
  auto request = shell_request(directory_, "read line; echo heard $line");
  request.input = JobRequest::Input::kOpen;
  EXPECT_EQ(run("true")->status().exit_code, 0);
  const auto servers = launchers();
  ASSERT_EQ(servers.size(), 1U);
  const auto job = start(std::move(request));
  ::kill(servers[0], SIGKILL);
  ASSERT_TRUE(job->write("you\n", true));
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  EXPECT_EQ(text_of(*job), "heard you\n");
}

TEST_F(ForkServerTest, KeepsNoDataOfACommand) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can read its memory";
  auto request = shell_request(directory_, "true");
  const std::string marker = make_marker();
  request.launch.environment.push_back(marker);
  EXPECT_EQ(run(std::move(request))->status().exit_code, 0);
  const auto servers = launchers();
  ASSERT_EQ(servers.size(), 1U);
  EXPECT_FALSE(memory_has(servers[0], marker));
  // Its three streams and the socket to Helve.
  std::vector<std::string> open;
  for (const auto& entry : std::filesystem::directory_iterator(concat("/proc/", servers[0], "/fd")))
    open.push_back(std::filesystem::read_symlink(entry).string());
  std::ranges::sort(open);
  ASSERT_EQ(open.size(), 4U) << join(open, " ");
  EXPECT_EQ(open[0] + open[1] + open[2], "/dev/null/dev/null/dev/null");
  EXPECT_TRUE(open[3].starts_with("socket:"));
}

TEST_F(ForkServerTest, AStoppedServerDoesNotDelayTheEnd) {
  EXPECT_EQ(run("true")->status().exit_code, 0);
  const auto servers = launchers();
  ASSERT_EQ(servers.size(), 1U);
  ::kill(servers[0], SIGSTOP);
  jobs_.reset();
  EXPECT_TRUE(launchers().empty());
}

TEST_F(ForkServerTest, ServesManyThreadsAtOnce) {
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 5; ++i) {
          const std::string word = concat(t, "-", i);
          if (text_of(*run(concat("echo ", word))) == concat(word, "\n")) ++good;
        }
      });
  }
  EXPECT_EQ(good, 40);
  EXPECT_EQ(launchers().size(), 1U);
}

TEST_F(ForkServerTest, ReportsAProgramThatIsNotALauncher) {
  open({.launcher_program = "/bin/true"});
  const auto job = jobs_->start(shell_request(directory_, "true"));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().message, "The launcher /bin/true did not start the command.");
}

}  // namespace
}  // namespace helve::process
