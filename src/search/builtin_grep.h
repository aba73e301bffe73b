// The search of contents that needs no other program.
#pragma once

#include "search/grep.h"
#include "workspace/root.h"

namespace helve::search {

// Safe from all threads at once. `should_stop` is asked often and from all threads of the search.
[[nodiscard]] Expected<GrepAnswer> grep_builtin(const Root& root, const GrepQuery& query,
                                                const ShouldStop& should_stop);

}  // namespace helve::search
