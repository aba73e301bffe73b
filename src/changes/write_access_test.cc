#include "changes/write_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "changes/changes_testing.h"

namespace helve::changes {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

void set_mode_of(const ChangesBench& bench, const std::string& name, mode_t mode) {
  ASSERT_EQ(::chmod(bench.files().at(name).c_str(), mode), 0);
}

TEST(WriteAccess, AReadOnlyFileIsNotReplaced) {
  ChangesBench bench;
  bench.files().write("a.txt", "old\n");
  set_mode_of(bench, "a.txt", 0444);
  for (const auto& change : {bench.write("a.txt", "new\n"), bench.move("a.txt", "b.txt", "new\n")}) {
    const auto refused = bench.commit({change});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
    EXPECT_EQ(refused.error().message, "a.txt is read-only (mode 0444). Nothing was written.");
    EXPECT_THAT(refused.error().hint, HasSubstr("chmod u+w a.txt"));
  }
  EXPECT_THAT(bench.tree(), testing::ElementsAre("a.txt=old\n"));
  EXPECT_THAT(bench.leftovers(), IsEmpty());
}

TEST(WriteAccess, AChangeThatMakesTheFileWritableIsMadeAndUndone) {
  ChangesBench bench;
  bench.files().write("a.txt", "old\n");
  set_mode_of(bench, "a.txt", 0444);
  FileChange change = bench.write("a.txt", "new\n");
  change.mode = 0644;
  ASSERT_TRUE(bench.commit({change}));
  ASSERT_TRUE(bench.undo());
  EXPECT_THAT(bench.tree(), testing::ElementsAre("a.txt=old\n"));
  EXPECT_EQ(bench.root().stat("a.txt")->status.st_mode & 07777, 0444U);
}

// Runs in a process of its own, which may change what it is.
int in_child(const std::function<bool()>& check) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(check() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool asks_and_then_writes_in_place(ChangesBench& bench, const std::string& path, std::string_view reason) {
  FileChange change = bench.write(path, "new\n");
  const auto refused = bench.commit({change});
  if (refused || refused.error().kind != ErrorKind::kHardLinked) return false;
  if (!refused.error().message.contains(reason)) return false;
  change.hard_links = HardLinks::kWriteInPlace;
  const auto written = bench.commit({change});
  if (!written || !written->files.front().in_place || bench.files().read(path) != "new\n") return false;
  return bench.undo() && bench.files().read(path) == "old\n" && bench.leftovers().empty();
}

TEST(WriteAccess, AFileInADirectoryThatIsNotWritableIsWrittenInPlaceOnlyWhenAsked) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs another user";
  ChangesBench bench;
  bench.files().write("d/a.txt", "old\n");
  set_mode_of(bench, "d", 0555);
  set_mode_of(bench, "d/a.txt", 0666);
  for (const std::string& path :
       {bench.files().path(), bench.state(), bench.state().substr(0, bench.state().rfind('/'))})
    ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
  EXPECT_EQ(in_child([&] {
              return ::setgid(65534) == 0 && ::setuid(65534) == 0 &&
                     asks_and_then_writes_in_place(bench, "d/a.txt",
                                                   "is in a directory that is not writable");
            }),
            0);
  set_mode_of(bench, "d", 0755);
}

TEST(WriteAccess, ABindMountedFileIsWrittenInPlaceOnlyWhenAsked) {
  ChangesBench bench;
  bench.files().write("a.txt", "mounted over\n");
  const TestDirectory elsewhere;
  elsewhere.write("source", "old\n");
  bool is_mounted = true;
  const int result = in_child([&] {
    is_mounted = ::unshare(CLONE_NEWNS) == 0 &&
                 ::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                 ::mount(elsewhere.at("source").c_str(), bench.files().at("a.txt").c_str(), nullptr, MS_BIND,
                         nullptr) == 0;
    if (!is_mounted) ::_exit(77);
    // The bench's root was opened in the old namespace.
    const auto root = workspace::Root::open(bench.files().path());
    auto changes = Changes::open(*root, bench.state(), {.durability = workspace::Durability::kNone});
    const std::string_view content = "new\n";
    FileChange change;
    change.path = "a.txt";
    change.content = std::vector<std::string_view>{content};
    change.expected = workspace::ExpectedState::of_content({}, "old\n");
    const auto refused = changes->commit({"s"}, std::span(&change, 1));
    if (refused || !refused.error().message.contains("is a mount point")) return false;
    change.hard_links = HardLinks::kWriteInPlace;
    const auto written = changes->commit({"s"}, std::span(&change, 1));
    if (!written || elsewhere.read("source") != "new\n") return false;
    return changes->undo({"s"}, {}).has_value() && elsewhere.read("source") == "old\n";
  });
  if (result == 77) GTEST_SKIP() << "mount namespaces are not available";
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace helve::changes
