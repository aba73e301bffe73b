// Turns the JSON of a schema into nodes.
#pragma once

#include <memory>

#include "settings/schema_node.h"

namespace helve::settings {

// Never fails; what cannot be decided is in the document's doubts. The size of the result is bounded.
[[nodiscard]] std::shared_ptr<const SchemaDocument> read_schema(Json source);

}  // namespace helve::settings
