// Accessors for untrusted JSON: a missing or mistyped member reads as empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helve/json.h"

namespace helve {

// Empty if the member is missing or not a string.
[[nodiscard]] inline std::string_view string_in(const Json& object, std::string_view key) {
  const Json* const member = object.find(key);
  return member != nullptr && member->is_string() ? std::string_view(member->as_string()) : "";
}

// The same as a copy.
[[nodiscard]] inline std::string text_in(const Json& object, std::string_view key) {
  return std::string(string_in(object, key));
}

// False if the member is missing or not `true`.
[[nodiscard]] inline bool flag_in(const Json& object, std::string_view key) {
  const Json* const member = object.find(key);
  return member != nullptr && *member == Json(true);
}

// 0 if the member is missing, negative or not a whole number.
[[nodiscard]] inline std::int64_t count_in(const Json& object, std::string_view key) {
  const Json* const member = object.find(key);
  std::int64_t number = 0;
  return member != nullptr && member->fits_int64(number) && number > 0 ? number : 0;
}

// Null if the member is missing or has another type.
[[nodiscard]] inline const Json* object_in(const Json& object, std::string_view key) {
  const Json* const member = object.find(key);
  return member != nullptr && member->is_object() ? member : nullptr;
}
[[nodiscard]] inline const JsonArray* array_in(const Json& object, std::string_view key) {
  const Json* const member = object.find(key);
  return member != nullptr && member->is_array() ? &member->as_array() : nullptr;
}

}  // namespace helve
