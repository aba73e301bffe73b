// The one path that every call takes: resolve → validate → authorise → run → bound → record → answer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/call_records.h"
#include "core/engines.h"
#include "core/metrics.h"
#include "core/offload.h"
#include "core/passage.h"
#include "core/resource_queue.h"
#include "core/worker_pool.h"
#include "helve/registry.h"
#include "helve/runtime.h"

namespace helve {

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
  // What authorise() would say, without asking anybody.
  [[nodiscard]] Expected<Json> explain(const std::shared_ptr<Session>& session, Call call) const;
  [[nodiscard]] std::size_t calls_running() const;

 private:
  class UnderWay;
  using Refusal = std::optional<Error>;
  // Characters that the results of a batch may still have together.
  using Budget = std::atomic<std::size_t>;

  Passage enter(const std::shared_ptr<Session>& session, Call call) const;

  // The steps. Those that return a refusal end the way with it.
  Refusal resolve(Passage& passage) const;
  Refusal validate(Passage& passage) const;
  Refusal refused_by_root(const PermissionRequest& request) const;
  Refusal authorise(Passage& passage);
  Refusal wait_for_turn(Passage& passage);
  Result run(Passage& passage);
  void tell_hooks(const Passage& passage, Result& result) const;
  void bound(const Passage& passage, Result& result, Budget* budget) const;
  Answer answer(const Passage& passage, Result result) const;

  static PermissionRequest permission_request(const Passage& passage, Json arguments);
  policy::HookSubject hook_subject(const Passage& passage) const;
  Result run_with_retries(Passage& passage);
  Result run_once(Passage& passage);

  Parts parts_;
  CallRecords records_;
  ResourceQueue queue_;
  WorkerPool workers_;
  ChangesUnderWay changes_under_way_;
  mutable std::mutex mutex_;
  std::condition_variable call_ended_;
  std::size_t calls_under_way_ = 0;
};

}  // namespace helve
