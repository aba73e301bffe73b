// The answer of grep.
#pragma once

#include <string>

#include "helve/result.h"
#include "search/grep.h"

namespace helve::tools {

// `cursor` continues after the last line; empty at the end.
[[nodiscard]] Output describe_grep(const search::GrepQuery& query, const search::GrepAnswer& answer,
                                   const std::string& cursor);

}  // namespace helve::tools
