#include "search/pattern.h"

#include <utility>

#include "base/ascii.h"
#include "regex/nfa.h"

namespace helve::search {

namespace {

// Whether the text after a backslash is an escape for a carriage return: r, x0D, x{D}, u000D, u{0d},
// U0000000D.
bool is_carriage_return(std::string_view escape) {
  if (escape.starts_with('r')) return true;
  if (!escape.starts_with('x') && !escape.starts_with('u') && !escape.starts_with('U')) return false;
  escape.remove_prefix(1);
  if (escape.starts_with('{')) escape.remove_prefix(1);
  while (escape.starts_with('0')) escape.remove_prefix(1);
  if (!escape.starts_with('d') && !escape.starts_with('D')) return false;
  return escape.size() == 1 || !is_hex_digit(escape[1]);
}

}  // namespace

bool wants_crlf(const std::string& pattern, const regex::SyntaxOptions& syntax) {
  if (pattern.find('\r') != std::string::npos) return false;
  for (std::size_t i = 0; !syntax.literal && i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    if (is_carriage_return(std::string_view(pattern).substr(i + 1))) return false;
    ++i;  // skip the escaped character, which may be a backslash
  }
  return true;
}

Expected<Pattern> compile_pattern(const std::string& pattern, const regex::SyntaxOptions& syntax) {
  auto regex = regex::Regex::compile(pattern, syntax);
  if (!regex) return fail(regex.error());
  const Needles needles = find_needles(regex->hir());
  Pattern compiled{.regex = std::move(*regex),
                   .scan = {},
                   .scan_finds_matches = needles.are_matches,
                   .whole_pattern = needles.whole_pattern,
                   .across_lines = syntax.across_lines,
                   .crlf = syntax.crlf};
  compiled.states = compiled.regex.program().forward.size();
  if (!needles.empty()) compiled.scan.emplace(needles);
  return compiled;
}

}  // namespace helve::search
