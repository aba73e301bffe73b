// How likely one byte follows another in source code.
#pragma once

#include "search/needles.h"

namespace helve::search {

// How often a byte of the second set comes right after one of the first: between 0 and 1.
[[nodiscard]] double share_of_follower(const ByteSet& first, const ByteSet& second);

}  // namespace helve::search
