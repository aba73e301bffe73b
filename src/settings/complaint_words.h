// The words of complaints about arguments, shared by the checks of Helve's own and of foreign tools.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"

namespace helve::settings {

// The value as text of bounded length; "an array" and "an object" without their contents.
[[nodiscard]] std::string shown(const Json& value);

// edits[1].oldText
[[nodiscard]] std::string member_path(const std::string& path, std::string_view key);

// a, b → ["a", "b"]
[[nodiscard]] std::string list_written_as(std::string_view text);

// "must be a or b, but is "c"; did you mean b?"
[[nodiscard]] std::string not_a_choice(const std::vector<std::string>& choices, const Json& value);

// The name that an unknown `key` most likely stands for; empty if none is likely. `unused` are the known
// names that the call does not use, `missing` those among them that it needs. Missing names come first, also
// when abbreviated: cmd means command, though cwd is nearer.
[[nodiscard]] std::string meant_by(const std::string& key, const std::vector<std::string>& unused,
                                   const std::vector<std::string>& missing);

// "is not a known parameter; did you mean path?" `noun` is the word for a member.
[[nodiscard]] std::string unknown_member(std::string_view noun, const std::string& meant,
                                         const std::vector<std::string>& known);

}  // namespace helve::settings
