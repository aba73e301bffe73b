// Parses numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace helve {

// Parses the whole text as a number. Returns nothing if it contains anything but digits (and a leading "-"
// for signed types) or does not fit. Integers may be in another `base` than 10.
template <class Number, class... Base>
[[nodiscard]] std::optional<Number> to_number(std::string_view text, Base... base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace helve
