#include "process/launch_pad.h"

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

class LaunchPadTest : public SessionsTest {
 protected:
  // The launchers that are children of this process: the pad, and one for each command that runs.
  [[nodiscard]] static std::vector<pid_t> launchers() {
    std::vector<pid_t> found;
    for (const ProcStat& process : read_all_processes())
      if (process.parent == ::getpid() && process.name == "helve-launcher" && process.state != 'Z')
        found.push_back(process.pid);
    return found;
  }
  // Whether the word lies anywhere in what the process may write.
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
      constexpr std::uint64_t kReserved = std::uint64_t{256} << 20;  // as by the address sanitizer
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

TEST_F(LaunchPadTest, OneLauncherWaitsForTheNextCommand) {
  EXPECT_TRUE(launchers().empty());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(text_of(*run("echo here")), "here\n");
  const auto pads = launchers();
  EXPECT_EQ(pads.size(), 1U);
  EXPECT_EQ(text_of(*run("echo here")), "here\n");
  EXPECT_EQ(launchers(), pads);
  sessions_.reset();
  EXPECT_TRUE(launchers().empty());
}

TEST_F(LaunchPadTest, OneThatWasKilledIsReplaced) {
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

TEST_F(LaunchPadTest, CommandsOutliveThePadThatStartedThem) {
  auto request = shell_request(directory_, "read line; echo heard $line");
  request.input = SessionRequest::Input::kOpen;
  EXPECT_EQ(run("true")->status().exit_code, 0);
  const auto pads = launchers();
  ASSERT_EQ(pads.size(), 1U);
  const auto session = start(std::move(request));
  ::kill(pads[0], SIGKILL);
  ASSERT_TRUE(session->write("you\n", true));
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  EXPECT_EQ(text_of(*session), "heard you\n");
}

TEST_F(LaunchPadTest, KeepsNothingOfACommand) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can look into a pad";
  auto request = shell_request(directory_, "true");
  const std::string marker = make_marker();
  request.launch.environment.push_back(marker);
  EXPECT_EQ(run(std::move(request))->status().exit_code, 0);
  const auto pads = launchers();
  ASSERT_EQ(pads.size(), 1U);
  EXPECT_FALSE(memory_has(pads[0], marker));
  // Its three empty streams and the socket to us.
  std::vector<std::string> open;
  for (const auto& entry : std::filesystem::directory_iterator(concat("/proc/", pads[0], "/fd")))
    open.push_back(std::filesystem::read_symlink(entry).string());
  std::ranges::sort(open);
  ASSERT_EQ(open.size(), 4U) << join(open, " ");
  EXPECT_EQ(open[0] + open[1] + open[2], "/dev/null/dev/null/dev/null");
  EXPECT_TRUE(open[3].starts_with("socket:"));
}

TEST_F(LaunchPadTest, OneThatSomebodyStoppedHoldsUpNobodysEnd) {
  EXPECT_EQ(run("true")->status().exit_code, 0);
  const auto pads = launchers();
  ASSERT_EQ(pads.size(), 1U);
  ::kill(pads[0], SIGSTOP);
  sessions_.reset();
  EXPECT_TRUE(launchers().empty());
}

TEST_F(LaunchPadTest, ServesManyThreadsAtOnce) {
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

TEST_F(LaunchPadTest, AProgramThatIsNoLauncherIsToldOf) {
  open({.launcher_program = "/bin/true"});
  const auto session = sessions_->start(shell_request(directory_, "true"));
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().message, "The launcher /bin/true started no command.");
}

}  // namespace
}  // namespace helve::process
