// One call on its way along the one path.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/changes_under_way.h"
#include "core/resource_queue.h"
#include "core/session_state.h"
#include "helve/registry.h"
#include "helve/runtime.h"

namespace helve {

// Owned by the dispatcher while the call is under way; each step adds what it found out.
struct Passage {
  using Clock = Context::Clock;

  std::shared_ptr<Session> session;
  Call call;
  // resolve
  std::shared_ptr<const RegisteredTool> tool = {};
  // validate
  Effect effect = Effect::kRead;
  std::string explanation = {};
  bool dry_run = false;
  std::chrono::milliseconds time_limit{0};
  std::vector<Resource> resources = {};
  // authorise
  std::string decision = {};                          // why it may run
  std::optional<ChangesUnderWay::Place> change = {};  // when it may change something
  // run
  ResourceQueue::Place place = {};
  std::optional<Clock::time_point> started = {};
  Clock::time_point deadline = Clock::time_point::max();

  // Whether an event is worth making.
  [[nodiscard]] bool has_audience() const { return session->state().has_audience; }
  void publish(ToolEvent::Kind kind, ToolEvent event = {}) const {
    if (!has_audience()) return;
    event.kind = kind;
    event.call_id = call.id;
    event.tool = call.tool;
    if (tool) event.server = tool->definition.server;
    session->events().publish(std::move(event));
  }
};

}  // namespace helve
