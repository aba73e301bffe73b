// Tool calls that continue after their request was answered. The client polls them by task id.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "mcp/active_request.h"
#include "mcp/offer.h"

namespace helve::mcp {

// Guarded by the mutex of its table.
struct Task {
  std::string id = {};
  std::shared_ptr<ActiveRequest> request = {};  // null after the end
  const Client* owner = nullptr;                // only compared, never dereferenced
  std::string credential = {};                  // of the client that began it; see Client::credential
  std::chrono::system_clock::time_point created = {};
  std::chrono::system_clock::time_point updated = {};
  enum class End { kNone, kCompleted, kFailed, kCancelled };
  End end = End::kNone;
  Outcome outcome = {};
};

// Owned by the server. May be used from all threads.
class TaskTable {
 public:
  explicit TaskTable(std::size_t most = 256) : most_(most) {}

  struct Added {
    std::shared_ptr<Task> task;
    Json created;  // the answer to the request that became the task
  };
  [[nodiscard]] Added add(const std::shared_ptr<ActiveRequest>& request);
  void touch(Task& task);
  void finish(Task& task, Outcome outcome);

  // The protocol's task methods. In the session-based protocol a client sees only its own tasks.
  [[nodiscard]] Outcome get(const ActiveRequest& request);
  [[nodiscard]] Outcome cancel(const ActiveRequest& request);
  [[nodiscard]] Outcome update(const ActiveRequest& request);
  // Session-based protocol only. `result` waits for the end of the task.
  [[nodiscard]] Outcome result(const ActiveRequest& request);
  [[nodiscard]] Outcome list(const ActiveRequest& request);

  // Cancels the running tasks of a client, or of all clients if `owner` is null.
  void cancel_all(const Client* owner);

 private:
  using Tasks = std::map<std::string, std::shared_ptr<Task>, std::less<>>;
  [[nodiscard]] std::expected<std::shared_ptr<Task>, rpc::Failure> find(const ActiveRequest& request) const;
  void end(Task& task, Task::End how);
  void forget_old();

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable_any ended_;
  Tasks tasks_;
};

// Turns calls that take longer than `after` into tasks. Owned by the server. May be used from all threads;
// its own thread starts with the first call.
class SlowCallWatch {
 public:
  explicit SlowCallWatch(std::chrono::milliseconds after) : after_(after) {}

  void add(const std::shared_ptr<ActiveRequest>& request);

 private:
  using Clock = std::chrono::steady_clock;
  void run(const std::stop_token& stop);

  const std::chrono::milliseconds after_;
  std::mutex mutex_;
  std::condition_variable_any added_;
  std::deque<std::pair<Clock::time_point, std::weak_ptr<ActiveRequest>>> waiting_;
  std::jthread thread_;
};

}  // namespace helve::mcp
