// Macros that keep a C or C++ parser, which does not run the preprocessor, from seeing what is declared.
#pragma once

#include <string>
#include <string_view>

namespace helve::code {

// The same text, byte for byte in the same place, with spaces instead of macros that stand where the grammar
// has no place for them: `class EXPORT Name`, `API void f()`, `int x GUARDED_BY(m);`, `BEGIN_NAMESPACE` on a
// line of its own. Only words in capitals are taken for macros. Empty when there is nothing to blank.
[[nodiscard]] std::string without_macro_noise(std::string_view text);

// The same with one branch of each `#if … #else … #endif` left, so that braces that are opened in all of them
// match. Empty when there is no `#else`.
enum class Branch { kFirst, kLast };
[[nodiscard]] std::string with_one_branch(std::string_view text, Branch wanted);

}  // namespace helve::code
