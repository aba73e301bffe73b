#include "text/text_match.h"

#include <algorithm>

namespace helve::text {
namespace {

// Blocks are compared with memcmp first, which is much faster than byte by byte.
constexpr std::size_t kBlock = 4096;

}  // namespace

std::size_t common_prefix(std::string_view one, std::string_view other) {
  const std::size_t most = std::min(one.size(), other.size());
  std::size_t same = 0;
  while (same + kBlock <= most && one.substr(same, kBlock) == other.substr(same, kBlock)) same += kBlock;
  while (same < most && one[same] == other[same]) ++same;
  return same;
}

std::size_t common_suffix(std::string_view one, std::string_view other) {
  const std::size_t most = std::min(one.size(), other.size());
  std::size_t same = 0;
  const auto block = [&](std::string_view text) { return text.substr(text.size() - same - kBlock, kBlock); };
  while (same + kBlock <= most && block(one) == block(other)) same += kBlock;
  while (same < most && one[one.size() - same - 1] == other[other.size() - same - 1]) ++same;
  return same;
}

}  // namespace helve::text
