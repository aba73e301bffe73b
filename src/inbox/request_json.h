// Approval requests as JSON, from one Helve process to another.
#pragma once

#include <string>

#include "helve/error.h"
#include "helve/permissions.h"

namespace helve::inbox {

[[nodiscard]] Json to_json(const PermissionRequest& request);
// Missing members are empty.
[[nodiscard]] PermissionRequest request_from(const Json& json);
[[nodiscard]] std::string hash_of(const PermissionRequest& request);

// The ways to answer: "once", "session", "always", "refuse".
enum class ApprovalChoice { kOnce, kSession, kAlways, kRefuse };
constexpr auto enum_names(ApprovalChoice) {
  return std::to_array<std::string_view>({"once", "session", "always", "refuse"});
}
[[nodiscard]] Approval approval_of(ApprovalChoice choice, std::string reason, std::string by);
[[nodiscard]] ApprovalChoice choice_of(const Approval& approval);

}  // namespace helve::inbox
