// Reads the JSON Schemas of foreign tools, as far as arguments are checked against them.
#pragma once

#include <string>

#include "helve/params.h"

namespace helve::settings {

// A name in "required" that is not in "properties"; empty when there is none.
[[nodiscard]] std::string undefined_required_property(const Json& schema);

// Reads types, required members, choices and bounds. Other keywords are not checked.
[[nodiscard]] ParamType params_from_schema(const Json& schema);

// Adds the dryRun parameter, described as in Helve's own tools.
[[nodiscard]] Json with_dry_run(Json schema);

}  // namespace helve::settings
