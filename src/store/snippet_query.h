// Looking for snippets in SQLite: lists by filter, and what was meant by a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/snippets.h"
#include "store/sqlite.h"

namespace helve::store {

[[nodiscard]] Expected<SnippetList> list_snippets(Database& database, const SnippetFilter& filter,
                                                  bool has_search);
[[nodiscard]] Expected<std::vector<std::string>> tags_of(Database& database, std::int64_t snippet);

// NOT_FOUND with the nearest names.
[[nodiscard]] Error no_such_snippet(Database& database, std::string_view name);

// A last line without a line break counts.
[[nodiscard]] std::size_t count_lines(std::string_view text);

// "50%" as a pattern that finds it: 50\%
[[nodiscard]] std::string escaped_for_like(std::string_view text);

}  // namespace helve::store
