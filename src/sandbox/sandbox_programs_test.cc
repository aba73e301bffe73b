#include "sandbox/testing.h"

namespace helve::sandbox {
namespace {

// Common programs must work as they do without a sandbox.
class SandboxPrograms : public SandboxTest {
 protected:
  [[nodiscard]] static bool installed(const char* program) {
    return std::system(concat("command -v ", program, " > /dev/null").c_str()) == 0;
  }
};
HELVE_SANDBOX_TEST_AS_BOTH_USERS(SandboxPrograms);

TEST_P(SandboxPrograms, CompilesAndRunsAProgram) {
  if (!installed("gcc")) GTEST_SKIP() << "no gcc";
  write("workspace/main.c", "#include <stdio.h>\nint main(void) { puts(\"hello\"); }\n");
  EXPECT_EQ(good("gcc -pipe main.c -o main && ./main && gcc main.c -o other && ./other"), "hello\nhello\n");
}

TEST_P(SandboxPrograms, GitCommitsInARepositoryWithProtectedParts) {
  if (!installed("git")) GTEST_SKIP() << "no git";
  const std::string home =
      "export HOME=/tmp GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a "
      "GIT_COMMITTER_EMAIL=a@b; ";
  good(home + "git init -q .");
  plan_.protected_paths = {at("workspace/.git/hooks"), at("workspace/.git/config"), at("workspace/.helve"),
                           at("workspace/.git/info/attributes")};
  plan_.pinned = {at("workspace/.git")};
  EXPECT_EQ(
      good(home + "echo 1 > file; git status --short; git add -A; git commit -qm one; git log --format=%s; "
                  "git checkout -qb other; git mv file moved; git commit -qm two; git stash -q 2>/dev/null; "
                  "git gc -q; git status --short; git branch -D master 2>&1 | grep -c Deleted || true"),
      "?? file\none\n1\n");
  refused(home + "git config core.hooksPath /tmp");
  refused(home + "git config core.fsmonitor x");
}

TEST_P(SandboxPrograms, InterpretersStart) {
  if (installed("node")) {
    EXPECT_EQ(good("node -e 'console.log(1 + 1)'"), "2\n");
  }
  EXPECT_EQ(good("python3 -c 'import multiprocessing as m; print(sum(m.Pool(2).map(abs, [-1, 2])))'"), "3\n");
}

TEST_P(SandboxPrograms, OrdinaryToolsWork) {
  good("ps aux && mktemp && mktemp -d && df . && free && id && env && date && uname -a && nproc");
  EXPECT_EQ(good("seq 300000 | sort -r -S 1M | head -1"), "99999\n");
  EXPECT_EQ(good("exec 3< <(echo sub); cat <&3; cat <<< here; echo a | tee /dev/stderr 2>/dev/null"),
            "sub\nhere\na\n");
  EXPECT_EQ(
      good("tar -c -C / etc/passwd 2>/dev/null | tar -x && test -s etc/passwd && flock file echo locked"),
      "locked\n");
}

TEST_P(SandboxPrograms, DebuggersWorkOnOwnProcesses) {
  if (!installed("strace") || !installed("gdb")) GTEST_SKIP() << "no strace or gdb";
  good("strace -f -o trace true && grep -q exit_group trace");
  if (installed("gcc")) {
    write("workspace/main.c", "int value = 41; int main(void) { return value; }\n");
    const std::string output = good(
        "gcc -g main.c -o main && HOME=/tmp gdb -q -batch -ex 'break main' -ex run -ex 'set var value = 42' "
        "-ex continue "
        "./main 2>&1");
    EXPECT_THAT(output, ::testing::HasSubstr("exited with code 052"));
  }
}

TEST_P(SandboxPrograms, RootSeesAndChangesOwners) {
  if (GetParam() != Who::kRoot) GTEST_SKIP() << "needs root";
  write("workspace/file", "x");
  ASSERT_EQ(::chown(at("workspace/file").c_str(), 1234, 2345), 0);
  EXPECT_EQ(good("stat -c %u:%g file; chown 4321:1 file; stat -c %u:%g file"), "1234:2345\n4321:1\n");
  EXPECT_EQ(good("setpriv --reuid 1234 --regid 1234 --clear-groups id -u"), "1234\n");
}

}  // namespace
}  // namespace helve::sandbox
