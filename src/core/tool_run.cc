#include "core/tool_run.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/strings.h"
#include "base/threads.h"
#include "core/engines.h"

namespace helve::core {
namespace {

// How long a tool may take to notice its stop before it is abandoned.
constexpr auto kGrace = std::chrono::milliseconds(500);

// Owned by the waiting call and the running thread together, because either may end first.
struct GuardedRun {
  GuardedCall guarded;
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable_any ended;
  std::optional<Result> result;
  std::atomic<bool> left_behind = false;
};

Error left_behind_error(const ToolDefinition& definition, bool cancelled) {
  Error error{cancelled ? ErrorCode::kCancelled : ErrorCode::kTimeout,
              concat(definition.name, cancelled ? " was cancelled" : " did not finish in time",
                     " and does not stop; it was abandoned.")};
  error.hint = definition.read_only() ? "Ask for less at once, or use another tool."
                                      : "It may still take effect. Look at what it did before you try again.";
  error.details = JsonObject{{"stillRunning", true}};
  return error;
}

// Clients and the audit believe that these paths of the workspace changed; a plugin can say anything.
void keep_own_paths(const RegisteredTool& tool, Context& context, Output& output) {
  constexpr std::size_t kMost = 10'000;
  std::vector<std::string> own;
  for (const std::string& path : output.affected_paths) {
    if (own.size() >= kMost) break;
    auto inside = context.engines().root.check_text(path, workspace::Root::Purpose::kRead);
    if (inside && !inside->starts_with('/')) own.push_back(*std::move(inside));
  }
  if (own.size() < output.affected_paths.size())
    context.log().warning("A tool said that it changed paths outside of the workspace; they are left out",
                          {{"tool", tool.definition.name}});
  output.affected_paths = std::move(own);
}

}  // namespace

Error failed_unexpectedly(const std::string& tool, Logger& logger, const std::exception_ptr& thrown) {
  std::string what = "it threw something other than a std::exception";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::system_error& exception) {
    // std::thread throws it when no thread can be started.
    if (exception.code() == std::errc::resource_unavailable_try_again)
      return no_thread_error("so the call was not completed");
    what = exception.what();
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): said above
  }
  logger.error("A tool failed unexpectedly", {{"tool", tool}, {"error", what}});
  return {ErrorCode::kExecutionFailed, concat(tool, " failed unexpectedly: ", what, "."),
          "This is a fault in the tool, not in the call. Try another way."};
}

Result run_tool(const RegisteredTool& tool, const PreparedCall& call, Context& context, ToolStep step) {
  Result result;
  auto thrown = caught(tool.definition.name, context.log(), [&]() -> std::optional<Error> {
    result = (call.*step)(context);
    return {};
  });
  if (thrown) return fail(*std::move(thrown));
  if (result) keep_own_paths(tool, context, *result);
  return result;
}

Result run_guarded(WorkerPool& workers, GuardedCall call, Context::Parts context, ToolStep step) {
  const auto run = std::make_shared<GuardedRun>();
  run->guarded = std::move(call);
  const std::stop_token callers_stop = context.stop;
  const Context::Clock::time_point deadline = context.deadline;
  context.stop = run->stop.get_token();
  // Progress after the answer is dropped.
  context.on_progress = [run_reference = std::weak_ptr(run),
                         report = std::move(context.on_progress)](const Progress& progress) {
    const auto alive = run_reference.lock();
    if (alive && !alive->left_behind && report) report(progress);
  };
  const auto started = workers.start([run, step, parts = std::move(context)]() mutable {
    Context own(std::move(parts));
    Result result = run_tool(*run->guarded.tool, *run->guarded.call, own, step);
    const std::lock_guard lock(run->mutex);
    run->result = std::move(result);
    run->ended.notify_all();
  });

  if (!started) return fail(started.error());

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
  workers.abandon(*started);
  return fail(left_behind_error(run->guarded.tool->definition, callers_stop.stop_requested()));
}

Error no_turn_error(const std::stop_token& stop) {
  if (stop.stop_requested()) return {ErrorCode::kCancelled, "The call was cancelled before it ran."};
  return {ErrorCode::kTimeout,
          "Another call used the same resource until the time was over; nothing was run.",
          "Wait for the other call to end, then call again."};
}

bool sleep_unless_stopped(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_for(lock, stop, time, [] { return false; });
  return stop.stop_requested();
}

}  // namespace helve::core
