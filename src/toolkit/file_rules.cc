#include "toolkit/file_rules.h"

#include "base/strings.h"
#include "core/engines.h"

namespace helve::toolkit {

Expected<void> check_readable(const Context& context, const std::string& name) {
  const auto hidden = context.engines().rules->hidden();
  if (hidden->empty() || !hidden->hides(name)) return {};
  return fail(ErrorCode::kPermissionDenied,
              concat("The call would touch ", name, ", which a rule keeps from being read."),
              "Nothing was changed.");
}

Expected<void> check_editable(const Context& context, const std::string& name) {
  if (auto readable = check_readable(context, name); !readable) return readable;
  const policy::Ruling ruling = context.engines().rules->decide(
      PermissionRequest{.tool = "edit", .effect = Effect::kWrite, .arguments = JsonObject{{"path", name}}},
      Mode::kFull, {});
  if (ruling.verdict != policy::Verdict::kDeny) return {};
  return fail(ErrorCode::kPermissionDenied,
              concat("The call would touch ", name, ", which must not be changed: ", ruling.reason, "."),
              "Nothing was changed.");
}

}  // namespace helve::toolkit
