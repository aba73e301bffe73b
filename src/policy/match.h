// The three answers to "does this rule fit?" when the text does not always say.
#pragma once

#include <algorithm>

namespace helve::policy {

// In the order of certainty, so that the larger of two is the stronger.
enum class Match {
  kNo,
  kMaybe,  // it depends on what an expansion turns out to be
  kYes,
};

[[nodiscard]] constexpr Match either(Match one, Match other) { return std::max(one, other); }
[[nodiscard]] constexpr Match both(Match one, Match other) { return std::min(one, other); }

}  // namespace helve::policy
