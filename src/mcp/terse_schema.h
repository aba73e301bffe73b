// Short forms of schemas for tools/list, because every client sends the list to its model with each request.
#pragma once

#include "helve/json.h"

namespace helve::mcp {

// Without bounds of numbers and lengths. A call outside of them is refused with the bound.
[[nodiscard]] Json terse_input(Json schema);

// The members of the data and their types, one level deep.
[[nodiscard]] Json terse_output(const Json& schema);

}  // namespace helve::mcp
