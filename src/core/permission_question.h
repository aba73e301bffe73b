// Whether something may happen: rules and mode, then the user's hooks, then a person.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "core/engines.h"
#include "helve/context.h"
#include "helve/events.h"
#include "helve/permissions.h"
#include "helve/session.h"

namespace helve {

struct PermissionQuestion {
  PermissionRequest request;
  std::stop_token stop = {};
  // Adds to the request what the person will be shown: the diff of what would change. An error: nobody is
  // asked about what cannot work.
  std::function<Expected<void>(PermissionRequest& request)> look_ahead = {};
  // Tells who follows the session that somebody is asked, and what they said.
  std::function<void(ToolEvent::Kind kind, ToolEvent event)> publish = {};
};
// Why it may happen; PERMISSION_DENIED or CANCELLED when it may not. From all threads.
[[nodiscard]] Expected<std::string> settle_permission(Engines& engines, Session& session,
                                                      PermissionQuestion& question);

// The same question that exec would have to answer for this command, asked within another tool's call.
[[nodiscard]] Expected<std::string> may_execute(const Context& context, const std::string& command,
                                                const std::string& directory, const std::string& why);

}  // namespace helve
