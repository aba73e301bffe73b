// What grep answers.
#pragma once

#include <string>

#include "helve/result.h"
#include "search/grep.h"

namespace helve {

// `cursor` goes on behind the last line; empty when there is nothing to go on to.
[[nodiscard]] Output describe_grep(const search::GrepQuery& query, const search::GrepAnswer& answer,
                                   const std::string& cursor);

}  // namespace helve
