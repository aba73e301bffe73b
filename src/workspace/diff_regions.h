// Splits two texts into the regions that differ and the long runs between them that do not, at the speed of
// memcmp.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace helve {

// Whole lines of both texts: what is to be compared, with some common lines around it over which edits may
// slide.
struct DiffRegion {
  std::size_t old_line = 0;  // counting from 0
  std::size_t new_line = 0;
  std::size_t old_offset = 0;
  std::size_t new_offset = 0;
  std::string_view old_text;
  std::string_view new_text;
};

// In order, at least one common line apart. Where changes are dense or large, one region holds all the rest.
[[nodiscard]] std::vector<DiffRegion> find_differing_regions(std::string_view old_text,
                                                             std::string_view new_text);

}  // namespace helve
