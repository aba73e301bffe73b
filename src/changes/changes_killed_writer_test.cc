// A writer that waits for the files of another one, which is killed halfway: the interrupted change is
// settled first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>

#include "changes/changes_testing.h"
#include "changes/kill_points_testing.h"

namespace helve::changes {
namespace {

// Another thread of this process, up to where it sleeps between two attempts to lock or to its end.
class Writer {
 public:
  void start(std::function<void()> write) {
    thread_ = std::thread([this, write = std::move(write)] {
      id_ = ::gettid();
      write();
      is_done_ = true;
    });
    while (!is_done_ && !is_asleep()) std::this_thread::yield();
  }
  void join() { thread_.join(); }

 private:
  [[nodiscard]] bool is_asleep() const {
    if (id_ == 0) return false;
    std::ifstream file(concat("/proc/self/task/", id_.load(), "/syscall"));
    long call = -1;
    file >> call;
    return call == SYS_clock_nanosleep || call == SYS_nanosleep;
  }

  std::thread thread_;
  std::atomic<pid_t> id_ = 0;
  std::atomic<bool> is_done_ = false;
};

bool patch_both(ChangesBench& bench) {
  return bench.commit({bench.write("a.txt", "patched a\n"), bench.write("b.txt", "patched b\n")}).has_value();
}

// Patches both files in a process that is killed before the second one is replaced. Calls `between` then,
// while it still holds its locks.
void patch_half(ChangesBench& bench, const std::function<void()>& between) {
  // Without a kill, to count the system calls before that.
  std::size_t calls = 0;
  std::size_t exchanges = 0;
  std::size_t second = 0;
  ChangesBench scratch;
  scratch.files().write("a.txt", "old a\n");
  scratch.files().write("b.txt", "old b\n");
  TracedRun([&] {
    return patch_both(scratch) ? 0 : 1;
  }).kill_at(100'000, [&](long call, const std::uint64_t*) {
    ++calls;
    if (call == SYS_renameat2 && ++exchanges == 2) second = calls;
    return 0;
  });
  ASSERT_GT(second, 0U);
  calls = 0;
  const KillPoint killed =
      TracedRun([&] { return patch_both(bench) ? 0 : 1; }).kill_at(second, [&](long, const std::uint64_t*) {
        if (++calls == second - 1) between();
        return 0;
      });
  ASSERT_EQ(killed.system_call, SYS_renameat2);
}

TEST(ChangesKilledWriter, TheNextWriterOfAFileKeepsNoHalfOfThePatch) {
  ChangesBench bench;
  bench.files().write("a.txt", "old a\n");
  bench.files().write("b.txt", "old b\n");
  Expected<Committed> written;
  Writer writer;
  patch_half(bench, [&] {
    writer.start([&] { written = bench.commit({bench.write("a.txt", "patched a\nand more\n")}); });
  });
  writer.join();
  // It had read half a patch, which recovery undid before it could write.
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kFileChanged) << written.error().message;
  EXPECT_THAT(bench.tree(), testing::ElementsAre("a.txt=old a\n", "b.txt=old b\n"));
  EXPECT_THAT(bench.leftovers(), testing::IsEmpty());
}

}  // namespace
}  // namespace helve::changes
