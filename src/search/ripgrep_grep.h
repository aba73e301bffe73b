// The search of contents by ripgrep, with the same answers as the builtin one.
#pragma once

#include <string>

#include "search/grep.h"
#include "workspace/root.h"

namespace helve::search {

// UNAVAILABLE when ripgrep failed, was killed, or cannot do what is asked: then the builtin engine has to
// answer. Other errors are the caller's.
[[nodiscard]] Expected<GrepAnswer> grep_ripgrep(const Root& root, const GrepQuery& query,
                                                const std::string& program, const ShouldStop& should_stop);

}  // namespace helve::search
