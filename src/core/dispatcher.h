// The one path that every call takes: resolve → validate → authorise → run → bound → record → answer.
#pragma once

#include <memory>
#include <vector>

#include "core/audit.h"
#include "core/engines.h"
#include "core/metrics.h"
#include "core/offload.h"
#include "core/resource_queue.h"
#include "core/worker_pool.h"
#include "helve/registry.h"
#include "helve/runtime.h"

namespace helve {

// Owned by the runtime. May be used from all threads.
class Dispatcher {
 public:
  struct Parts {
    const Registry& registry;
    std::shared_ptr<Engines> engines;
    Offload& offload;
    Audit* audit;  // null when switched off
    Metrics& metrics;
  };

  explicit Dispatcher(Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] Answer execute(const std::shared_ptr<Session>& session, Call call);
  // The whole batch is checked before any of it runs. Answers come in the order of the calls.
  [[nodiscard]] std::vector<Answer> execute_many(const std::shared_ptr<Session>& session,
                                                 std::vector<Call> calls);

 private:
  struct Passage;  // one call on its way
  using Refusal = std::optional<Error>;

  Passage enter(const std::shared_ptr<Session>& session, Call call) const;

  // The steps. Those that return a refusal end the way with it.
  Refusal resolve(Passage& passage) const;
  Refusal validate(Passage& passage) const;
  Refusal authorise(Passage& passage) const;
  Refusal wait_for_turn(Passage& passage);
  Result run(Passage& passage);
  void bound(const Passage& passage, Result& result);
  void record_intent(const Passage& passage);
  Answer answer(const Passage& passage, Result result);

  Result run_with_retries(Passage& passage);
  Result run_once(Passage& passage);
  void bound_batch(const std::shared_ptr<Session>& session, std::vector<Passage>& passages,
                   std::vector<Answer>& answers);
  void record(JsonObject entry);

  Parts parts_;
  ResourceQueue queue_;
  WorkerPool workers_;
};

}  // namespace helve
