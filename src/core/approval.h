// The words and the JSON of asking, refusing and being refused.
#pragma once

#include <string_view>

#include "helve/error.h"
#include "helve/permissions.h"

namespace helve {

// {toolName, serverName, permissionType, description} as in the event stream.
[[nodiscard]] Json permission_request_json(const PermissionRequest& request);

// A mode or a rule said no.
[[nodiscard]] Error permission_denied(const PermissionRequest& request, std::string_view reason);
// A person said no; `reason` is in their words and may be empty.
[[nodiscard]] Error user_denied(const PermissionRequest& request, std::string_view reason);

}  // namespace helve
