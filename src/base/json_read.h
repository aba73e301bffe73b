// Reads members of JSON from elsewhere, which may lack or misspell anything, without believing in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helve/json.h"

namespace helve {

// Empty when there is no such member or it is no string.
[[nodiscard]] inline std::string_view string_in(const Json& object, std::string_view key) {
  const Json* const member = object.find(key);
  return member != nullptr && member->is_string() ? std::string_view(member->as_string()) : "";
}

// The same to keep.
[[nodiscard]] inline std::string text_in(const Json& object, std::string_view key) {
  return std::string(string_in(object, key));
}

// False when there is no such member or it is something else.
[[nodiscard]] inline bool flag_in(const Json& object, std::string_view key) {
  const Json* const member = object.find(key);
  return member != nullptr && *member == Json(true);
}

// 0 when there is no such member or it is no whole number; a count is never negative.
[[nodiscard]] inline std::int64_t count_in(const Json& object, std::string_view key) {
  const Json* const member = object.find(key);
  std::int64_t number = 0;
  return member != nullptr && member->fits_int64(number) && number > 0 ? number : 0;
}

// Null when there is no such member or it is something else.
[[nodiscard]] inline const Json* object_in(const Json& object, std::string_view key) {
  const Json* const member = object.find(key);
  return member != nullptr && member->is_object() ? member : nullptr;
}
[[nodiscard]] inline const JsonArray* array_in(const Json& object, std::string_view key) {
  const Json* const member = object.find(key);
  return member != nullptr && member->is_array() ? &member->as_array() : nullptr;
}

}  // namespace helve
