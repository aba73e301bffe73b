#include "core/tool_run.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "base/strings.h"
#include "core/resource_queue.h"

namespace helve {
namespace {

// How long a tool may take to notice its stop before it is left behind.
constexpr auto kGrace = std::chrono::milliseconds(500);

// Owned by the waiting call and the running thread together, because either may end first.
struct GuardedRun {
  std::shared_ptr<const RegisteredTool> tool;
  Json arguments;
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable_any ended;
  std::optional<Result> result;
  bool left_behind = false;
};

Error left_behind_error(const ToolDefinition& definition, bool cancelled) {
  Error error{cancelled ? ErrorCode::kCancelled : ErrorCode::kTimeout,
              concat(definition.name, cancelled ? " was cancelled" : " did not finish in time",
                     " and does not stop; it was left behind.")};
  error.hint = definition.read_only() ? "Ask for less at once, or use another tool."
                                      : "It may still take effect. Look at what it did before you try again.";
  error.details = JsonObject{{"stillRunning", true}};
  return error;
}

}  // namespace

Result run_tool(const Tool& tool, Context& context, const Json& arguments) {
  const auto failed = [&](std::string_view what) {
    context.log().error("A tool failed unexpectedly", {{"tool", tool.definition().name}, {"error", what}});
    return fail(ErrorCode::kExecutionFailed,
                concat(tool.definition().name, " failed unexpectedly: ", what, "."),
                "This is a fault in the tool, not in the call. Try another way.");
  };
  try {
    return tool.execute(context, arguments);
  } catch (const std::exception& exception) {
    return failed(exception.what());
  } catch (...) {
    return failed("it threw something that is no std::exception");
  }
}

Result run_guarded(WorkerPool& workers, std::shared_ptr<const RegisteredTool> tool, Context::Parts context,
                   Json arguments) {
  const auto run = std::make_shared<GuardedRun>();
  run->tool = std::move(tool);
  run->arguments = std::move(arguments);
  const std::stop_token callers_stop = context.stop;
  const Context::Clock::time_point deadline = context.deadline;
  context.stop = run->stop.get_token();
  if (context.on_progress) {
    // After the call was answered nobody may hear of it any more.
    context.on_progress = [run_reference = std::weak_ptr(run),
                           report = std::move(context.on_progress)](const Progress& progress) {
      const auto alive = run_reference.lock();
      if (!alive) return;
      const std::lock_guard lock(alive->mutex);
      if (!alive->left_behind) report(progress);
    };
  }
  const auto job = workers.start([run, parts = std::move(context)]() mutable {
    Context own(std::move(parts));
    Result result = run_tool(*run->tool->tool, own, run->arguments);
    const std::lock_guard lock(run->mutex);
    run->result = std::move(result);
    run->ended.notify_all();
  });

  std::unique_lock lock(run->mutex);
  const auto has_ended = [&] { return run->result.has_value(); };
  run->ended.wait_until(lock, callers_stop, deadline, has_ended);
  if (!has_ended()) {
    lock.unlock();
    run->stop.request_stop();  // runs the tool's stop callbacks, so not under the lock
    lock.lock();
    run->ended.wait_for(lock, kGrace, has_ended);
  }
  if (has_ended()) return *std::move(run->result);
  run->left_behind = true;
  lock.unlock();
  workers.abandon(job);
  return fail(left_behind_error(run->tool->definition, callers_stop.stop_requested()));
}

std::vector<Resource> resources_of(const Tool& tool, const Json& arguments, const std::string& workspace) {
  std::vector<Resource> resources = tool.resources(arguments);
  for (Resource& resource : resources) resource = normalised(std::move(resource), workspace);
  return resources;
}

void ReadyList::add(std::size_t index) {
  const std::lock_guard lock(mutex_);
  ready_.push_back(index);
  changed_.notify_one();
}

void ReadyList::skip_one() {
  const std::lock_guard lock(mutex_);
  if (--expected_ == 0) changed_.notify_all();
}

bool ReadyList::take(std::size_t& index) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return expected_ == 0 || !ready_.empty(); });
  if (expected_ == 0) return false;
  index = ready_.front();
  ready_.pop_front();
  if (--expected_ == 0) changed_.notify_all();
  return true;
}

void ReadyList::work_off(std::size_t threads, const std::function<void(std::size_t)>& work) {
  const auto work_until_done = [&] {
    for (std::size_t index = 0; take(index);) work(index);
  };
  std::vector<std::jthread> helpers;
  const std::size_t wanted = std::min(threads, expected_);
  for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(work_until_done);
  work_until_done();
}

}  // namespace helve
