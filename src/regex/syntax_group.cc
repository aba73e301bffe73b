#include "regex/syntax_group.h"

#include <string_view>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "regex/unicode.h"

namespace helve::regex {
namespace {

constexpr std::u32string_view kLookArounds[] = {U"?=", U"?!", U"?<=", U"?<!"};

bool is_alphabetic(char32_t code) {
  static const CodeSet set = find_property("Alphabetic").value_or(CodeSet());
  return set.contains(code);
}

bool is_numeric(char32_t code) {
  static const CodeSet set = find_property("N").value_or(CodeSet());
  return set.contains(code);
}

bool may_be_in_name(char32_t c, bool first) {
  if (c == '_') return true;
  if (c < 0x80) {
    if (first) return is_letter(c);
    return is_letter_or_digit(c) || c == '.' || c == '[' || c == ']';
  }
  return is_alphabetic(c) || (!first && is_numeric(c));
}

bool* flag_of(Flags& flags, char32_t letter) {
  switch (letter) {
    case 'i': return &flags.ignore_case;
    case 'm': return &flags.multi_line;
    case 's': return &flags.dot_matches_line_break;
    case 'U': return &flags.swap_greed;
    case 'u': return &flags.unicode;
    case 'R': return &flags.crlf;
    case 'x': return &flags.ignore_space;
    default: return nullptr;
  }
}

std::unexpected<Problem> refuse_flag(const Cursor& cursor, std::size_t begin) {
  const std::size_t here = cursor.position();
  const auto is = [&](std::u32string_view text) { return Cursor(cursor).take(text); };
  Problem problem{.begin = begin, .end = here + 1};
  if (is(U">")) {
    problem.what = "atomic groups are not supported.";
    problem.advice = "Use a plain group (?:…): matching takes time linear in the text anyway.";
  } else if (is(U"#")) {
    problem.what = "comments (?#…) are not supported.";
    problem.advice = "Remove the comment, or begin the pattern with (?x) and write # before comments.";
  } else if (is(U"P=") || is(U"P>") || is(U"&")) {
    problem.what = "references to groups are not supported.";
    problem.advice =
        "Matching takes time linear in the text, which rules out references. Search for the part without it "
        "and compare the results.";
  } else if (is(U"|") || is(U"(")) {
    problem.what = "conditions and branch resets are not supported.";
    problem.advice = "Write the alternatives out: (?:a|b).";
  } else if (is(U"'")) {
    problem.what = "group names in quotes are not supported.";
    problem.advice = "Write (?<name>…).";
  } else {
    std::string letter;
    append_utf8(letter, cursor.current());
    problem.begin = here;
    problem.what = concat("there is no flag \"", letter, "\".");
    problem.advice = "Flags are i, m, s, x, U, u and R; a group without a name is (?:…).";
  }
  return refuse(std::move(problem));
}

// Parses the letters after (? up to : or ), and leaves the cursor there.
Parsed<Flags> parse_flags(Cursor& cursor, Flags flags, std::size_t begin) {
  bool value = true;
  bool dangling = false;
  std::u32string seen;
  while (!cursor.at(':') && !cursor.at(')')) {
    const char32_t letter = cursor.current();
    const std::size_t here = cursor.position();
    bool* const flag = flag_of(flags, letter);
    if (flag == nullptr && letter != '-') return refuse_flag(cursor, begin);
    if (seen.contains(letter)) {
      return refuse({.begin = here, .end = here + 1, .what = "this flag is given twice."});
    }
    seen += letter;
    dangling = letter == '-';
    if (dangling) value = false;
    if (flag != nullptr) *flag = value;
    if (!cursor.advance()) {
      return refuse(
          {.begin = begin, .end = cursor.position(), .what = "the group of flags is never closed."});
    }
  }
  if (dangling) {
    const std::size_t here = cursor.position();
    return refuse({.begin = here - 1, .end = here, .what = "no flag follows the \"-\"."});
  }
  return flags;
}

Parsed<bool> parse_name(Cursor& cursor, std::size_t group, std::set<std::u32string>& names) {
  const std::size_t begin = cursor.position();
  while (!cursor.at_end() && !cursor.at('>')) {
    if (!may_be_in_name(cursor.current(), cursor.position() == begin)) {
      return refuse(
          {.begin = cursor.position(),
           .end = cursor.position() + 1,
           .what = "this character cannot be in the name of a group.",
           .advice =
               "Names consist of letters, digits and _, and do not begin with a digit. They have no effect: "
               "use a plain group (…)."});
    }
    cursor.advance();
  }
  const std::size_t end = cursor.position();
  if (cursor.at_end()) {
    return refuse({.begin = group, .end = end, .what = "the name of the group is never closed by \">\"."});
  }
  cursor.advance();
  if (end == begin)
    return refuse({.begin = group, .end = end + 1, .what = "the name of the group is empty."});
  if (!names.emplace(cursor.between(begin, end)).second) {
    return refuse({.begin = begin, .end = end, .what = "two groups have this name."});
  }
  return true;
}

}  // namespace

Parsed<GroupOpening> parse_group_opening(Cursor& cursor, const Flags& flags,
                                         std::set<std::u32string>& names) {
  const std::size_t begin = cursor.position();
  cursor.advance();
  cursor.skip_space();
  for (const std::u32string_view look_around : kLookArounds) {
    if (!cursor.take(look_around)) continue;
    return refuse({.begin = begin,
                   .end = cursor.position(),
                   .what = "look-around is not supported.",
                   .advice =
                       "Matching takes time linear in the text, which rules out look-around. Search for the "
                       "part without it and filter the results.",
                   .look_around = true});
  }
  if (cursor.take(U"?P<") || cursor.take(U"?<")) {
    if (auto name = parse_name(cursor, begin, names); !name) return refuse(std::move(name.error()));
    return GroupOpening{.flags = flags};
  }
  const std::size_t mark = cursor.position();
  if (!cursor.take(U"?")) return GroupOpening{.flags = flags};
  if (cursor.at_end()) {
    return refuse({.begin = begin, .end = begin + 1, .what = "\"(\" is never closed.", .escapable = true});
  }
  auto changed = parse_flags(cursor, flags, begin);
  if (!changed) return refuse(std::move(changed.error()));
  const bool only_flags = cursor.at(')');
  if (only_flags && cursor.position() == mark + 1) {
    return refuse({.begin = mark,
                   .end = mark + 1,
                   .what = "\"?\" has nothing to repeat.",
                   .advice = "Write (?:…) for a group, or \\? for a question mark.",
                   .escapable = true});
  }
  cursor.advance();
  return GroupOpening{.flags = *changed, .only_flags = only_flags};
}

}  // namespace helve::regex
