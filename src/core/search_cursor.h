// The cursor with which a caller goes on where a search ended.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "search/grep.h"

namespace helve {

// Text that means nothing to the caller. It fits only the same search: `query` is whatever makes it the same.
[[nodiscard]] std::string make_cursor(const search::GrepPosition& position, std::string_view query);
// INVALID_ARGUMENT for a cursor that is damaged or belongs to another search.
[[nodiscard]] Expected<search::GrepPosition> read_cursor(std::string_view cursor, std::string_view query);

}  // namespace helve
