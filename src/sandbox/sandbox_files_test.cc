#include <sys/stat.h>
#include <sys/utsname.h>

#include <cstdio>

#include "sandbox/testing.h"

namespace helve::sandbox {
namespace {

class SandboxFiles : public SandboxTest {
 protected:
  // Whether the kernel supports id-mapped tmpfs mounts.
  static bool can_hide_from_root() {
    utsname system{};
    int major = 0;
    int minor = 0;
    return ::uname(&system) == 0 && std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
           (major > 6 || (major == 6 && minor >= 3));
  }
};
HELVE_SANDBOX_TEST_AS_BOTH_USERS(SandboxFiles);

TEST_P(SandboxFiles, TheWorkspaceIsWritableAndFilesBelongToTheUser) {
  good("echo hello > new && mkdir -p a/b && mv new a/b/moved && ln -s b a/link && ln a/b/moved hard");
  EXPECT_EQ(read("workspace/a/b/moved"), "hello\n");
  struct stat status;
  ASSERT_EQ(::stat(at("workspace/hard").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, GetParam() == Who::kRoot ? 0U : ::geteuid() == 0 ? kNobody : ::geteuid());
}

TEST_P(SandboxFiles, NothingOutsideCanBeWritten) {
  write("outside/file", "old");
  for (const char* place : {"/etc", "/usr", "/var/lib", "/root", "/", "/boot", "/sys", "/proc/sys/kernel"})
    refused(concat("echo x > ", place, "/helve-test-file"));
  refused("echo x > /proc/sys/kernel/core_pattern");
  refused("echo x > /etc/passwd");
  refused("chmod 777 /etc");
  refused("touch /etc/passwd");
  refused("rm -f /etc/hostname || test -e /etc/hostname && false");
  // The test's directory is below /tmp, which is replaced for the command.
  refused(concat("echo x > ", at("outside/file")));
  EXPECT_EQ(read("outside/file"), "old");
}

TEST_P(SandboxFiles, HomeIsReadOnlyEvenIfItBelongsToTheUser) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || std::string_view(home).starts_with("/tmp"))
    GTEST_SKIP() << "no home outside of /tmp";
  refused("echo x > ~/helve-test-file && cat ~/helve-test-file");
  refused("mkdir -p ~/.config/helve-test");
}

TEST_P(SandboxFiles, PlanWritableDirectoriesAreWritable) {
  make("workspace/inner");
  plan_.writable = {at("outside"), at("workspace/inner")};
  good(concat("echo x > ", at("outside/file"), "; echo y > inner/file"));
  EXPECT_EQ(read("outside/file"), "x\n");
  EXPECT_EQ(read("workspace/inner/file"), "y\n");
}

TEST_P(SandboxFiles, AtLevelReadOnlyTheWorkspaceIsReadable) {
  plan_.level = Level::kReadOnly;
  plan_.temporary = at("temporary");
  write("workspace/file", "text");
  EXPECT_EQ(good("cat file; pwd"), concat("text", at("workspace"), "\n"));
  refused("echo x > file");
  refused("echo x > other");
  refused("rm -f file");
  good("echo x > /tmp/scratch && cat /tmp/scratch && mktemp");
  EXPECT_TRUE(std::filesystem::is_empty(at("temporary")));
}

TEST_P(SandboxFiles, TheTemporaryDirectoryIsSharedBetweenCommands) {
  plan_.temporary = at("temporary");
  good("echo kept > /tmp/file && echo also > /var/tmp/other");
  EXPECT_EQ(good("cat /tmp/file /var/tmp/other"), "kept\nalso\n");
  EXPECT_EQ(read("temporary/file"), "kept\n");
  plan_.temporary.clear();
  refused("cat /tmp/file");
}

TEST_P(SandboxFiles, RefusesASymlinkLeftInTheTemporaryDirectory) {
  plan_.temporary = at("temporary");
  // The workspace is below /tmp; replace its first directory there with a symlink.
  const std::string& base = directory_.path();
  const std::string first = base.substr(0, base.find('/', 5));
  if (!base.starts_with("/tmp/")) GTEST_SKIP() << "the workspace is not below /tmp";
  std::filesystem::create_directory_symlink("/etc", at(concat("temporary/", first.substr(5))));
  const Outcome outcome = shell("true");
  EXPECT_EQ(outcome.exit_code, kNotLaunched);
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("is in the way"));
}

TEST_P(SandboxFiles, OtherTemporaryFilesAreNotVisible) {
  write("outside/secret", "s3cret");
  refused(concat("cat ", at("outside/secret")));
  const std::string own = directory_.path().substr(directory_.path().rfind('/') + 1);
  EXPECT_EQ(good(concat("ls -A /tmp /var/tmp | grep -v -e : -e '^$' -e ", own, " || true")), "");
}

TEST_P(SandboxFiles, SymlinksDoNotMakeOutsidePathsWritable) {
  refused("ln -s /etc/passwd link && echo x >> link");
  refused("ln -s / root && echo x > root/etc/helve-test-file");
  refused("ln -s /etc dir && mkdir dir/helve-test");
}

TEST_P(SandboxFiles, ProcRootsDoNotLeadOutside) {
  for (const char* root : {"/proc/self/root", "/proc/1/root", "/proc/$$/root", "/proc/self/cwd/../../.."})
    refused(concat("echo x > ", root, "/etc/helve-test-file"));
  refused("ls /proc/1/root/");
  refused("ls /proc/1/cwd/");
  refused("ls -l /proc/1/fd | grep .");
}

TEST_P(SandboxFiles, HiddenPathsCannotBeRead) {
  write("workspace/.env", "TOKEN=1");
  write("workspace/keys/id", "PRIVATE");
  plan_.hidden = {at("workspace/.env"), at("workspace/keys"), at("workspace/not-there"), "/etc/hostname"};
  const Outcome outcome =
      shell("cat .env keys/id /etc/hostname; ls -A keys; rm -rf .env keys; mv keys other");
  EXPECT_THAT(outcome.output, ::testing::Not(::testing::HasSubstr("TOKEN")));
  EXPECT_THAT(outcome.output, ::testing::Not(::testing::HasSubstr("PRIVATE")));
  EXPECT_EQ(read("workspace/.env"), "TOKEN=1");
  EXPECT_EQ(read("workspace/keys/id"), "PRIVATE");
  refused("cat .env");
  refused("ls keys/id");
  refused("echo x > .env");
  refused("echo x > keys/new");
}

TEST_P(SandboxFiles, HiddenPathsAreForbiddenNotMissingOrEmpty) {
  write("workspace/.env", "TOKEN=1");
  write("workspace/keys/id", "PRIVATE");
  good("export HOME=/tmp; git init -q . && git add -A && git -c user.name=a -c user.email=b commit -qm one");
  const std::string commit_all =
      "export HOME=/tmp; echo x >> seen && git add seen && git -c user.name=a -c user.email=b commit -qam "
      "two";
  plan_.hidden = {at("workspace/keys")};
  if (GetParam() == Who::kRoot && !can_hide_from_root()) GTEST_SKIP() << "needs Linux 6.3";
  EXPECT_THAT(shell("cat keys/id").output, ::testing::HasSubstr("Permission denied"));
  EXPECT_THAT(shell("ls keys").output, ::testing::HasSubstr("Permission denied"));
  good(commit_all);
  EXPECT_EQ(good("git show --format= --name-status HEAD"), "A\tseen\n");
  plan_.hidden = {at("workspace/keys"), at("workspace/.env")};
  EXPECT_THAT(shell("cat .env").output, ::testing::HasSubstr("Permission denied"));
  refused(commit_all);  // git reports that it cannot read the file
  EXPECT_EQ(good("git show HEAD:.env"), "TOKEN=1") << "what was committed is in the history";
}

TEST_P(SandboxFiles, DevicesCannotBeCreatedOrReached) {
  refused("mknod disk b 254 0");
  refused("mknod mem c 1 1");
  good("mkfifo pipe && mknod other p");
  EXPECT_EQ(good("find /dev /run /tmp -type b; ls /dev | grep -E "
                 "'^(sd|vd|nvme|loop|mem|kmsg|kvm|fuse)' || true"),
            "");
  good(
      "echo x > /dev/null && head -c 3 /dev/zero | wc -c && head -c 8 /dev/urandom > random && test -s "
      "random");
  good("echo x > /dev/shm/file && cat /dev/shm/file && : > /dev/stderr && echo <(true) | grep /dev/fd");
  refused("echo x > /dev/new");
}

TEST_P(SandboxFiles, AWorkspaceBelowACoverKeepsItsPath) {
  std::string pattern = "/dev/shm/helve-sandbox-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) GTEST_SKIP() << "no /dev/shm";
  own(pattern);
  plan_.workspace = pattern;
  EXPECT_EQ(good("echo x > file && pwd && ls /dev/shm"),
            concat(pattern, "\n", std::filesystem::path(pattern).filename().string(), "\n"));
  EXPECT_TRUE(std::filesystem::exists(pattern + "/file"));
  std::filesystem::remove_all(pattern);
}

TEST_P(SandboxFiles, SupportsAWorkspaceOutsideTmp) {
  std::string pattern = "/opt/helve-sandbox-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) GTEST_SKIP() << "cannot write to /opt";
  own(pattern);
  plan_.workspace = pattern;
  const Outcome inside = shell("echo x > file && cat file && ! echo x > ../helve-test-file");
  const Outcome on_top = shell("rm -rf ../$(basename $PWD); cd / && rmdir $OLDPWD");
  EXPECT_EQ(inside.exit_code, 0) << inside.output;
  EXPECT_NE(on_top.exit_code, 0) << on_top.output;
  EXPECT_TRUE(std::filesystem::exists(pattern));
  std::filesystem::remove_all(pattern);
}

TEST_P(SandboxFiles, RefusesTheWholeFileSystemAsWorkspace) {
  plan_.workspace = "/";
  const Outcome outcome = shell("true");
  EXPECT_EQ(outcome.exit_code, kNotLaunched);
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("nothing would be left to protect"));
  plan_.level = Level::kReadOnly;
  good("test -d /etc");
  refused("touch /helve-test-file");
}

TEST_P(SandboxFiles, RefusesAWritablePathThatBecameASymlink) {
  std::filesystem::remove(at("outside"));
  std::filesystem::create_directory_symlink("/etc", at("outside"));
  plan_.writable = {at("outside")};
  const Outcome outcome = shell("true");
  EXPECT_EQ(outcome.exit_code, kNotLaunched);
  EXPECT_THAT(outcome.output, ::testing::HasSubstr("now contains a symlink"));
}

TEST_P(SandboxFiles, TheCommandDoesNotInheritDescriptors) {
  Launch with_handle = launch();
  with_handle.before = [] { static_cast<void>(::dup2(::open("/", O_RDONLY | O_DIRECTORY), 9)); };
  const Outcome outcome = run_shell(plan_, "ls /proc/self/fd/9/etc", with_handle);
  EXPECT_NE(outcome.exit_code, 0);
}

}  // namespace
}  // namespace helve::sandbox
