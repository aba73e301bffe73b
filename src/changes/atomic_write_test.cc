#include "changes/atomic_write.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/xattr.h>

#include <sched.h>
#include <csignal>
#include <deque>

#include "base/test_directory.h"
#include "workspace/root.h"
#include "workspace/temporary_file.h"

namespace helve::changes {
namespace {

using Names = std::vector<std::string>;

class AtomicWriteTest : public ::testing::Test {
 protected:
  AtomicWriteTest() : root_(std::move(*workspace::Root::open(directory_.path()))) {}

  [[nodiscard]] workspace::WriteTarget target(std::string_view path) const {
    return std::move(*root_.open_parent(path));
  }
  // The expectation of a caller that has just read the file.
  [[nodiscard]] workspace::ExpectedState seen(std::string_view path) const {
    const auto file = root_.open_read(path);
    const std::string& bytes = seen_.emplace_back(directory_.read(path));
    return workspace::ExpectedState::of_content(workspace::identity_of(file->status), bytes);
  }
  static std::string reason(const Expected<WriteOutcome>& outcome) {
    if (outcome) return "written";
    const Json* found = outcome.error().details.find("reason");
    return found == nullptr ? outcome.error().message : found->as_string();
  }

  TestDirectory directory_;
  workspace::Root root_;
  mutable std::deque<std::string> seen_;  // the bytes that the states refer to
};

TEST_F(AtomicWriteTest, CreatesAFile) {
  const auto outcome = atomic_write(target("new.txt"), "hello\n", workspace::ExpectedState::absent());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->created);
  EXPECT_TRUE(outcome->changed);
  EXPECT_EQ(outcome->identity, workspace::identity_of(root_.stat("new.txt")->status));
  EXPECT_EQ(directory_.read("new.txt"), "hello\n");
  EXPECT_EQ(directory_.names(), Names{"new.txt"});
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(root_.stat("new.txt")->status.st_mode & 0777, 0666 & ~mask);
}

TEST_F(AtomicWriteTest, ReplacesAFileInEveryDurability) {
  for (const workspace::Durability durability :
       {workspace::Durability::kFull, workspace::Durability::kFile, workspace::Durability::kNone}) {
    directory_.write("a.txt", "old");
    const auto outcome = atomic_write(target("a.txt"), "new", seen("a.txt"), {.durability = durability});
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_FALSE(outcome->created);
    EXPECT_TRUE(outcome->changed);
    EXPECT_EQ(outcome->not_kept, Names{});
    EXPECT_EQ(outcome->identity, workspace::identity_of(root_.stat("a.txt")->status));
    EXPECT_EQ(directory_.read("a.txt"), "new");
    EXPECT_EQ(directory_.names(), Names{"a.txt"});
  }
}

TEST_F(AtomicWriteTest, WritesManyPiecesInOrder) {
  directory_.write("a.txt", "old");
  std::vector<std::string> parts;
  for (int i = 0; i < 5000; ++i) parts.push_back(i % 7 == 0 ? "" : std::to_string(i) + ",");
  const std::vector<std::string_view> pieces(parts.begin(), parts.end());
  std::string whole;
  for (const std::string& part : parts) whole += part;
  ASSERT_TRUE(atomic_write(target("a.txt"), pieces, seen("a.txt")));
  EXPECT_EQ(directory_.read("a.txt"), whole);
}

TEST_F(AtomicWriteTest, LeavesAFileWithTheSameContentAlone) {
  directory_.write("a.txt", "same");
  const workspace::FileIdentity before = workspace::identity_of(root_.stat("a.txt")->status);
  const auto by_hash = atomic_write(target("a.txt"), "same", seen("a.txt"));
  ASSERT_TRUE(by_hash);
  EXPECT_FALSE(by_hash->changed);
  const std::vector<std::string_view> pieces{"sa", "", "me"};
  const auto by_content =
      atomic_write(target("a.txt"), pieces, workspace::ExpectedState::of_content(before, "same"));
  ASSERT_TRUE(by_content);
  EXPECT_FALSE(by_content->changed);
  EXPECT_EQ(workspace::identity_of(root_.stat("a.txt")->status), before);
}

TEST_F(AtomicWriteTest, RefusesAFileThatChangedMeanwhile) {
  directory_.write("a.txt", "old");
  const workspace::ExpectedState state = seen("a.txt");
  directory_.write("a.txt", "theirs");
  const auto outcome = atomic_write(target("a.txt"), "mine", state);
  EXPECT_EQ(reason(outcome), "changed");
  EXPECT_EQ(outcome.error().code, ErrorCode::kConflict);
  EXPECT_EQ(outcome.error().message,
            "a.txt was changed by someone else since it was read. Nothing was written.");
  EXPECT_EQ(directory_.read("a.txt"), "theirs");
  EXPECT_EQ(directory_.names(), Names{"a.txt"});
}

TEST_F(AtomicWriteTest, DetectsAChangeThatKeepsTheIdentity) {
  directory_.write("a.txt", "old");
  const auto state = root_.stat("a.txt")->status;
  // As on a coarse clock: the content was read as "OLD", but the identity is the current one.
  const auto outcome = atomic_write(
      target("a.txt"), "mine", workspace::ExpectedState::of_content(workspace::identity_of(state), "OLD"));
  EXPECT_EQ(reason(outcome), "changed");
  EXPECT_EQ(directory_.read("a.txt"), "old");
  EXPECT_EQ(directory_.names(), Names{"a.txt"});
  EXPECT_EQ(root_.stat("a.txt")->status.st_ino, state.st_ino);
}

TEST_F(AtomicWriteTest, AcceptsAFileThatWasOnlyTouchedOrSavedAgain) {
  directory_.write("a.txt", "old");
  const workspace::ExpectedState state = seen("a.txt");
  ::utimensat(AT_FDCWD, directory_.at("a.txt").c_str(), nullptr, 0);
  directory_.write("b.txt", "old");
  std::filesystem::rename(directory_.at("b.txt"), directory_.at("a.txt"));
  EXPECT_EQ(reason(atomic_write(target("a.txt"), "mine", state)), "written");
}

TEST_F(AtomicWriteTest, RefusesAFileThatAppearedOrDisappeared) {
  const workspace::WriteTarget fresh = target("a.txt");
  directory_.write("a.txt", "theirs");
  EXPECT_EQ(reason(atomic_write(fresh, "mine", workspace::ExpectedState::absent())), "created");
  const workspace::ExpectedState state = seen("a.txt");
  std::filesystem::remove(directory_.at("a.txt"));
  EXPECT_EQ(reason(atomic_write(fresh, "mine", state)), "deleted");
  directory_.link("elsewhere", "a.txt");
  EXPECT_EQ(reason(atomic_write(fresh, "mine", state)), "changed");
  EXPECT_EQ(reason(atomic_write(fresh, "mine", workspace::ExpectedState::absent())), "created");
  EXPECT_EQ(directory_.names(), Names{"a.txt"});
}

TEST_F(AtomicWriteTest, KeepsALinkAndWritesItsTarget) {
  directory_.write("sub/real.txt", "old");
  directory_.link("sub/real.txt", "link");
  ASSERT_TRUE(atomic_write(target("link"), "new", seen("link")));
  EXPECT_TRUE(std::filesystem::is_symlink(directory_.at("link")));
  EXPECT_EQ(directory_.read("sub/real.txt"), "new");
}

TEST_F(AtomicWriteTest, KeepsModeOwnerAndAttributes) {
  directory_.write("a.sh", "old");
  ::chmod(directory_.at("a.sh").c_str(), 0751);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(directory_.at("a.sh").c_str(), 1234, 2345), 0);
  }
  const bool has_attributes = ::setxattr(directory_.at("a.sh").c_str(), "user.note", "hello", 5, 0) == 0;
  const auto outcome = atomic_write(target("a.sh"), "new", seen("a.sh"));
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->not_kept, Names{});
  const struct stat status = root_.stat("a.sh")->status;
  EXPECT_EQ(status.st_mode & 07777, 0751U);
  if (::geteuid() == 0) {
    EXPECT_EQ(std::pair(status.st_uid, status.st_gid), std::pair(1234U, 2345U));
  }
  char value[8] = {};
  if (has_attributes) {
    EXPECT_EQ(::getxattr(directory_.at("a.sh").c_str(), "user.note", value, sizeof value), 5);
    EXPECT_STREQ(value, "hello");
  }
}

// user::rw-, user:4321:rwx, group::r--, mask::rwx, other::---, as the kernel stores it.
std::string access_list() {
  std::string bytes("\x02\0\0\0", 4);
  const auto entry = [&](int tag, int permissions, unsigned id) {
    for (const unsigned value : {static_cast<unsigned>(tag), static_cast<unsigned>(permissions)})
      for (int i = 0; i < 2; ++i) bytes += static_cast<char>(value >> (8 * i));
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(id >> (8 * i));
  };
  entry(1, 6, ~0U);
  entry(2, 7, 4321);
  entry(4, 4, ~0U);
  entry(16, 7, ~0U);
  entry(32, 0, ~0U);
  return bytes;
}

TEST_F(AtomicWriteTest, KeepsAccessLists) {
  directory_.write("a.txt", "old");
  const std::string list = access_list();
  if (::setxattr(directory_.at("a.txt").c_str(), "system.posix_acl_access", list.data(), list.size(), 0) != 0)
    GTEST_SKIP() << "the file system has no access control lists";
  const mode_t mode = root_.stat("a.txt")->status.st_mode;
  ASSERT_TRUE(atomic_write(target("a.txt"), "new", seen("a.txt")));
  std::string kept(100, '\0');
  const ssize_t size =
      ::getxattr(directory_.at("a.txt").c_str(), "system.posix_acl_access", kept.data(), kept.size());
  ASSERT_EQ(size, static_cast<ssize_t>(list.size()));
  EXPECT_EQ(kept.substr(0, list.size()), list);
  EXPECT_EQ(root_.stat("a.txt")->status.st_mode, mode);
}

TEST_F(AtomicWriteTest, DoesNotGiveAFileTheDirectorysAccessList) {
  const std::string list = access_list();
  directory_.make("d");
  directory_.write("d/a.txt", "old");
  ::chmod(directory_.at("d/a.txt").c_str(), 0640);
  if (::setxattr(directory_.at("d").c_str(), "system.posix_acl_default", list.data(), list.size(), 0) != 0)
    GTEST_SKIP() << "the file system has no access control lists";
  ASSERT_TRUE(atomic_write(target("d/a.txt"), "new", seen("d/a.txt")));
  EXPECT_EQ(::getxattr(directory_.at("d/a.txt").c_str(), "system.posix_acl_access", nullptr, 0), -1);
  EXPECT_EQ(root_.stat("d/a.txt")->status.st_mode & 0777, 0640U);
  // A new file inherits it, as with any program.
  ASSERT_TRUE(atomic_write(target("d/b.txt"), "new", workspace::ExpectedState::absent()));
  EXPECT_GT(::getxattr(directory_.at("d/b.txt").c_str(), "system.posix_acl_access", nullptr, 0), 0);
}

TEST_F(AtomicWriteTest, AsksBeforeWritingHardLinkedFiles) {
  directory_.write("a.txt", "old old old");
  std::filesystem::create_hard_link(directory_.at("a.txt"), directory_.at("b.txt"));
  const auto refused = atomic_write(target("a.txt"), "new", seen("a.txt"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(refused.error().kind, ErrorKind::kHardLinked);
  EXPECT_EQ(directory_.read("a.txt"), "old old old");

  const WriteOptions in_place{.hard_links = HardLinks::kWriteInPlace};
  const auto shorter = atomic_write(target("a.txt"), "new", seen("a.txt"), in_place);
  ASSERT_TRUE(shorter) << shorter.error().message;
  EXPECT_TRUE(shorter->in_place);
  EXPECT_EQ(directory_.read("b.txt"), "new");
  ASSERT_TRUE(atomic_write(target("a.txt"), "longer than before", seen("b.txt"), in_place));
  EXPECT_EQ(directory_.read("b.txt"), "longer than before");
  EXPECT_EQ(root_.stat("a.txt")->status.st_nlink, 2U);
  const workspace::ExpectedState stale = seen("a.txt");
  directory_.write("b.txt", "theirs");
  EXPECT_EQ(reason(atomic_write(target("a.txt"), "mine", stale, in_place)), "changed");
}

TEST_F(AtomicWriteTest, RefusesAFileThatAnotherProgramIsWriting) {
  directory_.write("server.log", "line 1\n");
  const workspace::ExpectedState state = seen("server.log");
  const UniqueFd writer(::open(directory_.at("server.log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  const auto outcome = atomic_write(target("server.log"), "", state);
  EXPECT_EQ(reason(outcome), "open_for_writing");
  ASSERT_EQ(::write(writer.get(), "line 2\n", 7), 7);
  EXPECT_EQ(directory_.read("server.log"), "line 1\nline 2\n");
  EXPECT_EQ(directory_.names(), Names{"server.log"});
}

TEST_F(AtomicWriteTest, GivesUpOnAFileThatStaysLocked) {
  directory_.write("a.txt", "old");
  const UniqueFd holder(::open(directory_.at("a.txt").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(holder.get(), LOCK_EX), 0);
  const auto outcome =
      atomic_write(target("a.txt"), "new", seen("a.txt"), {.lock_wait = std::chrono::milliseconds(20)});
  EXPECT_EQ(reason(outcome), "locked");
  EXPECT_TRUE(outcome.error().transient);
}

TEST_F(AtomicWriteTest, LeavesNothingWhenTheFileIsTooLarge) {
  directory_.write("a.txt", "old");
  const workspace::ExpectedState state = seen("a.txt");
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string large(100'000, 'x');
  const auto replaced = atomic_write(target("a.txt"), large, state);
  const auto created = atomic_write(target("b.txt"), large, workspace::ExpectedState::absent());
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().message,
            "Cannot write a.txt: the file would be larger than the file system or a limit allows. "
            "The old content is intact.");
  EXPECT_FALSE(created);
  EXPECT_EQ(directory_.read("a.txt"), "old");
  EXPECT_EQ(directory_.names(), Names{"a.txt"});
}

// Allows an ordinary user to mount file systems that only this process sees.
bool enter_own_mount_namespace() {
  if (::geteuid() == 0) return ::unshare(CLONE_NEWNS) == 0;
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << user << ' ' << user << " 1";
  std::ofstream("/proc/self/gid_map") << group << ' ' << group << " 1";
  return ::geteuid() == std::stoul(user);
}

// Runs in a child with its own small file system on the directory; 77 when the kernel does not allow it.
template <class Check>
int in_small_file_system(const TestDirectory& directory, const Check& check) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!enter_own_mount_namespace()) ::_exit(77);
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=64k") != 0) ::_exit(77);
    ::_exit(check() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(AtomicWriteTest, ReportsAFullDiskAndKeepsTheOldContent) {
  const int result = in_small_file_system(directory_, [&] {
    const auto root = workspace::Root::open(directory_.path());
    directory_.write("a.txt", "old");
    const auto outcome = atomic_write(*root->open_parent("a.txt"), std::string(200'000, 'x'),
                                      workspace::ExpectedState::of_content({}, "old"));
    return !outcome &&
           outcome.error().message == "Cannot write a.txt: the disk is full. The old content is intact." &&
           directory_.read("a.txt") == "old" && directory_.names() == Names{"a.txt"};
  });
  if (result == 77) GTEST_SKIP() << "mount namespaces are not available";
  EXPECT_EQ(result, 0);
}

TEST_F(AtomicWriteTest, ReportsAReadOnlyFileSystem) {
  const int result = in_small_file_system(directory_, [&] {
    const auto root = workspace::Root::open(directory_.path());
    directory_.write("a.txt", "old");
    const auto target = root->open_parent("a.txt");
    if (::mount("tmpfs", directory_.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k") != 0)
      return true;
    const auto replaced = atomic_write(*target, "new", workspace::ExpectedState::of_content({}, "old"));
    const auto created = atomic_write(*root->open_parent("b.txt"), "new", workspace::ExpectedState::absent());
    const std::string_view words = "the file system is mounted read-only.";
    return !replaced && replaced.error().message.contains(words) && !created &&
           created.error().message.contains(words) && directory_.read("a.txt") == "old";
  });
  if (result == 77) GTEST_SKIP() << "mount namespaces are not available";
  EXPECT_EQ(result, 0);
}

TEST_F(AtomicWriteTest, ReportsAMissingPermission) {
  directory_.write("d/a.txt", "old");
  ::chmod(directory_.at("d").c_str(), 0555);
  EXPECT_TRUE(holds_for_ordinary_user([&] {
    const auto outcome = atomic_write(target("d/a.txt"), "new", seen("d/a.txt"));
    return !outcome && outcome.error().code == ErrorCode::kPermissionDenied &&
           outcome.error().message ==
               "Cannot write d/a.txt: the operating system denies it (no write permission). "
               "The old content is intact.";
  }));
  ::chmod(directory_.at("d").c_str(), 0755);
}

TEST_F(AtomicWriteTest, ReportsWhenTheOwnerCannotBeKept) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a file of another user";
  directory_.write("d/a.txt", "old");
  ::chmod(directory_.at("d").c_str(), 0777);
  EXPECT_TRUE(holds_for_ordinary_user([&] {
    const auto outcome = atomic_write(target("d/a.txt"), "new", seen("d/a.txt"));
    return outcome && outcome->not_kept == Names{"group 0", "owner 0"};
  }));
}

TEST_F(AtomicWriteTest, RemovesOnlyAbandonedTemporaryFiles) {
  directory_.write(".helve-tmp_abandoned", "half");
  directory_.write(".helve-notes", "mine");
  auto living = workspace::TemporaryFile::create(root_.fd(), "a.txt", 0600);
  ASSERT_TRUE(living);
  ASSERT_EQ(living->give_random_name(), 0);
  EXPECT_TRUE(workspace::is_temporary_name(living->name()));
  EXPECT_EQ(workspace::remove_abandoned_temporaries(root_.fd()), 1U);
  EXPECT_TRUE(directory_.exists(living->name()));
  EXPECT_TRUE(directory_.exists(".helve-notes"));
  EXPECT_FALSE(directory_.exists(".helve-tmp_abandoned"));
}

}  // namespace
}  // namespace helve::changes
