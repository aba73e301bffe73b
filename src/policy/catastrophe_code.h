// Looks for catastrophes in the code of other languages, as far as its string literals tell.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/catastrophe_places.h"
#include "policy/line_values.h"

namespace helve::policy {

struct CodeReview {
  std::optional<std::string> disaster = {};
  std::vector<std::string> texts = {};  // string literals that may be command lines
};

// Finds `rmtree("/")` and its kin, literals that are command lines, lists of words (`["rm", "-rf", "/"]`),
// disks that are opened for writing, and forks in an endless loop.
[[nodiscard]] CodeReview review_code(std::string_view code, const LineValues& values,
                                     const CatastrophePlaces& places);

}  // namespace helve::policy
