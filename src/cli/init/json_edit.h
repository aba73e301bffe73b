// Adds or removes one member of a hand-written JSON file; comments, order and layout stay.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/init/text_splice.h"
#include "helve/error.h"
#include "helve/json.h"

namespace helve::cli {

// The value of JSON with comments and commas before closing brackets, as editors allow them; an empty text is
// an empty object. INVALID_ARGUMENT, naming `file`, for anything else but one object.
[[nodiscard]] Expected<Json> parse_settings_json(std::string_view text, const std::string& file);

// The change that adds `name` to the object at `path` (keys from the root), which is made when it is not
// there. The member goes to the end, in the file's own indentation and line endings. CONFLICT when there is
// such a member, or where an object has to be is something else.
[[nodiscard]] Expected<Splice> add_member(std::string_view text, const std::string& file,
                                          std::span<const std::string> path, const std::string& name,
                                          const Json& value);

// Removes the member. NOT_FOUND if there is none.
[[nodiscard]] Expected<Splice> remove_member(std::string_view text, const std::string& file,
                                             std::span<const std::string> path, const std::string& name);

}  // namespace helve::cli
