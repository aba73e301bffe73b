// Reads from the JSON of servers, which may lack or misspell anything, without believing in it.
#pragma once

#include <cstdint>
#include <string_view>

#include "helve/json.h"

namespace helve::model {

// Empty when there is no such member or it is no string.
[[nodiscard]] inline std::string_view string_in(const Json& object, std::string_view key) {
  const Json* const member = object.find(key);
  return member != nullptr && member->is_string() ? std::string_view(member->as_string()) : "";
}

// 0 when there is no such member or it is no whole number; a number of tokens is never negative.
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

}  // namespace helve::model
