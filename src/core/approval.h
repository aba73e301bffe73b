// The words and the JSON of asking, refusing and being refused.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helve/error.h"
#include "helve/permissions.h"

namespace helve {

// {toolName, serverName, permissionType, description, diff, …} as in the event stream.
[[nodiscard]] Json permission_request_json(const PermissionRequest& request);

// What a person has to know before a decision, for whoever shows it; nothing in it is fit for a terminal yet.
struct ApprovalText {
  std::string title = {};  // "exec wants to execute"
  // The command as it is, what the tool says of it, a change as its diff, anything else as JSON; what a diff
  // leaves out is a fact.
  std::string subject = {};
  std::vector<std::pair<std::string_view, std::string>> facts = {};  // {"Why", "To see the tests pass."}, …
};
[[nodiscard]] ApprovalText approval_text(const PermissionRequest& request);

// A mode or a rule said no.
[[nodiscard]] Error permission_denied(const PermissionRequest& request, std::string_view reason);
// It would be asked about; says what the user can do so that it need not be.
// `obstacle`: why nobody could be asked, where that is known, as it can follow an "and".
[[nodiscard]] Error nobody_to_ask(const PermissionRequest& request, std::string_view reason,
                                  std::string_view obstacle = {});
// A person said no; `reason` is in their words and may be empty.
[[nodiscard]] Error user_denied(const PermissionRequest& request, std::string_view reason);

}  // namespace helve
