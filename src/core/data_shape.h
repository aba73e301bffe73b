// What a tool's data looks like, in one line as people write it, and as a JSON Schema.
#pragma once

#include <string_view>

#include "helve/error.h"
#include "helve/json.h"

namespace helve {

// "{path: string, lines?: integer, kind: \"file\"|\"directory\", matches: [{line: integer}], note:
// string|null}"
//   string integer number boolean null any   a value
//   "word"                                   exactly that text
//   [shape]                                  a list of such
//   {name: shape, name?: shape}              an object; with ? the member may be missing, and others may come
//   shape|shape                              one of them
// INVALID_ARGUMENT says where it is none.
[[nodiscard]] Expected<Json> schema_of_shape(std::string_view shape);

}  // namespace helve
