// The URIs that $id and $ref of a schema use: resolution as in RFC 3986, and JSON pointers in fragments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "helve/json.h"

namespace helve::settings {

// The reference as an absolute URI; if there is no base, the reference itself.
[[nodiscard]] std::string resolve_uri(std::string_view base, std::string_view reference);

// The URI without its fragment, and the fragment without # and percent escapes.
[[nodiscard]] std::pair<std::string, std::string> split_fragment(std::string_view uri);

// Calls `visit` for the value at each step of the pointer, the last of them being its target. Null if the
// pointer leads nowhere.
template <class Visit>
[[nodiscard]] const Json* follow_pointer(const Json& root, std::string_view pointer, const Visit& visit);

// The next name of a JSON pointer, unescaped; removes it from the pointer. Empty at the end.
[[nodiscard]] std::optional<std::string> take_pointer_step(std::string_view& pointer);
// The member or element that the name stands for; or null.
[[nodiscard]] const Json* pointer_step(const Json& value, std::string_view name);

template <class Visit>
const Json* follow_pointer(const Json& root, std::string_view pointer, const Visit& visit) {
  const Json* at = &root;
  visit(*at);
  while (const auto name = take_pointer_step(pointer)) {
    at = pointer_step(*at, *name);
    if (at == nullptr) return nullptr;
    visit(*at);
  }
  return at;
}

}  // namespace helve::settings
