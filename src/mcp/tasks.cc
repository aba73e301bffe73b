#include "mcp/tasks.h"

#include "base/clock.h"
#include "base/strings.h"
#include "base/threads.h"
#include "mcp/active_request.h"

namespace helve::mcp {
namespace {

using std::chrono::system_clock;

constexpr std::int64_t kKeptMs = 3'600'000;
constexpr std::int64_t kPollMs = 500;

std::string_view status(const Task& task) {
  switch (task.end) {
    case Task::End::kCompleted: return "completed";
    case Task::End::kFailed: return "failed";
    case Task::End::kCancelled: return "cancelled";
    case Task::End::kNone: break;
  }
  return task.request && !task.request->open_inquiries().as_object().empty() ? "input_required" : "working";
}

Json describe(const Task& task, bool stateless) {
  return JsonObject{{"taskId", task.id},
                    {"status", status(task)},
                    {"createdAt", utc_timestamp(task.created)},
                    {"lastUpdatedAt", utc_timestamp(task.updated)},
                    {stateless ? "ttlMs" : "ttl", kKeptMs},
                    {stateless ? "pollIntervalMs" : "pollInterval", kPollMs}};
}

Json describe_failure(const rpc::Failure& failure) {
  Json json = JsonObject{{"code", failure.code}, {"message", failure.message}};
  if (!failure.data.is_null()) json["data"] = failure.data;
  return json;
}

// Only for a task that is not in the table yet.
Json created_task(const Task& task, bool stateless) {
  Json described = describe(task, stateless);
  if (!stateless) return JsonObject{{"task", std::move(described)}};
  described["resultType"] = "task";
  return described;
}

}  // namespace

TaskTable::Added TaskTable::add(const std::shared_ptr<ActiveRequest>& request) {
  const auto now = system_clock::now();
  const bool stateless = request->info().is_stateless();
  auto task = std::make_shared<Task>(Task{.id = random_id("task", 32),
                                          .owner = stateless ? nullptr : &request->client(),
                                          .credential = request->client().credential(),
                                          .created = now,
                                          .updated = now});
  Json created = created_task(*task, stateless);
  task->request = request;
  const std::lock_guard lock(mutex_);
  forget_old();
  tasks_.emplace(task->id, task);
  return {.task = std::move(task), .created = std::move(created)};
}

void TaskTable::touch(Task& task) {
  // The caller may hold its request's lock, and describing a task takes that lock: do not describe it here.
  const auto now = system_clock::now();
  const std::lock_guard lock(mutex_);
  task.updated = now;
}

void TaskTable::finish(Task& task, Outcome outcome) {
  const std::lock_guard lock(mutex_);
  if (task.end != Task::End::kNone) return;
  task.outcome = std::move(outcome);
  end(task, task.outcome ? Task::End::kCompleted : Task::End::kFailed);
}

void TaskTable::end(Task& task, Task::End how) {
  task.end = how;
  task.updated = system_clock::now();
  task.request = nullptr;
  ended_.notify_all();
}

// Drops tasks that ended long ago. If there are too many, drops the ended task that was updated first.
void TaskTable::forget_old() {
  const auto before = system_clock::now() - std::chrono::milliseconds(kKeptMs);
  std::erase_if(tasks_, [&](const auto& entry) {
    return entry.second->end != Task::End::kNone && entry.second->updated < before;
  });
  while (tasks_.size() >= most_) {
    auto oldest = tasks_.end();
    for (auto at = tasks_.begin(); at != tasks_.end(); ++at)
      if (at->second->end != Task::End::kNone &&
          (oldest == tasks_.end() || at->second->updated < oldest->second->updated))
        oldest = at;
    if (oldest == tasks_.end()) return;
    tasks_.erase(oldest);
  }
}

std::expected<std::shared_ptr<Task>, rpc::Failure> TaskTable::find(const ActiveRequest& request) const {
  const Json* id = request.param("taskId");
  if (id == nullptr || !id->is_string()) return failure(rpc::kInvalidParams, "`taskId` must be a string.");
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(id->as_string());
  const bool theirs = found != tasks_.end() && found->second->credential == request.client().credential() &&
                      (found->second->owner == nullptr || found->second->owner == &request.client());
  if (!theirs)
    return failure(rpc::kInvalidParams,
                   concat("There is no task ", id->as_string(), ". It may have expired."));
  return found->second;
}

Outcome TaskTable::get(const ActiveRequest& request) {
  const auto task = find(request);
  if (!task) return std::unexpected(task.error());
  const bool stateless = request.info().is_stateless();
  std::shared_ptr<ActiveRequest> running;
  {
    const std::lock_guard lock(mutex_);
    running = (*task)->request;
  }
  // Takes the lock of the running request, so not under ours.
  Json open = running ? running->open_inquiries() : Json(JsonObject());
  const std::lock_guard lock(mutex_);
  Task shown = **task;
  shown.request = nullptr;
  Json json = describe(shown, stateless);
  if (shown.end == Task::End::kNone && !open.as_object().empty()) {
    json["status"] = "input_required";
    if (stateless) json["inputRequests"] = std::move(open);
  }
  if (stateless && shown.end == Task::End::kCompleted) json["result"] = *std::move(shown.outcome);
  if (stateless && shown.end == Task::End::kFailed) json["error"] = describe_failure(shown.outcome.error());
  return json;
}

Outcome TaskTable::cancel(const ActiveRequest& request) {
  const auto task = find(request);
  if (!task) return std::unexpected(task.error());
  std::shared_ptr<ActiveRequest> running;
  Json json;
  {
    const std::lock_guard lock(mutex_);
    if ((*task)->end != Task::End::kNone && !request.info().is_stateless())
      return failure(rpc::kInvalidParams, concat("The task has already ended: ", status(**task), "."));
    running = (*task)->request;
    if ((*task)->end == Task::End::kNone) end(**task, Task::End::kCancelled);
    if (!request.info().is_stateless()) json = describe(**task, false);
  }
  if (running) running->cancel();
  return json.is_null() ? Json(JsonObject()) : json;
}

Outcome TaskTable::update(const ActiveRequest& request) {
  const auto task = find(request);
  if (!task) return std::unexpected(task.error());
  const Json* answers = request.param("inputResponses");
  if (answers == nullptr || !answers->is_object())
    return failure(rpc::kInvalidParams, "`inputResponses` must be an object.");
  std::shared_ptr<ActiveRequest> running;
  {
    const std::lock_guard lock(mutex_);
    running = (*task)->request;
  }
  if (running) running->take_answers(*answers);
  return Json(JsonObject());
}

Outcome TaskTable::result(const ActiveRequest& request) {
  const auto task = find(request);
  if (!task) return std::unexpected(task.error());
  std::unique_lock lock(mutex_);
  if (!ended_.wait(lock, request.stop(), [&] { return (*task)->end != Task::End::kNone; }))
    return failure(rpc::kInternalError, "The request was cancelled.");
  if ((*task)->end == Task::End::kCancelled) return failure(rpc::kInvalidParams, "The task was cancelled.");
  Outcome outcome = (*task)->outcome;
  if (outcome) (*outcome)["_meta"][rpc::kMetaRelatedTask] = JsonObject{{"taskId", (*task)->id}};
  return outcome;
}

Outcome TaskTable::list(const ActiveRequest& request) {
  JsonArray tasks;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, task] : tasks_) {
    if (task->owner != &request.client()) continue;
    Task shown = *task;
    shown.request = nullptr;
    tasks.push_back(describe(shown, false));
  }
  return Json(JsonObject{{"tasks", std::move(tasks)}});
}

void TaskTable::cancel_all(const Client* owner) {
  std::vector<std::shared_ptr<ActiveRequest>> requests;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, task] : tasks_) {
      if (owner != nullptr && task->owner != owner) continue;
      if (task->request) requests.push_back(task->request);
      if (task->end == Task::End::kNone) end(*task, Task::End::kCancelled);
    }
    if (owner != nullptr)
      std::erase_if(tasks_, [&](const auto& entry) { return entry.second->owner == owner; });
  }
  for (const auto& request : requests) request->cancel();
}

void SlowCallWatch::add(const std::shared_ptr<ActiveRequest>& request) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace_back(Clock::now() + after_, request);
  // Without the thread, slow calls are answered when they end.
  if (!thread_.joinable() && !try_start_thread(thread_, [this](const std::stop_token& stop) { run(stop); })) {
    waiting_.clear();
    return;
  }
  added_.notify_one();
}

void SlowCallWatch::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    // Most calls end in time; drop them instead of waking up for them.
    std::erase_if(waiting_, [](const auto& entry) { return entry.second.expired(); });
    if (waiting_.empty()) {
      added_.wait(lock, stop, [&] { return !waiting_.empty(); });
      continue;
    }
    const auto due = waiting_.front().first;
    if (Clock::now() < due) {
      added_.wait_until(lock, stop, due, [] { return false; });
      continue;
    }
    const auto request = waiting_.front().second.lock();
    waiting_.pop_front();
    lock.unlock();
    if (request) request->become_task();
    lock.lock();
  }
}

}  // namespace helve::mcp
