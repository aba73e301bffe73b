#include "regex/syntax_flags.h"

#include "regex/unicode.h"

namespace helve::regex {
namespace {

constexpr char32_t kLastByte = 0xFF;

CodeSet ascii_word() { return CodeSet({{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}}); }
CodeSet ascii_space() { return CodeSet({{{'\t', '\r'}, {' ', ' '}}}); }
CodeSet ascii_digit() { return CodeSet({{{'0', '9'}}}); }

CodeSet with_other_ascii_cases(const CodeSet& set) {
  constexpr char32_t kDistance = 'a' - 'A';
  const CodeSet upper = set.intersection(CodeSet({{{'A', 'Z'}}}));
  const CodeSet lower = set.intersection(CodeSet({{{'a', 'z'}}}));
  CodeSet folded = set;
  for (const CodeRange& range : upper.ranges()) {
    folded.add(CodeRange{range.first + kDistance, range.last + kDistance});
  }
  for (const CodeRange& range : lower.ranges()) {
    folded.add(CodeRange{range.first - kDistance, range.last - kDistance});
  }
  return folded;
}

}  // namespace

CodeSet fold(const CodeSet& set, const Flags& flags) {
  if (!flags.ignore_case) return set;
  return flags.unicode ? with_other_cases(set) : with_other_ascii_cases(set);
}

CodeSet negate(const CodeSet& set, const Flags& flags) {
  const CodeSet rest = set.complement();
  return flags.unicode ? rest : rest.intersection(CodeSet({{{0, kLastByte}}}));
}

CodeSet perl_class(char32_t letter, const Flags& flags) {
  switch (letter) {
    case 'd': return flags.unicode ? decimal_digits() : ascii_digit();
    case 's': return flags.unicode ? white_space() : ascii_space();
    default: return flags.unicode ? word_characters() : ascii_word();
  }
}

CodeSet any_character(const Flags& flags) {
  CodeSet except;
  if (!flags.dot_matches_line_break) except.add(CodeRange{'\n', '\n'});
  if (!flags.dot_matches_line_break && flags.crlf) except.add(CodeRange{'\r', '\r'});
  return negate(except, flags);
}

std::optional<CodeSet> posix_class(std::u32string_view name) {
  if (name == U"alnum") return CodeSet({{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}});
  if (name == U"alpha") return CodeSet({{{'A', 'Z'}, {'a', 'z'}}});
  if (name == U"ascii") return CodeSet({{{0, 0x7F}}});
  if (name == U"blank") return CodeSet({{{'\t', '\t'}, {' ', ' '}}});
  if (name == U"cntrl") return CodeSet({{{0, 0x1F}, {0x7F, 0x7F}}});
  if (name == U"digit") return ascii_digit();
  if (name == U"graph") return CodeSet({{{'!', '~'}}});
  if (name == U"lower") return CodeSet({{{'a', 'z'}}});
  if (name == U"print") return CodeSet({{{' ', '~'}}});
  if (name == U"punct") return CodeSet({{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}});
  if (name == U"space") return ascii_space();
  if (name == U"upper") return CodeSet({{{'A', 'Z'}}});
  if (name == U"word") return ascii_word();
  if (name == U"xdigit") return CodeSet({{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}});
  return std::nullopt;
}

}  // namespace helve::regex
