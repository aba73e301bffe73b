// Change sets when the disk is full or fails, or the state directory is not writable.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <csignal>
#include <cstdio>
#include <set>

#include "changes/changes_testing.h"
#include "changes/kill_points_testing.h"

namespace helve::changes {
namespace {

using Tree = std::vector<std::string>;

constexpr int kMade = 0;
constexpr int kRefused = 1;
constexpr int kUnknown = 2;

int code_of(const auto& result) {
  if (result) return kMade;
  return result.error().code == ErrorCode::kOutcomeUnknown ? kUnknown : kRefused;
}

bool is_file_call(long call) {
  static const std::set<long> calls{SYS_read,      SYS_pread64,   SYS_write,   SYS_pwrite64,   SYS_pwritev,
                                    SYS_openat,    SYS_openat2,   SYS_fstat,   SYS_newfstatat, SYS_fsync,
                                    SYS_ftruncate, SYS_fchmod,    SYS_linkat,  SYS_unlinkat,   SYS_renameat,
                                    SYS_renameat2, SYS_mkdirat,   SYS_mkdir,   SYS_getdents64, SYS_flock,
                                    SYS_fcntl,     SYS_fallocate, SYS_pwritev2};
  return calls.contains(call);
}

void build(ChangesBench& bench) {
  bench.files().write("edit.txt", "one\ntwo\nthree\n");
  bench.files().write("gone.txt", std::string(6'000, 'g'));
  bench.files().write("from.txt", "moved\n");
}

// Without directories: an empty one that could not be removed is harmless.
Tree files_of(const ChangesBench& bench) {
  Tree all = bench.tree();
  std::erase_if(all, [](const std::string& entry) { return entry.ends_with('/'); });
  return all;
}

// Makes every file system call of `act` fail in turn. Success must leave the new state, refusal the old one,
// and recovery no partial state.
void try_all(const char* name, int error_number, const std::function<int(ChangesBench&)>& act,
             const std::function<void(ChangesBench&)>& prepare = build) {
  constexpr ChangeOptions kOptions{.durability = workspace::Durability::kFull};
  Tree before;
  Tree after;
  {
    ChangesBench bench({.durability = workspace::Durability::kNone});
    prepare(bench);
    before = files_of(bench);
    ASSERT_EQ(act(bench), kMade);
    after = files_of(bench);
  }
  std::unique_ptr<ChangesBench> bench;
  std::size_t refusals = 0;
  const std::size_t failures = for_each_failing_call(
      error_number, is_file_call,
      [&] {
        bench = std::make_unique<ChangesBench>(kOptions);
        prepare(*bench);
      },
      [&] { return act(*bench); },
      [&](const KillPoint& point) {
        SCOPED_TRACE(testing::Message()
                     << "failed: file call " << point.number << ", system call number " << point.system_call);
        refusals += point.exit_code == kRefused ? 1 : 0;
        EXPECT_FALSE(point.exit_code == kMade && point.system_call == SYS_fsync);
        Tree now = files_of(*bench);
        if (point.exit_code == kMade && point.system_call != SYS_unlinkat) {
          EXPECT_EQ(now, after);
        }
        // The failed call may have been the removal of a temporary file or an empty directory.
        if (point.exit_code == kRefused && point.system_call != SYS_unlinkat) {
          EXPECT_EQ(now, before);
        }
        const auto recovered = bench->changes().recover();
        ASSERT_TRUE(recovered) << recovered.error().message;
        if (point.system_call == SYS_unlinkat) return;
        now = files_of(*bench);
        EXPECT_TRUE(now == before || now == after) << testing::PrintToString(now);
        EXPECT_EQ(bench->leftovers(), Tree{});
      });
  std::printf("%s: %zu failing calls, %zu refusals\n", name, failures, refusals);
#ifdef __x86_64__
  EXPECT_GT(failures, 50U / kKillStride);
  EXPECT_GT(refusals, 10U / kKillStride);
#endif
}

TEST(ChangesFault, EveryFailingCallOfACommitIsReported) {
  try_all("commit, EIO", EIO, [](ChangesBench& bench) {
    return code_of(
        bench.commit({bench.write("new/a.txt", "new\n"), bench.write("edit.txt", "one\n2\nthree\n"),
                      bench.remove("gone.txt"), bench.move("from.txt", "to.txt", "changed\n")}));
  });
  try_all("one file, ENOSPC", ENOSPC, [](ChangesBench& bench) {
    return code_of(bench.commit({bench.write("gone.txt", std::string(7'000, 'h'))}));
  });
}

TEST(ChangesFault, EveryFailingCallOfAnUndoIsReported) {
  try_all(
      "undo, EIO", EIO, [](ChangesBench& bench) { return code_of(bench.undo()); },
      [](ChangesBench& bench) {
        build(bench);
        EXPECT_TRUE(bench.commit({bench.write("new/a.txt", "new\n"), bench.write("edit.txt", "2\n"),
                                  bench.remove("gone.txt"), bench.move("from.txt", "to.txt", "x\n")}));
      });
}

TEST(ChangesFault, AFileThatGetsTooLargeLeavesAllFilesUnchanged) {
  ChangesBench bench;
  build(bench);
  const Tree before = bench.tree();
  const std::vector<FileChange> set{bench.write("edit.txt", "changed\n"), bench.remove("gone.txt"),
                                    bench.write("large.txt", std::string(100'000, 'x'))};
  rlimit limit;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{50'000, limit.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto done = bench.commit(set);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "Cannot write large.txt: the file would be larger than the file system or a limit allows. "
            "All files are as they were before.");
  EXPECT_EQ(bench.tree(), before);
  EXPECT_EQ(bench.leftovers(), Tree{});
}

// Runs in a child with its own small file system on the directory; 77 when the kernel does not allow it.
template <class Check>
int in_small_file_system(const std::string& directory, const Check& check) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(77);
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=64k") != 0) ::_exit(77);
    ::_exit(check() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ChangesFault, AFullStateDirectoryRefusesTheChange) {
  ChangesBench bench;
  bench.files().write("a.txt", std::string(100'000, 'a'));
  const int result = in_small_file_system(bench.state(), [&] {
    const auto done = bench.commit({bench.write("a.txt", "b")});
    if (!done) std::printf("%s\n", done.error().message.c_str());
    return !done &&
           done.error().message ==
               "Cannot write the history (in Helve's state directory): the disk is full. Nothing was "
               "changed." &&
           bench.files().read("a.txt").size() == 100'000 && bench.leftovers().empty();
  });
  if (result == 77) GTEST_SKIP() << "mount namespaces are not available";
  EXPECT_EQ(result, 0);
}

TEST(ChangesFault, ADiskThatFillsUpLeavesAllFilesUnchanged) {
  ChangesBench bench;
  const int result = in_small_file_system(bench.files().path(), [&] {
    const auto root = workspace::Root::open(bench.files().path());
    auto changes = Changes::open(*root, bench.state(), {.durability = workspace::Durability::kNone});
    const std::string large(200'000, 'x');
    std::vector<FileChange> set(2);
    set[0].path = "small.txt";
    set[0].content = std::vector<std::string_view>{"small"};
    set[1].path = "large.txt";
    set[1].content = std::vector<std::string_view>{large};
    const auto done = changes->commit({"s"}, set);
    if (!done) std::printf("%s\n", done.error().message.c_str());
    return !done &&
           done.error().message ==
               "Cannot write large.txt: the disk is full. All files are as they were before." &&
           bench.tree().empty() && bench.leftovers().empty();
  });
  if (result == 77) GTEST_SKIP() << "mount namespaces are not available";
  EXPECT_EQ(result, 0);
}

TEST(ChangesFault, AnUnwritableStateDirectoryRefusesOrProceedsAsConfigured) {
  TestDirectory files;
  TestDirectory state;
  ::chmod(files.path().c_str(), 0777);
  ::chmod(state.path().c_str(), 0555);
  EXPECT_TRUE(holds_for_ordinary_user([&] {
    const auto root = workspace::Root::open(files.path());
    std::vector<FileChange> set(2);
    set[0].path = "a.txt";
    set[0].content = std::vector<std::string_view>{"a"};
    set[1].path = "b.txt";
    set[1].content = std::vector<std::string_view>{"b"};
    auto strict = Changes::open(*root, state.path());
    const auto refused = strict->commit({"s"}, set);
    if (refused ||
        !refused.error().message.ends_with("Nothing was changed, because it could not be undone.") ||
        refused.error().code != ErrorCode::kPermissionDenied || !files.names().empty())
      return false;
    auto lax =
        Changes::open(*root, state.path(), {.without_history = ChangeOptions::WithoutHistory::kProceed});
    const auto done = lax->commit({"s"}, set);
    if (!done || done->not_undoable.empty() || !done->change_id.empty() || files.read("b.txt") != "b")
      return false;
    // Still all or nothing.
    set[0].path = "c.txt";
    return !lax->commit({"s"}, set) && files.names() == Tree{"a.txt", "b.txt"};
  }));
  ::chmod(state.path().c_str(), 0755);
}

TEST(ChangesFault, AReadOnlyDirectoryLeavesAllFilesUnchanged) {
  TestDirectory files;
  TestDirectory state;
  files.write("sub/a.txt", "a");
  ::chmod(files.path().c_str(), 0777);
  ::chmod(files.at("sub").c_str(), 0555);
  ::chmod(files.at("sub/a.txt").c_str(), 0666);
  ::chmod(state.path().c_str(), 0777);
  EXPECT_TRUE(holds_for_ordinary_user([&] {
    const auto root = workspace::Root::open(files.path());
    auto changes = Changes::open(*root, state.path());
    std::vector<FileChange> set(2);
    set[0].path = "new.txt";
    set[0].content = std::vector<std::string_view>{"n"};
    set[1].path = "sub/a.txt";
    set[1].content = std::vector<std::string_view>{"b"};
    set[1].expected = workspace::ExpectedState::of_content({}, "a");
    const auto done = changes->commit({"s"}, set);
    return !done && done.error().code == ErrorCode::kPermissionDenied && !files.exists("new.txt") &&
           files.read("sub/a.txt") == "a" && changes->list({})->total == 0;
  }));
  ::chmod(files.at("sub").c_str(), 0755);
}

}  // namespace
}  // namespace helve::changes
