// Blanks macros that confuse a C or C++ parser which does not run the preprocessor.
#pragma once

#include <string>
#include <string_view>

namespace helve::code {

// Replaces macros that the grammar does not allow by spaces, so that all positions stay the same:
// `class EXPORT Name`, `API void f()`, `int x GUARDED_BY(m);`, `BEGIN_NAMESPACE` on its own line. Only words
// in capitals are treated as macros. Returns an empty string if there is nothing to blank.
[[nodiscard]] std::string without_macro_noise(std::string_view text);

// Keeps only one branch of each `#if … #else … #endif`, so that braces opened in every branch match. Returns
// an empty string if there is no `#else`.
enum class Branch { kFirst, kLast };
[[nodiscard]] std::string with_one_branch(std::string_view text, Branch wanted);

}  // namespace helve::code
