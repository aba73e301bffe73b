#include "process/launch_cgroup.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "sandbox/cgroup.h"

namespace helve::process {
namespace {

// The contents of /proc/self/cgroup in a child that joins like a command.
std::string cgroups_of_child(CgroupHandles& handles) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = handles.fork_into();
  if (child == 0) {
    const auto joined = handles.join();
    const std::string cgroups = joined ? read_file("/proc/self/cgroup").value() : joined.error().message;
    static_cast<void>(write_all(ends[1], cgroups));
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(ends[0], text.data(), text.size()))));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

// With limits the group is created where its controllers are, without limits in version 2 if available.
class CgroupHandlesTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(CgroupHandlesTest, PutsTheChildInsideAndNotTheParent) {
  const auto group = sandbox::Cgroup::create({.processes = GetParam()});
  if (!group) GTEST_SKIP() << group.error().message;
  const std::string name = group->directories()[0].substr(group->directories()[0].rfind('/') + 1);
  auto handles = CgroupHandles::open(group->directories());
  ASSERT_TRUE(handles) << handles.error().message;
  EXPECT_THAT(cgroups_of_child(*handles), ::testing::HasSubstr(name));
  EXPECT_THAT(read_file("/proc/self/cgroup").value(), ::testing::Not(::testing::HasSubstr(name)));
}

INSTANTIATE_TEST_SUITE_P(Limits, CgroupHandlesTest, ::testing::Values(0, 50));

TEST(CgroupHandles, NamesTheMissingGroup) {
  const auto handles = CgroupHandles::open({"/sys/fs/cgroup/no-such-group"});
  ASSERT_FALSE(handles);
  EXPECT_THAT(handles.error().message, ::testing::HasSubstr("no-such-group"));
}

TEST(CgroupHandles, IsAPlainForkWithoutGroups) {
  auto handles = CgroupHandles::open({}).value();
  EXPECT_EQ(cgroups_of_child(handles), read_file("/proc/self/cgroup").value());
}

}  // namespace
}  // namespace helve::process
