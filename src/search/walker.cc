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

// A small tree is done before another thread has started: a file takes about five microseconds, a thread a
// hundred.
constexpr std::size_t kEntriesForThreads = 64;
constexpr std::chrono::microseconds kTimeForThreads{200};
constexpr std::size_t kShownUnreadable = 10;

// What of `after` concerns the inside of `start`.
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

// Moves a new thread to a processor other than ours, and then lets it go wherever it may. Schedulers can
// leave it behind the one that made it until their next tick, which is longer than a small tree takes.
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

// Threads beside the caller's, started when the tree proves large enough.
class Helpers {
 public:
  Helpers(const WalkShared& shared, unsigned threads) : shared_(shared), threads_(threads) {}
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  ~Helpers() { join(); }

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
        return;  // no more threads to be had: those that there are do the work
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

Expected<WalkReport> walk(const Root& root, const WalkOptions& options, Visitor& visitor) {
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
        root.path(), options.environment ? *options.environment : IgnoreEnvironment::of_process());
  }
  WalkWorker caller(shared, 0);
  caller.begin(start->path, ignore, resume.inside);
  Helpers helpers(shared, walk_threads(options.threads));
  helpers.start_if_worthwhile();
  caller.run([&] { helpers.start_if_worthwhile(); });
  helpers.join();
  tasks.rethrow_failure();

  caller.add_to(report);
  helpers.add_to(report);
  report.files = tasks.committed_entries();
  report.stopped = tasks.was_stopped();
  std::ranges::sort(report.first_unreadable, {}, &WalkReport::Unreadable::path);
  if (report.first_unreadable.size() > kShownUnreadable) report.first_unreadable.resize(kShownUnreadable);
  return report;
}

}  // namespace helve::search
