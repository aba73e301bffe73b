#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "sandbox/testing.h"

namespace helve::sandbox {
namespace {

class SandboxProtected : public SandboxTest {
 protected:
  void protect_git() {
    write("workspace/.git/hooks/pre-commit", "original");
    write("workspace/.git/config", "original");
    make("workspace/.git/objects");
    plan_.protected_paths = {at("workspace/.git/hooks"), at("workspace/.git/config")};
    plan_.pinned = {at("workspace/.git")};
  }
  // Every way to create a name.
  void expect_cannot_be_created(const std::string& name) {
    make("workspace/material");
    write("workspace/material/file", "x");
    for (const std::string& way :
         {concat("mkdir ", name), concat("mkdir -p ", name, "/deep"), concat("echo x > ", name),
          concat("mv -T material ", name), concat("mv -T material/file ", name),
          concat("ln -s material ", name), concat("ln -s /etc ", name, " && ls -L ", name, "/passwd"),
          concat("ln material/file ", name), concat("mkfifo ", name), concat("cp material/file ", name),
          concat("rm -rf ", name, " && mkdir ", name), concat("rmdir ", name), concat("unlink ", name),
          concat("mv -T ", name, " /tmp/away && test ! -e ", name),
          concat("python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).renameat2(-100, b\"material\", "
                 "-100, b\"",
                 name, "\", 2) != 0)'"),
          concat("python3 -c 'import os; os.open(\"", name, "\", os.O_CREAT | os.O_EXCL | os.O_RDWR)'")})
      refused(way);
    EXPECT_TRUE(exists("workspace/material/file"));
    EXPECT_FALSE(exists(concat("workspace/", name))) << name;
  }
};
HELVE_SANDBOX_TEST_AS_BOTH_USERS(SandboxProtected);

TEST_P(SandboxProtected, ExistingPathsCannotBeChanged) {
  protect_git();
  for (const char* way :
       {"echo x > .git/hooks/pre-commit", "echo x > .git/hooks/post-commit", "rm .git/hooks/*",
        "echo x > .git/config", "rm -f .git/config", "mv .git/config x", "rm -rf .git/hooks",
        "mv .git/hooks x", "chmod 777 .git/hooks/pre-commit", "echo x > n; mv n .git/config",
        "ln .git/config hard", "mkdir o; mv -T o .git/hooks"})
    refused(way);
  good("echo x > .git/objects/new && cat .git/config .git/hooks/pre-commit");
  EXPECT_EQ(read("workspace/.git/hooks/pre-commit"), "original");
  EXPECT_EQ(read("workspace/.git/config"), "original");
}

TEST_P(SandboxProtected, PinnedDirectoriesCannotBeMovedAway) {
  protect_git();
  refused("mv .git other");
  refused("mkdir fake && mv -T fake .git");
  refused(
      "python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).renameat2(-100, b\"fake\", -100, "
      "b\".git\", 2) != 0)'");
  refused("rm -rf .git");
  EXPECT_TRUE(exists("workspace/.git/config"));
}

TEST_P(SandboxProtected, MissingPathsCannotBeCreated) {
  make("workspace/.git");
  plan_.protected_paths = {at("workspace/.helve"), at("workspace/.git/hooks/"), at("workspace/.config/x/y")};
  plan_.pinned = {at("workspace/.git")};
  expect_cannot_be_created(".helve");
  expect_cannot_be_created(".git/hooks");
  expect_cannot_be_created(".config");
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(at("workspace")))
    left.push_back(entry.path().filename());
  std::ranges::sort(left);
  EXPECT_EQ(left, (std::vector<std::string>{".git", "material"}));
}

TEST_P(SandboxProtected, PlaceholdersReadAsMissingOrEmptyInside) {
  plan_.protected_paths = {at("workspace/.bashrc"), at("workspace/.git")};
  refused("cat .bashrc");
  EXPECT_EQ(good("[ -e .bashrc ] || echo missing; ls -A .git"), "missing\n");
}

TEST_P(SandboxProtected, GitNeitherListsNorAddsThePlaceholders) {
  plan_.protected_paths = {at("workspace/.bashrc"), at("workspace/.helve/"),
                           at("workspace/.vscode/tasks.json")};
  EXPECT_EQ(good("export HOME=/tmp; git init -q . && git status --short && git add -A && git status --short"),
            "");
}

TEST_P(SandboxProtected, ASymlinkInThePathCannotBeChanged) {
  write("workspace/real/hooks/pre-commit", "original");
  std::filesystem::create_directory_symlink("real", at("workspace/.git"));
  own(at("workspace/.git"));
  plan_.protected_paths = {at("workspace/.git/hooks")};
  for (const char* way : {"rm .git && mkdir -p .git/hooks", "ln -sfn /tmp .git", "mv .git x",
                          "echo x > .git/hooks/new", "echo x > real/hooks/new", "mv real/hooks x"})
    refused(way);
  EXPECT_EQ(read("workspace/real/hooks/pre-commit"), "original");
  EXPECT_TRUE(std::filesystem::is_symlink(at("workspace/.git")));
}

TEST_P(SandboxProtected, ADanglingSymlinkIsProtectedAtBothEnds) {
  std::filesystem::create_symlink("absent", at("workspace/.bashrc"));
  own(at("workspace/.bashrc"));
  plan_.protected_paths = {at("workspace/.bashrc")};
  refused("echo x > .bashrc");
  refused("echo x > absent");
  refused("rm -f .bashrc && echo x > .bashrc");
  EXPECT_FALSE(exists("workspace/absent"));
}

TEST_P(SandboxProtected, AFileInPlaceOfADirectoryCannotBeReplaced) {
  write("workspace/.git", "gitdir: elsewhere");
  plan_.protected_paths = {at("workspace/.git/hooks")};
  refused("rm -f .git && mkdir -p .git/hooks");
  refused("echo 'gitdir: /tmp' > .git");
  EXPECT_EQ(read("workspace/.git"), "gitdir: elsewhere");
}

TEST_P(SandboxProtected, TwoCommandsAtOnceShareThePlaceholders) {
  plan_.protected_paths = {at("workspace/.helve")};
  // The first command ends while the second still runs.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  Launch slow = launch();
  slow.stdin_fd = ends[0];
  slow.started = [&](pid_t) {
    while (!exists("workspace/second-runs")) ::usleep(1000);
    EXPECT_EQ(run_shell(plan_, "true", launch()).exit_code, 0);
    EXPECT_TRUE(exists("workspace/.helve"));
    EXPECT_EQ(::write(ends[1], "\n", 1), 1);
  };
  const Outcome outcome =
      run_shell(plan_, "touch second-runs; read line; mkdir .helve && echo made; mv -T . x; true", slow);
  EXPECT_THAT(outcome.output, ::testing::Not(::testing::HasSubstr("made")));
  EXPECT_FALSE(exists("workspace/.helve"));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_P(SandboxProtected, NothingIsLeftWhenTheCommandIsKilled) {
  plan_.protected_paths = {at("workspace/.helve"), at("workspace/.git/hooks")};
  const Outcome outcome = shell("kill -9 $$");
  EXPECT_EQ(outcome.exit_code, 128 + SIGKILL);
  EXPECT_TRUE(std::filesystem::is_empty(at("workspace")));
}

TEST_P(SandboxProtected, PlaceholdersOfKilledLaunchersAreFoundAndRemoved) {
  plan_.protected_paths = {at("workspace/.helve"), at("workspace/.git/hooks")};
  Launch killed = launch();
  killed.started = [&](pid_t launcher) {
    while (!exists("workspace/runs")) ::usleep(1000);
    ::kill(launcher, SIGKILL);
  };
  EXPECT_EQ(run_shell(plan_, "touch runs; sleep 100", killed).exit_code, 128 + SIGKILL);
  ASSERT_TRUE(exists("workspace/.helve"));
  {
    const ReservedPaths abandoned = ReservedPaths::find_abandoned(plan_);
    EXPECT_EQ(abandoned.paths().size(), 2U);
  }
  EXPECT_FALSE(exists("workspace/.helve"));
  EXPECT_FALSE(exists("workspace/.git"));
  // The next command removes them as well.
  std::filesystem::remove(at("workspace/runs"));
  EXPECT_EQ(run_shell(plan_, "touch runs; sleep 100", killed).exit_code, 128 + SIGKILL);
  ASSERT_TRUE(exists("workspace/.helve"));
  refused("mkdir .helve");
  EXPECT_FALSE(exists("workspace/.helve"));
}

TEST_P(SandboxProtected, OtherEntriesAreNotMistakenForPlaceholders) {
  plan_.protected_paths = {at("workspace/.helve"), at("workspace/dir")};
  make("workspace/dir");
  ASSERT_EQ(::mknod(at("workspace/.helve").c_str(), S_IFSOCK | 0600, 0), 0);
  own(at("workspace/.helve"));
  good("true");
  EXPECT_EQ(ReservedPaths::find_abandoned(plan_).remove(), 0U);
  EXPECT_TRUE(exists("workspace/.helve"));
  EXPECT_TRUE(exists("workspace/dir"));
}

TEST_P(SandboxProtected, StartsNoCommandWithoutItsPlaceholder) {
  plan_.protected_paths = {at("workspace/.helve")};
  Launch unprepared = launch();
  unprepared.stdin_fd = -1;
  Plan other = plan_;
  other.protected_paths.clear();
  // The launcher reserves the paths of a different plan than the view is built for.
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    if (unprepared.as_ordinary_user && ::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
      ::_exit(99);
    ::prctl(PR_SET_DUMPABLE, 1);
    Missing missing;
    if (!enter_namespaces(other, missing)) ::_exit(98);
    const pid_t init = ::fork();
    if (init == 0) ::_exit(build_view(plan_, missing) ? 1 : 42);
    ::_exit(detail::wait_for(init));
  }
  EXPECT_EQ(detail::wait_for(launcher), 42);
}

}  // namespace
}  // namespace helve::sandbox
