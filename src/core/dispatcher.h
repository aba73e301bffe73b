// The one path that every call takes: resolve → validate → authorise → run → bound → record → answer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/active_call.h"
#include "core/call_records.h"
#include "core/engines.h"
#include "core/metrics.h"
#include "core/offload.h"
#include "core/resource_queue.h"
#include "core/worker_pool.h"
#include "helve/registry.h"
#include "helve/runtime_class.h"

namespace helve::core {

// Owned by the runtime. May be used from all threads. Destroying it waits for the calls that are under way.
class Dispatcher {
 public:
  struct Parts {
    const Registry& registry;
    std::shared_ptr<Engines> engines;
    Offload& offload;
    Audit* audit;  // null when switched off
    Metrics& metrics;
  };

  explicit Dispatcher(Parts parts) : parts_(std::move(parts)), records_(parts_.audit, *parts_.engines) {}
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;
  ~Dispatcher();

  [[nodiscard]] Answer execute(const std::shared_ptr<Session>& session, Call call);
  // The whole batch is checked before any of it runs. Answers come in the order of the calls.
  [[nodiscard]] std::vector<Answer> execute_many(const std::shared_ptr<Session>& session,
                                                 std::vector<Call> calls);
  // The decision that authorise() would make, without asking the user.
  [[nodiscard]] Expected<Json> explain(const std::shared_ptr<Session>& session, Call call) const;
  [[nodiscard]] std::size_t calls_running() const;

 private:
  class UnderWay;
  using Refusal = std::optional<Error>;
  // Characters that the results of a batch may still use together.
  using Budget = std::atomic<std::size_t>;

  // Resolves and validates the call.
  ActiveCall enter(const std::shared_ptr<Session>& session, Call call, Refusal& refusal) const;

  // The steps. A refusal ends the call.
  Refusal resolve(ActiveCall& active) const;
  Refusal validate(ActiveCall& active) const;
  Refusal refused_by_root(const PermissionRequest& request) const;
  // Decides without asking; keeps `question` when the user must be asked.
  Refusal decide(ActiveCall& active);
  // Decides about all calls that were not refused before, and asks the user where that is needed.
  void authorise(std::span<ActiveCall> actives, std::span<Refusal> refusals);
  Refusal wait_for_turn(ActiveCall& active);
  Result run(ActiveCall& active);
  void tell_hooks(const ActiveCall& active, Result& result) const;
  void bound(const ActiveCall& active, Result& result, Budget* budget) const;
  Answer answer(const ActiveCall& active, Result result) const;

  policy::HookSubject hook_subject(const ActiveCall& active) const;
  Result run_with_retries(ActiveCall& active);
  Result run_once(ActiveCall& active);

  Parts parts_;
  CallRecords records_;
  ResourceQueue queue_;
  WorkerPool workers_;
  ChangesUnderWay changes_under_way_;
  mutable std::mutex mutex_;
  std::condition_variable call_ended_;
  std::size_t calls_under_way_ = 0;
};

}  // namespace helve::core
