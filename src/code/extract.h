// Extracts the definitions of one source text, within limits.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "code/symbol.h"

namespace helve::code {

// How long the work on one text may take.
struct ParseLimits {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::function<bool()> should_stop = {};  // polled

  [[nodiscard]] bool reached() const {
    return std::chrono::steady_clock::now() >= deadline || (should_stop && should_stop());
  }
};

// Why a file has no symbols. Unlike other reasons, this one may not apply the next time.
inline constexpr std::string_view kTookTooLong = "parsing it took too long";

enum class Depth {
  kNames,    // names, lines and nesting, as the index needs
  kDetails,  // also parameters, types, bases, decorators, docs, imports and complexity
};

// `text` should be UTF-8; `language` is an id of text/language.h. If there is no grammar or a limit was
// reached, `skipped` gives the reason.
[[nodiscard]] FileAnalysis extract(std::string_view text, std::string_view language, Depth depth,
                                   const ParseLimits& limits);

// Whether there is a parser for the language.
[[nodiscard]] bool has_grammar(std::string_view language);

}  // namespace helve::code
