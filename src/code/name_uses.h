// Finds where a name is written in code, apart from comments and strings.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "code/extract.h"

namespace helve::code {

// Byte offsets of the whole word, in order.
struct NameUses {
  std::vector<std::size_t> in_code = {};
  std::vector<std::size_t> in_prose = {};  // comments and strings
  // false: there is no grammar or a limit was reached, so everything counts as code.
  bool is_parsed = false;
};

// `language` is an id of text/language.h.
[[nodiscard]] NameUses find_name_uses(std::string_view text, std::string_view language, std::string_view name,
                                      const ParseLimits& limits);

}  // namespace helve::code
