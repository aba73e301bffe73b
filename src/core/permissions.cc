// Decisions by mode alone.
#include "helve/permissions.h"

#include "base/strings.h"

namespace helve {

Json Permissions::explain(const PermissionRequest& request) const {
  constexpr std::string_view kNames[] = {"allow", "ask", "deny"};
  const Decision decision = decide(request);
  return JsonObject{{"verdict", kNames[static_cast<std::size_t>(decision.verdict)]},
                    {"reason", decision.reason}};
}

std::vector<std::string> Permissions::suggest(const PermissionRequest& /*request*/) const { return {}; }

std::string Permissions::session_covers(const PermissionRequest& /*request*/) const { return {}; }

void Permissions::use_mode(Mode /*mode*/) {}

Expected<void> Permissions::remember(const PermissionRequest& /*request*/, ApprovalScope /*scope*/) {
  return {};
}

Decision ModePermissions::decide(const PermissionRequest& request) const {
  using Verdict = Decision::Verdict;
  const Mode mode = mode_;
  const std::string named = concat("mode ", name_of(mode));
  const bool harmless = request.effect == Effect::kRead || request.effect == Effect::kAsk;
  if (harmless || mode == Mode::kFull)
    return {Verdict::kAllow, concat(named, " allows ", name_of(request.effect)), true};
  switch (mode) {
    case Mode::kPlan: return {Verdict::kDeny, concat(named, " allows only reading"), true};
    case Mode::kAuto:
      return {Verdict::kDeny, concat(named, " never asks, and no rule allows ", request.tool), true};
    case Mode::kAcceptEdits:
      if (request.effect == Effect::kWrite)
        return {Verdict::kAllow, concat(named, " allows file changes"), true};
      [[fallthrough]];
    default: return {Verdict::kAsk, concat(named, " asks before ", name_of(request.effect)), true};
  }
}

}  // namespace helve
