// Tests the parts of the sandbox one by one, and missing parts.
#include "sandbox/sandbox.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>

#include "sandbox/bpf.h"
#include "sandbox/cgroup.h"
#include "sandbox/landlock.h"
#include "sandbox/parts.h"
#include "sandbox/testing.h"
#include "sandbox/unix_sockets.h"
#include "sandbox/user_map.h"
#include "sandbox/view_places.h"

namespace helve::sandbox {
namespace {

std::vector<std::string> paths_of(const std::vector<Place>& places) {
  std::vector<std::string> paths;
  for (const Place& place : places) paths.push_back(place.path);
  return paths;
}

const std::vector<Place> kCovers = {
    {"/dev", PlaceKind::kDev}, {"/run", PlaceKind::kRun}, {"/tmp", PlaceKind::kTemporary}};

TEST(ViewPlaces, OrdersOuterPlacesFirst) {
  const auto places = arrange_places({.workspace = "/tmp/work", .writable = {"/a-b", "/a", "/a/c"}}, kCovers);
  ASSERT_TRUE(places);
  EXPECT_EQ(paths_of(*places), (std::vector<std::string>{"/a", "/a-b", "/dev", "/run", "/tmp", "/tmp/work"}));
}

TEST(ViewPlaces, ASystemDirectoryAsWorkspaceIsNotCovered) {
  const auto places = arrange_places({.workspace = "/tmp"}, kCovers);
  ASSERT_TRUE(places);
  EXPECT_EQ(places->back(), (Place{"/tmp", PlaceKind::kWritable}));
}

TEST(ViewPlaces, AReadOnlyWorkspaceIsMountedAgainOnlyIfCovered) {
  EXPECT_EQ(arrange_places({.level = Level::kReadOnly, .workspace = "/home/x"}, kCovers)->size(), 3U);
  const auto below = arrange_places({.level = Level::kReadOnly, .workspace = "/run/media/x"}, kCovers);
  EXPECT_EQ((*below)[2], (Place{"/run/media/x", PlaceKind::kVisible}));
}

TEST(ViewPlaces, VisiblePathsAreMountedAgainOnlyIfCovered) {
  const auto places = arrange_places(
      {.level = Level::kReadOnly, .workspace = "/home/x", .visible = {"/home/y", "/tmp/z", "/run"}}, kCovers);
  ASSERT_EQ(places->size(), 4U);
  EXPECT_EQ(places->back(), (Place{"/tmp/z", PlaceKind::kVisible}));
}

TEST(ViewPlaces, SystemTreesCannotBeWritable) {
  for (const char* path : {"/", "/proc/self", "/sys", "/dev", "relative"})
    EXPECT_FALSE(arrange_places({.workspace = path}, kCovers)) << path;
}

TEST(UserMaps, MapsEveryIdToItself) {
  EXPECT_EQ(identity_map("         0          0 4294967295\n"), "0 0 4294967295\n");
  EXPECT_EQ(identity_map("         0     100000       1000\n      1000       1000          1\n"),
            "0 0 1000\n1000 1000 1\n");
}

TEST(UnixSockets, ReadsPathsFromTheKernelsTable) {
  EXPECT_EQ(socket_paths("Num       RefCount Protocol Flags    Type St Inode Path\n"
                         "0000000000000000: 00000002 00000000 00010000 0001 01 1 /run/with space.sock\n"
                         "0000000000000000: 00000002 00000000 00010000 0001 01 2 @/tmp/abstract\n"
                         "0000000000000000: 00000003 00000000 00000000 0001 03 3\n"
                         "0000000000000000: 00000003 00000000 00000000 0001 03 4 /a\n"
                         "0000000000000000: 00000003 00000000 00000000 0001 03 5 /a\n"),
            (std::vector<std::string>{"/a", "/run/with space.sock"}));
}

TEST(CgroupMembership, IsFoundInBothVersions) {
  EXPECT_EQ(
      find_cgroup_membership("30 1 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
                             "0::/user.slice/a.scope\n"),
      (CgroupMembership{.unified = "/sys/fs/cgroup/user.slice/a.scope", .unified_top = "/sys/fs/cgroup"}));
  EXPECT_EQ(find_cgroup_membership("35 31 0:32 /box /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                   "39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,cpu,pids\n",
                                   "8:cpu,pids:/\n4:memory:/box/a\n"),
            (CgroupMembership{.memory = "/sys/fs/cgroup/memory/a", .pids = "/sys/fs/cgroup/pids"}));
}

TEST(Cgroups, LimitMemoryAndAreRemoved) {
  Expected<Cgroup> group = Cgroup::create({.processes = 50, .memory_bytes = 64 << 20});
  if (!group) GTEST_SKIP() << group.error().message;
  const std::vector<std::string> directories = group->directories();
  const pid_t greedy = ::fork();
  if (greedy == 0) {
    if (!group->add()) ::_exit(3);
    ::execlp("python3", "python3", "-c", "x = bytearray(400 << 20)", nullptr);
    ::_exit(4);
  }
  EXPECT_EQ(detail::wait_for(greedy), 128 + SIGKILL);
  const pid_t sleeper = ::fork();
  if (sleeper == 0) {
    ::pause();
    ::_exit(0);
  }
  ASSERT_TRUE(group->add(sleeper));
  {
    const Cgroup dropped = std::move(*group);
  }
  EXPECT_EQ(detail::wait_for(sleeper), 128 + SIGKILL);
  for (const std::string& directory : directories)
    EXPECT_FALSE(std::filesystem::exists(directory)) << directory;
}

TEST(Cgroups, SweepRemovesThoseOfDeadOwners) {
  std::vector<std::string> directories;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    const Expected<Cgroup> group = Cgroup::create({.processes = 50, .memory_bytes = 64 << 20});
    if (group) static_cast<void>(write_all(ends[1], join(group->directories(), "\n")));
    ::kill(::getpid(), SIGKILL);
  }
  ::close(ends[1]);
  detail::wait_for(owner);
  const std::string text = read_all(ends[0], 1 << 16).value_or("");
  ::close(ends[0]);
  if (text.empty()) GTEST_SKIP() << "no cgroup can be created";
  Expected<Cgroup> alive = Cgroup::create({.processes = 50, .memory_bytes = 64 << 20});
  EXPECT_GE(Cgroup::sweep(), split(text, '\n').size());
  for (const std::string_view directory : split(text, '\n')) EXPECT_FALSE(std::filesystem::exists(directory));
  for (const std::string& directory : alive->directories()) EXPECT_TRUE(std::filesystem::exists(directory));
}

TEST(Probe, ReportsEveryPart) {
  const std::vector<PartState> states = probe_machine();
  ASSERT_EQ(states.size(), 10U);
  for (const PartState& state : states) {
    EXPECT_NE(part_name(state.part), "unknown part");
    EXPECT_TRUE(state.available || !state.detail.empty()) << part_name(state.part);
    EXPECT_NE(state.detail, "It could not be tested.") << part_name(state.part);
    if (state.part != Part::kLandlock) continue;
    EXPECT_EQ(state.available, landlock_version() > 0);
  }
}

class SandboxMissing : public SandboxTest {};
HELVE_SANDBOX_TEST_AS_BOTH_USERS(SandboxMissing);

TEST_P(SandboxMissing, LandlockAloneKeepsWritesInside) {
  if (landlock_version() == 0) GTEST_SKIP() << "no Landlock";
  write("outside/file", "old");
  ::chmod(at("outside").c_str(), 0777);
  ::chmod(at("outside/file").c_str(), 0666);
  Launch bare = launch();
  bare.skip_namespaces = true;
  bare.missing = {Part::kMountNamespace, Part::kPidNamespace, Part::kNetworkNamespace};
  const auto run = [&](const std::string& script) { return run_shell(plan_, script, bare).exit_code; };
  const std::string workspace = at("workspace");
  EXPECT_EQ(run(concat("cd ", workspace,
                       " && echo x > a && mkdir b && mv a b/c && ln -s b d && rm -r b && echo > /dev/null")),
            0);
  for (const std::string& way :
       {concat("echo x > ", at("outside/file")), concat("echo x > ", at("outside/new")),
        concat("rm ", at("outside/file")), concat("mkdir ", at("outside/dir")),
        concat("truncate -s 0 ", at("outside/file")), concat("ln -s x ", at("outside/link")),
        concat("mkfifo ", at("outside/pipe")), concat("mv ", at("outside/file"), " ", workspace),
        concat("echo x > ", workspace, "/../outside/file"), std::string("echo x > /tmp/helve-test-file"),
        std::string("exec 3<>/dev/tcp/127.0.0.1/1 2>/dev/null")})
    EXPECT_NE(run(way), 0) << way;
  EXPECT_EQ(read("outside/file"), "old");
  plan_.level = Level::kReadOnly;
  EXPECT_NE(run(concat("echo x > ", workspace, "/new")), 0);
}

TEST_P(SandboxMissing, MountsAloneKeepWritesInside) {
  // Only the view, without restrict_self().
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    if (launch().as_ordinary_user && ::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
      ::_exit(99);
    ::prctl(PR_SET_DUMPABLE, 1);
    Missing missing;
    if (!enter_namespaces(plan_, missing)) ::_exit(98);
    const pid_t init = ::fork();
    if (init == 0) {
      if (!build_view(plan_, missing)) ::_exit(97);
      if (::open("/etc/helve-test-file", O_CREAT | O_RDWR, 0600) >= 0 || errno != EROFS) ::_exit(1);
      if (::open("/proc/sys/kernel/core_pattern", O_WRONLY) >= 0) ::_exit(2);
      if (::mkdir("/usr/helve-test", 0700) == 0 || errno != EROFS) ::_exit(3);
      if (::open("new", O_CREAT | O_RDWR, 0600) < 0) ::_exit(4);
      ::_exit(0);
    }
    ::_exit(detail::wait_for(init));
  }
  EXPECT_EQ(detail::wait_for(launcher), 0);
}

TEST_P(SandboxMissing, NamesAMissingPartAndTheNextStep) {
  // Sandboxes cannot be nested, as in many containers.
  Launch nested = launch();
  nested.in_place_of_program = [this] {
    Missing missing;
    const Expected<void> refused = enter_namespaces(plan_, missing);
    if (refused) return 1;
    static_cast<void>(write_all(1, concat(refused.error().message, "\n", refused.error().hint, "\n")));
    if (!missing.empty()) return 2;
    Plan lenient = plan_;
    lenient.may_lack = {Part::kUserNamespace, Part::kMountNamespace, Part::kPidNamespace,
                        Part::kNetworkNamespace, Part::kIpcNamespace};
    if (!enter_namespaces(lenient, missing)) return 3;
    if (!build_view(lenient, missing)) return 4;
    if (!contains(missing, Part::kUserNamespace) || !contains(missing, Part::kMountNamespace)) return 5;
    return 0;
  };
  const Outcome outcome = run_sandboxed(plan_, {}, nested);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              ::testing::HasSubstr("lacks its user namespace: cannot create it: Operation not permitted"));
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("kernel.unprivileged_userns_clone"));
}

// Like the filter of some containers.
void forbid_user_namespaces() {
  BpfProgram program;
  const auto unshare = program.new_label();
  const auto user = program.new_label();
  program.load(offsetof(seccomp_data, nr));
  program.jump_if_equal(SYS_unshare, unshare);
  program.give(SECCOMP_RET_ALLOW);
  program.place(unshare);
  program.load(offsetof(seccomp_data, args));
  program.jump_if_any_bit(CLONE_NEWUSER, user);
  program.give(SECCOMP_RET_ALLOW);
  program.place(user);
  program.give(SECCOMP_RET_ERRNO | ENOSPC);
  std::vector<sock_filter> filter = program.finish();
  const sock_fprog code{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &code) != 0) ::_exit(96);
}

TEST_P(SandboxMissing, RootNeedsNoUserNamespace) {
  if (GetParam() != Who::kRoot) GTEST_SKIP() << "an ordinary user does";
  Launch confined = launch();
  confined.before = forbid_user_namespaces;
  Outcome outcome = run_shell(plan_, "true", confined);
  EXPECT_EQ(outcome.exit_code, kNotLaunched);
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("user.max_*_namespaces"));
  plan_.may_lack = {Part::kUserNamespace};
  plan_.protected_paths = {at("workspace/.helve")};
  outcome = run_shell(
      plan_,
      "echo x > file; echo x > /etc/helve-test-file; echo x > /proc/sys/kernel/core_pattern; mkdir "
      ".helve; ls /proc | grep -c '^[0-9]'; grep CapEff /proc/self/status; test -e /etc/helve-test-file",
      confined);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("CapEff:\t00000000000000fb"));
  EXPECT_EQ(read("workspace/file"), "x\n");
  EXPECT_FALSE(exists("workspace/.helve"));
}

TEST_P(SandboxMissing, AtLevelOffAppliesOnlyLimits) {
  plan_.level = Level::kOff;
  plan_.limits.open_files = 99;
  write("outside/file", "old");
  EXPECT_EQ(good(concat("ulimit -n; echo new > ", at("outside/file"))), "99\n");
  EXPECT_EQ(read("outside/file"), "new\n");
}

}  // namespace
}  // namespace helve::sandbox
