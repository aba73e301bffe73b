#include "regex/syntax.h"

#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/utf8.h"
#include "regex/syntax_error.h"
#include "regex/syntax_parser.h"

namespace helve::regex {
namespace {

// The longest command-line argument on Linux, and thus the longest pattern for ripgrep.
constexpr std::size_t kMostBytes = std::size_t{128} * 1024;

Hir between(Look before, Hir inside, Look after) {
  std::vector<Hir> parts;
  parts.push_back(make_look(before));
  parts.push_back(std::move(inside));
  parts.push_back(make_look(after));
  return make_concat(std::move(parts));
}

Hir as_whole(Hir hir, const SyntaxOptions& options) {
  switch (options.whole) {
    case SyntaxOptions::Whole::kNo: break;
    case SyntaxOptions::Whole::kWord:
      return between(Look::kWordStartHalf, std::move(hir), Look::kWordEndHalf);
    case SyntaxOptions::Whole::kLine:
      return options.crlf ? between(Look::kLineStartCrlf, std::move(hir), Look::kLineEndCrlf)
                          : between(Look::kLineStart, std::move(hir), Look::kLineEnd);
  }
  return hir;
}

std::u32string code_points(std::string_view text) {
  std::u32string codes;
  codes.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_character_length(text);
    codes += utf8_code_point(text.substr(0, length));
    text.remove_prefix(length);
  }
  return codes;
}

}  // namespace

Expected<Hir> parse(std::string_view pattern, const SyntaxOptions& options) {
  if (pattern.size() > kMostBytes) {
    return fail(ErrorCode::kInvalidArgument,
                concat("The pattern has ", with_thousands(pattern.size()), " bytes; at most ",
                       with_thousands(kMostBytes), " are allowed."),
                "Search for parts of it.");
  }
  if (const std::size_t valid = find_invalid_utf8(pattern); valid < pattern.size()) {
    return fail(ErrorCode::kInvalidArgument,
                concat("The pattern is not valid UTF-8 at byte ", valid + 1, "."),
                "Write bytes that are not UTF-8 as (?-u:\\xFF).");
  }
  const std::u32string codes = code_points(pattern);
  auto hir = parse_pattern(codes, options);
  if (!hir) return fail(describe(hir.error(), codes, options));
  return as_whole(std::move(*hir), options);
}

std::string escape(std::string_view text) {
  constexpr std::string_view kSpecial = "\\.+*?()|[]{}^$";
  std::string pattern;
  pattern.reserve(text.size() + 8);
  for (const char c : text) {
    if (kSpecial.contains(c)) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace helve::regex
