// The shape of a tool's data: a one-line notation, converted to JSON Schema.
#pragma once

#include <string_view>

#include "helve/error.h"
#include "helve/json.h"

namespace helve::settings {

// "{path: string, lines?: integer, kind: \"file\"|\"directory\", matches: [{line: integer}], note:
// string|null}"
//   string integer number boolean null any   a value
//   "word"                                   exactly that text
//   [shape]                                  a list
//   {name: shape, name?: shape}              an object; with ? the member may be missing, and others may come
//   shape|shape                              one of them
// INVALID_ARGUMENT says where the notation is wrong.
[[nodiscard]] Expected<Json> schema_of_shape(std::string_view shape);

}  // namespace helve::settings
