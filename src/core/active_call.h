// One call while the dispatcher works on it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/changes_under_way.h"
#include "core/permission_question.h"
#include "core/resource_queue.h"
#include "core/session_state.h"
#include "helve/registry.h"
#include "helve/runtime_class.h"

namespace helve::core {

// Owned by the dispatcher. Each step adds its findings, and later steps read them.
struct ActiveCall {
  using Clock = Context::Clock;

  std::shared_ptr<Session> session;
  Call call;  // its arguments move to `request` once they are valid
  // resolve
  std::shared_ptr<const RegisteredTool> tool = {};
  // validate
  PermissionRequest request = {};  // holds the arguments for every later step
  std::shared_ptr<const PreparedCall> prepared = {};
  bool dry_run = false;
  std::chrono::milliseconds time_limit{0};
  std::vector<Resource> resources = {};
  // authorise
  std::unique_ptr<PermissionQuestion> question = {};  // refers to this object, which must not move any more
  std::string decision = {};                          // why the call may run
  std::optional<ChangesUnderWay::Place> change = {};  // set when the call may change something
  // run
  ResourceQueue::Place place = {};
  std::optional<Clock::time_point> started = {};
  Clock::time_point deadline = Clock::time_point::max();
  std::string params = {};  // the arguments as text for the event kRunning; empty without an audience

  [[nodiscard]] Effect effect() const { return request.effect; }
  [[nodiscard]] const Json& arguments() const { return request.arguments; }
  // False when nothing follows the session's events, so none need to be made.
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

}  // namespace helve::core
