// Reads the JSON Schemas of tools that come from elsewhere, as far as arguments can be checked with them.
#pragma once

#include <string>

#include "helve/params.h"

namespace helve {

// A name in "required" that is not in "properties"; empty when there is none.
[[nodiscard]] std::string undefined_required_property(const Json& schema);

// What the schema says about types, required members, choices and bounds. What is not understood is not
// checked.
[[nodiscard]] ParamType params_from_schema(const Json& schema);

// With the parameter that asks for a dry run, in the words of our own tools.
[[nodiscard]] Json with_dry_run(Json schema);

}  // namespace helve
