// Decides whether something may happen: by rules and mode, then by the user's hooks, then by asking the user.
// This is the only place that asks an approver; scripts/check enforces it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "core/engines.h"
#include "helve/context.h"
#include "helve/events.h"
#include "helve/permissions.h"
#include "helve/session.h"

namespace helve::core {

struct PermissionQuestion {
  PermissionRequest& request;  // outlives the question; gets the reason, the rules and the diff
  std::stop_token stop = {};
  // Asks the user even if rules and mode allow the request, for this reason. Mode full still does not ask.
  std::string must_ask = {};
  // Adds to the request what the user will be shown, such as the diff. After an error the user is not asked.
  std::function<Expected<void>(PermissionRequest& request)> look_ahead = {};
  // Publishes that the user is asked, and the answer.
  std::function<void(ToolEvent::Kind kind, ToolEvent event)> publish = {};
};
// Why it may happen; PERMISSION_DENIED or CANCELLED when it may not. From all threads.
[[nodiscard]] Expected<std::string> settle_permission(Engines& engines, Session& session,
                                                      const PermissionQuestion& question);

// A question that comes up while a tool runs, as part of its call: with events, hooks and records like the
// question before the call. `must_ask` is as above.
[[nodiscard]] Expected<std::string> settle_within_call(const Context& context, PermissionRequest request,
                                                       std::string must_ask = {});

// The question that exec would ask for this command, as part of another tool's call.
[[nodiscard]] Expected<std::string> may_execute(const Context& context, const std::string& command,
                                                const std::string& directory, const std::string& why);

}  // namespace helve::core
