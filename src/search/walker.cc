#include "search/walker.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/strings.h"
#include "search/walk_tasks.h"
#include "search/walk_worker.h"
#include "workspace/path_check.h"

namespace helve::search {
namespace {

// A small tree is finished before another thread has started: a file takes about 5 µs, starting a thread 100
// µs.
constexpr std::size_t kEntriesForThreads = 64;
constexpr std::chrono::microseconds kTimeForThreads{200};
constexpr std::size_t kShownUnreadable = 10;

// Where to resume inside `start`.
struct ResumePlace {
  bool nothing_left = false;
  std::string_view inside = {};
};

ResumePlace resume_in_start(std::string_view start, std::string_view after) {
  while (!start.empty() && !after.empty()) {
    const std::string_view wanted = start.substr(0, start.find('/'));
    const std::string_view reached = after.substr(0, after.find('/'));
    if (wanted != reached) return {.nothing_left = wanted < reached};
    start.remove_prefix(std::min(wanted.size() + 1, start.size()));
    after.remove_prefix(std::min(reached.size() + 1, after.size()));
  }
  return {.inside = after};
}

// Moves a new thread to another processor, then restores its affinity. Some schedulers leave a new thread on
// its creator's processor until the next tick, which is longer than a small tree takes.
void move_away(std::thread& thread) {
  cpu_set_t allowed;
  const int here = ::sched_getcpu();
  if (here < 0 || ::pthread_getaffinity_np(thread.native_handle(), sizeof allowed, &allowed) != 0) return;
  cpu_set_t elsewhere = allowed;
  CPU_CLR(static_cast<unsigned>(here), &elsewhere);
  if (CPU_COUNT(&elsewhere) == 0) return;
  ::pthread_setaffinity_np(thread.native_handle(), sizeof elsewhere, &elsewhere);
  ::pthread_setaffinity_np(thread.native_handle(), sizeof allowed, &allowed);
}

// The threads besides the caller's. They start when the tree proves large enough.
class ExtraThreads {
 public:
  ExtraThreads(const WalkShared& shared, unsigned threads) : shared_(shared), threads_(threads) {}
  ExtraThreads(const ExtraThreads&) = delete;
  ExtraThreads& operator=(const ExtraThreads&) = delete;
  ~ExtraThreads() { join(); }

  void start_if_worthwhile() {
    if (started_ || threads_ < 2) return;
    if (shared_.tasks.waiting() < 2) return;
    if (shared_.tasks.waiting_entries() < kEntriesForThreads &&
        std::chrono::steady_clock::now() - begun_ < kTimeForThreads)
      return;
    started_ = true;
    for (unsigned number = 1; number < threads_; ++number) {
      workers_.push_back(std::make_unique<WalkWorker>(shared_, number));
      try {
        running_.emplace_back([worker = workers_.back().get()] { worker->run([] {}); });
        move_away(running_.back());
      } catch (const std::system_error&) {
        workers_.pop_back();
        return;  // continue with the threads that did start
      }
    }
  }

  void join() {
    for (std::thread& thread : running_) thread.join();
    running_.clear();
  }
  void add_to(WalkReport& report) const {
    for (const auto& worker : workers_) worker->add_to(report);
  }

 private:
  const WalkShared& shared_;
  const unsigned threads_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  bool started_ = false;
  std::vector<std::unique_ptr<WalkWorker>> workers_;
  std::vector<std::thread> running_;
};

}  // namespace

unsigned walk_threads(unsigned wanted) {
  cpu_set_t allowed;
  if (wanted == 0 && ::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    wanted = static_cast<unsigned>(CPU_COUNT(&allowed));
  return std::clamp(wanted, 1U, kMostWalkThreads);
}

Expected<WalkReport> walk(const workspace::Root& root, const WalkOptions& options, Visitor& visitor) {
  auto start = root.open_directory(options.start.empty() ? "." : options.start);
  if (!start) return fail(start.error());
  if (start->path == ".") start->path.clear();
  WalkReport report;
  const ResumePlace resume = resume_in_start(start->path, options.after);
  if (resume.nothing_left || options.max_depth == 0) return report;

  const bool is_elsewhere = start->path.starts_with('/');
  const std::string root_prefix = is_elsewhere                 ? ""
                                  : root.path().ends_with('/') ? root.path()
                                                               : concat(root.path(), "/");
  WalkTasks tasks(visitor, options.most_batches_ahead);
  const WalkShared shared{options, visitor, tasks, root_prefix, start->fd.get(), start->path.size()};
  IgnoreLevelPtr ignore;
  if (!options.ignored) {
    const std::string absolute = concat(root_prefix, start->path);
    ignore = ignore_rules_above(
        absolute.size() > 1 && absolute.ends_with('/') ? absolute.substr(0, absolute.size() - 1) : absolute,
        options.environment ? *options.environment : IgnoreEnvironment::of_process());
  }
  WalkWorker caller(shared, 0);
  caller.begin(start->path, ignore, resume.inside);
  ExtraThreads extra_threads(shared, walk_threads(options.threads));
  extra_threads.start_if_worthwhile();
  caller.run([&] { extra_threads.start_if_worthwhile(); });
  extra_threads.join();
  tasks.rethrow_failure();

  caller.add_to(report);
  extra_threads.add_to(report);
  report.files = tasks.committed_entries();
  report.stopped = tasks.was_stopped();
  std::ranges::sort(report.first_unreadable, {}, &WalkReport::Unreadable::path);
  if (report.first_unreadable.size() > kShownUnreadable) report.first_unreadable.resize(kShownUnreadable);
  return report;
}

}  // namespace helve::search
