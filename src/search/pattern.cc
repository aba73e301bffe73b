#include "search/pattern.h"

#include <utility>

#include "regex/program.h"

namespace helve::search {

bool wants_crlf(const std::string& pattern, const regex::SyntaxOptions& syntax) {
  if (syntax.literal) return pattern.find('\r') == std::string::npos;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\r') return false;
    if (pattern[i] != '\\') continue;
    const std::string_view escape = std::string_view(pattern).substr(i + 1, 4);
    if (escape.starts_with('r') || escape.starts_with("x0d") || escape.starts_with("x0D")) return false;
    ++i;  // the escaped character stands for itself, a backslash too
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
                   .across_lines = syntax.across_lines};
  compiled.states = compiled.regex.program().forward.size();
  if (!needles.empty()) compiled.scan.emplace(needles);
  return compiled;
}

}  // namespace helve::search
