// The cursor that continues a search.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "search/grep.h"

namespace helve::tools {

// An opaque text, valid only for the same search; `query` identifies the search.
[[nodiscard]] std::string make_cursor(const search::GrepPosition& position, std::string_view query);
// INVALID_ARGUMENT for a cursor that is damaged or belongs to another search.
[[nodiscard]] Expected<search::GrepPosition> read_cursor(std::string_view cursor, std::string_view query);

}  // namespace helve::tools
