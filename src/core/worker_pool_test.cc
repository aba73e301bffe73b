#include "core/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <semaphore>
#include <thread>

namespace helve::core {
namespace {

using std::chrono::milliseconds;

std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

template <class Condition>
bool comes_true(const Condition& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

TEST(WorkerPool, ThreadsOfACrowdDoNotStay) {
  const auto before = threads();
  WorkerPool pool(milliseconds(20));
  std::counting_semaphore<> go(0);
  std::atomic<int> running = 0;
  constexpr int kCrowd = 30;
  for (int i = 0; i < kCrowd; ++i)
    ASSERT_TRUE(pool.start([&] {
      ++running;
      go.acquire();
      --running;
    }));
  EXPECT_TRUE(comes_true([&] { return running == kCrowd; })) << "all at once";
  go.release(kCrowd);
  EXPECT_TRUE(comes_true([&] { return threads() == before; }));
  std::atomic<bool> done = false;
  ASSERT_TRUE(pool.start([&] { done = true; }));
  EXPECT_TRUE(comes_true([&] { return done.load(); })) << "and new ones come when they are needed";
}

TEST(WorkerPool, JobsThatComeWhileThreadsGoAreAllDone) {
  std::atomic<int> done = 0;
  constexpr int kJobs = 2'000;
  {
    WorkerPool pool(std::chrono::milliseconds(0));
    for (int i = 0; i < kJobs; ++i) ASSERT_TRUE(pool.start([&] { ++done; }));
  }
  EXPECT_EQ(done, kJobs);
}

}  // namespace
}  // namespace helve::core
