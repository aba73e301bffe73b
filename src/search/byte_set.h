// A set of bytes.
#pragma once

#include <bitset>

namespace helve::search {

using ByteSet = std::bitset<256>;

}  // namespace helve::search
