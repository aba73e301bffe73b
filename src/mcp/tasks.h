// Calls that go on after their request was answered, to be asked about by the id of their task.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "mcp/client_info.h"
#include "mcp/offer.h"

namespace helve::mcp {

class Client;

// Guarded by the table that it is in.
struct Task {
  std::string id = {};
  std::shared_ptr<Call> call = {};  // until it has ended
  const Client* owner = nullptr;    // only to compare
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
    Json created;  // what the request that became the task is answered with
  };
  [[nodiscard]] Added add(const std::shared_ptr<Call>& call);
  void touch(Task& task);
  void finish(Task& task, Outcome outcome);

  // Methods of the protocol; the task must be the client's own in the old era.
  [[nodiscard]] Outcome get(const Call& asking);
  [[nodiscard]] Outcome cancel(const Call& asking);
  [[nodiscard]] Outcome update(const Call& asking);
  // The old era: waits for the end.
  [[nodiscard]] Outcome result(const Call& asking);
  [[nodiscard]] Outcome list(const Call& asking);

  // Ends all that run; for the end of a client, or of all when null.
  void cancel_all(const Client* owner);

 private:
  using Tasks = std::map<std::string, std::shared_ptr<Task>, std::less<>>;
  [[nodiscard]] std::expected<std::shared_ptr<Task>, rpc::Failure> find(const Call& asking) const;
  void end(Task& task, Task::End how);
  void forget_old();

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable_any ended_;
  Tasks tasks_;
};

}  // namespace helve::mcp
