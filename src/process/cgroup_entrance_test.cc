#include "process/cgroup_entrance.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "sandbox/cgroup.h"

namespace helve::process {
namespace {

// What /proc/self/cgroup says in the child, which joins as a command does.
std::string places_of_child(CgroupEntrance& entrance) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = entrance.fork_inside();
  if (child == 0) {
    const auto joined = entrance.join();
    const std::string places = joined ? read_file("/proc/self/cgroup").value() : joined.error().message;
    static_cast<void>(write_all(ends[1], places));
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string told(4096, '\0');
  told.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(ends[0], told.data(), told.size()))));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return told;
}

// Limits need controllers, which one version has; a group without limits is made in version 2 where there is
// one.
class CgroupEntranceTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(CgroupEntranceTest, TheChildIsInsideAndItsParentIsNot) {
  const auto group = sandbox::Cgroup::create({.processes = GetParam()});
  if (!group) GTEST_SKIP() << group.error().message;
  const std::string name = group->directories()[0].substr(group->directories()[0].rfind('/') + 1);
  auto entrance = CgroupEntrance::open(group->directories());
  ASSERT_TRUE(entrance) << entrance.error().message;
  const std::string places = places_of_child(*entrance);
  EXPECT_NE(places.find(name), std::string::npos) << places;
  EXPECT_EQ(read_file("/proc/self/cgroup")->find(name), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Limits, CgroupEntranceTest, ::testing::Values(0, 50));

TEST(CgroupEntrance, NamesTheGroupThatIsNotThere) {
  const auto entrance = CgroupEntrance::open({"/sys/fs/cgroup/no-such-group"});
  ASSERT_FALSE(entrance);
  EXPECT_NE(entrance.error().message.find("no-such-group"), std::string::npos) << entrance.error().message;
}

TEST(CgroupEntrance, IsAForkWhereThereAreNoGroups) {
  auto entrance = CgroupEntrance::open({}).value();
  EXPECT_EQ(places_of_child(entrance), read_file("/proc/self/cgroup").value());
}

}  // namespace
}  // namespace helve::process
