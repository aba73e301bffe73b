// Extracts the definitions of one source text.
#pragma once

#include <string_view>

#include "code/parse_limits.h"
#include "code/symbol.h"

namespace helve::code {

enum class Depth {
  kNames,    // definitions with names, lines and nesting: what the index keeps
  kDetails,  // also parameters, types, bases, decorators, docs, imports and complexity
};

// `text` is UTF-8, or nearly; `language` an id of workspace/language.h. When no grammar fits or a limit was
// reached, `skipped` says so.
[[nodiscard]] FileAnalysis extract(std::string_view text, std::string_view language, Depth depth,
                                   const ParseLimits& limits);

// Whether there is a parser for the language.
[[nodiscard]] bool has_grammar(std::string_view language);

}  // namespace helve::code
