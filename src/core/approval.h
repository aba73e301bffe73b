// The text and JSON of approval questions and refusals.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helve/error.h"
#include "helve/permissions.h"

namespace helve::core {

// The name of a tool's server for users: Helve's own tools have one as well.
[[nodiscard]] inline std::string_view server_name(std::string_view server) {
  return server.empty() ? std::string_view("helve") : server;
}

// {toolName, serverName, permissionType, description, index, count, diff, …} as in the event stream.
[[nodiscard]] Json permission_request_json(const PermissionRequest& request);

// The facts that the user needs to decide. Not yet safe for a terminal: the caller escapes it.
struct ApprovalText {
  std::string title = {};  // "exec wants to execute"
  // The command line, the tool's own words, a diff, or else the arguments as JSON. Arguments that a diff does
  // not show are added as facts.
  std::string subject = {};
  std::vector<std::pair<std::string_view, std::string>> facts = {};  // {"Why", "To see the tests pass."}, …
};
[[nodiscard]] ApprovalText approval_text(const PermissionRequest& request);

// A mode or a rule refused the call.
[[nodiscard]] Error permission_denied(const PermissionRequest& request, const Decision& decision);
// The call needs approval, but the user cannot be asked. The hint says how to allow it. `obstacle` completes
// "…, and": why the user could not be asked, if known.
[[nodiscard]] Error nobody_to_ask(const PermissionRequest& request, Decision decision,
                                  std::string_view obstacle = {});
// The user refused; the reason is in the user's words and may be empty.
[[nodiscard]] Error user_denied(const PermissionRequest& request, const Approval& answer);

}  // namespace helve::core
