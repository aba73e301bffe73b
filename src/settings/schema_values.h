// Compares JSON values as JSON Schema does: numbers exactly by value, whatever their notation.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <utility>

#include "helve/json.h"

namespace helve::settings {

// Both must be numbers.
[[nodiscard]] std::partial_ordering compare_numbers(const Json& left, const Json& right);

// Whether `value` is a whole multiple of `factor`, which is greater than 0. Both count as the decimal numbers
// that they are written as, so that 0.3 is a multiple of 0.1.
[[nodiscard]] bool is_multiple(const Json& value, const Json& factor);

// 3, 3.0 and 3e2 are whole.
[[nodiscard]] bool is_whole(const Json& number);

// Number of values in `value`, at most `most`: an estimate of the work of comparing it.
[[nodiscard]] std::size_t size_up_to(const Json& value, std::size_t most);

// The indexes of two equal elements. Takes time proportional to the size of the array.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> find_repeated(const JsonArray& array);

}  // namespace helve::settings
