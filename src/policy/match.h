// The answer to "does this rule match?" when the text of a call does not always decide it.
#pragma once

#include <algorithm>

namespace helve::policy {

// Ordered by certainty: either() takes the larger answer, both() the smaller.
enum class Match {
  kNo,
  kMaybe,  // depends on the value of an expansion
  kYes,
};

[[nodiscard]] constexpr Match either(Match one, Match other) { return std::max(one, other); }
[[nodiscard]] constexpr Match both(Match one, Match other) { return std::min(one, other); }

}  // namespace helve::policy
