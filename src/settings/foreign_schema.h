// The JSON Schemas of foreign tools: as flags for the command line, and read once for their checks.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "helve/params.h"
#include "settings/json_schema.h"

namespace helve::settings {

// A name in "required" that is not in "properties"; empty when there is none.
[[nodiscard]] std::string undefined_required_property(const Json& schema);

// The parts that the command line and the documentation show: types, required members, choices and bounds.
// Arguments are checked with JsonSchema, which knows all keywords.
[[nodiscard]] ParamType params_from_schema(const Json& schema);

// Adds the dryRun parameter, described as in Helve's own tools.
[[nodiscard]] Json with_dry_run(Json schema);

// Reads the schema when it is first needed: most tools are never called. May be used from all threads.
class LazySchema {
 public:
  // The source must outlive it.
  explicit LazySchema(const Json& source) : source_(source) {}

  [[nodiscard]] const JsonSchema& get() const {
    std::call_once(once_, [this] { schema_.emplace(source_); });
    return *schema_;
  }

 private:
  const Json& source_;
  mutable std::once_flag once_;
  mutable std::optional<JsonSchema> schema_;
};

}  // namespace helve::settings
