// Reads a number out of text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace helve {

// The number that the whole text is, in digits alone ("-" before a signed one); nothing when anything else
// stands there or it does not fit. A whole number may be in another base than 10.
template <class Number, class... Base>
[[nodiscard]] std::optional<Number> to_number(std::string_view text, Base... base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace helve
