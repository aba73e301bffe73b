#include "mcp/tasks.h"

#include "base/clock.h"
#include "base/strings.h"
#include "mcp/call.h"

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
  return task.call && !task.call->open_inquiries().as_object().empty() ? "input_required" : "working";
}

Json describe(const Task& task, bool modern) {
  return JsonObject{{"taskId", task.id},
                    {"status", status(task)},
                    {"createdAt", utc_timestamp(task.created)},
                    {"lastUpdatedAt", utc_timestamp(task.updated)},
                    {modern ? "ttlMs" : "ttl", kKeptMs},
                    {modern ? "pollIntervalMs" : "pollInterval", kPollMs}};
}

Json describe_failure(const rpc::Failure& failure) {
  Json json = JsonObject{{"code", failure.code}, {"message", failure.message}};
  if (!failure.data.is_null()) json["data"] = failure.data;
  return json;
}

// As long as nobody else can see the task.
Json created_task(const Task& task, bool modern) {
  Json described = describe(task, modern);
  if (!modern) return JsonObject{{"task", std::move(described)}};
  described["resultType"] = "task";
  return described;
}

}  // namespace

TaskTable::Added TaskTable::add(const std::shared_ptr<Call>& call) {
  const auto now = system_clock::now();
  const bool modern = call->info().is_modern();
  auto task = std::make_shared<Task>(Task{.id = random_id("task", 32),
                                          .owner = modern ? nullptr : &call->client(),
                                          .created = now,
                                          .updated = now});
  Json created = created_task(*task, modern);
  task->call = call;
  const std::lock_guard lock(mutex_);
  forget_old();
  tasks_.emplace(task->id, task);
  return {.task = std::move(task), .created = std::move(created)};
}

void TaskTable::touch(Task& task) {
  // The caller may hold its call's lock, which describing a task takes: no lock of ours around that.
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
  task.call = nullptr;
  ended_.notify_all();
}

// Those that have ended and are old; and of those that have ended the oldest when there are too many.
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

std::expected<std::shared_ptr<Task>, rpc::Failure> TaskTable::find(const Call& asking) const {
  const Json* id = asking.param("taskId");
  if (id == nullptr || !id->is_string())
    return failure(rpc::kInvalidParams, "taskId is missing or no string.");
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(id->as_string());
  const bool theirs =
      found != tasks_.end() && (found->second->owner == nullptr || found->second->owner == &asking.client());
  if (!theirs)
    return failure(rpc::kInvalidParams, concat("There is no task ", id->as_string(),
                                               "; it was never there, or has ended long ago."));
  return found->second;
}

Outcome TaskTable::get(const Call& asking) {
  const auto task = find(asking);
  if (!task) return std::unexpected(task.error());
  const bool modern = asking.info().is_modern();
  std::shared_ptr<Call> call;
  {
    const std::lock_guard lock(mutex_);
    call = (*task)->call;
  }
  Json open = call ? call->open_inquiries() : Json(JsonObject());  // takes the call's lock, so not under ours
  const std::lock_guard lock(mutex_);
  Task shown = **task;
  shown.call = nullptr;
  Json json = describe(shown, modern);
  if (shown.end == Task::End::kNone && !open.as_object().empty()) {
    json["status"] = "input_required";
    if (modern) json["inputRequests"] = std::move(open);
  }
  if (modern && shown.end == Task::End::kCompleted) json["result"] = *std::move(shown.outcome);
  if (modern && shown.end == Task::End::kFailed) json["error"] = describe_failure(shown.outcome.error());
  return json;
}

Outcome TaskTable::cancel(const Call& asking) {
  const auto task = find(asking);
  if (!task) return std::unexpected(task.error());
  std::shared_ptr<Call> call;
  Json json;
  {
    const std::lock_guard lock(mutex_);
    if ((*task)->end != Task::End::kNone && !asking.info().is_modern())
      return failure(rpc::kInvalidParams, concat("The task has ended already: ", status(**task), "."));
    call = (*task)->call;
    if ((*task)->end == Task::End::kNone) end(**task, Task::End::kCancelled);
    if (!asking.info().is_modern()) json = describe(**task, false);
  }
  if (call) call->cancel();
  return json.is_null() ? Json(JsonObject()) : json;
}

Outcome TaskTable::update(const Call& asking) {
  const auto task = find(asking);
  if (!task) return std::unexpected(task.error());
  const Json* answers = asking.param("inputResponses");
  if (answers == nullptr || !answers->is_object())
    return failure(rpc::kInvalidParams, "inputResponses is missing or no object.");
  std::shared_ptr<Call> call;
  {
    const std::lock_guard lock(mutex_);
    call = (*task)->call;
  }
  if (call) call->take_answers(*answers);
  return Json(JsonObject());
}

Outcome TaskTable::result(const Call& asking) {
  const auto task = find(asking);
  if (!task) return std::unexpected(task.error());
  std::unique_lock lock(mutex_);
  if (!ended_.wait(lock, asking.stop(), [&] { return (*task)->end != Task::End::kNone; }))
    return failure(rpc::kInternalError, "The request was cancelled.");
  if ((*task)->end == Task::End::kCancelled) return failure(rpc::kInvalidParams, "The task was cancelled.");
  Outcome outcome = (*task)->outcome;
  if (outcome) (*outcome)["_meta"][rpc::kMetaRelatedTask] = JsonObject{{"taskId", (*task)->id}};
  return outcome;
}

Outcome TaskTable::list(const Call& asking) {
  JsonArray tasks;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, task] : tasks_) {
    if (task->owner != &asking.client()) continue;
    Task shown = *task;
    shown.call = nullptr;
    tasks.push_back(describe(shown, false));
  }
  return Json(JsonObject{{"tasks", std::move(tasks)}});
}

void TaskTable::cancel_all(const Client* owner) {
  std::vector<std::shared_ptr<Call>> calls;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, task] : tasks_) {
      if (owner != nullptr && task->owner != owner) continue;
      if (task->call) calls.push_back(task->call);
      if (task->end == Task::End::kNone) end(*task, Task::End::kCancelled);
    }
    if (owner != nullptr)
      std::erase_if(tasks_, [&](const auto& entry) { return entry.second->owner == owner; });
  }
  for (const auto& call : calls) call->cancel();
}

}  // namespace helve::mcp
