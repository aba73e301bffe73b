#include "regex/syntax_escape.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "regex/syntax_flags.h"
#include "regex/unicode.h"

namespace helve::regex {
namespace {

struct Query {
  std::string name;
  std::string value;
  bool has_value = false;
  bool unequal = false;  // name!=value
};

Query split_query(std::string text) {
  for (const std::string_view sign : {"!=", ":", "="}) {
    const std::size_t at = text.find(sign);
    if (at == std::string::npos) continue;
    return {.name = text.substr(0, at),
            .value = text.substr(at + sign.size()),
            .has_value = true,
            .unequal = sign == "!="};
  }
  return {.name = std::move(text)};
}

std::string advise(const Query& query) {
  if (query.has_value && !has_property_values(query.name)) {
    return "Properties with values are gc (category), sc (script), scx, age, gcb, wb and sb, as in "
           "\\p{sc=Greek}.";
  }
  const std::string& unknown = query.has_value ? query.value : query.name;
  const std::vector<std::string> close =
      nearest(unknown, query.has_value ? property_values(query.name) : property_names());
  if (!close.empty()) {
    return concat("Did you mean \\p{", query.has_value ? query.name + "=" : "", close.front(), "}?");
  }
  return "Use a category such as \\p{L} or \\p{Lu}, a script such as \\p{Greek} or a property such as "
         "\\p{Alphabetic}.";
}

// \p{…} and \P{…}. The cursor is at the p; `begin` is the position of its backslash.
Parsed<Primitive> parse_property(Cursor& cursor, const Flags& flags, std::size_t begin) {
  const auto refuse_end = [&] {
    return refuse({.begin = begin,
                   .end = cursor.position(),
                   .what = "the name of the property is incomplete.",
                   .advice = "Write \\pL or \\p{Greek}.",
                   .escapable = true});
  };
  bool negated = cursor.current() == 'P';
  if (!cursor.advance_over_space()) return refuse_end();
  std::string text;
  if (cursor.current() == '{') {
    while (cursor.advance_over_space() && cursor.current() != '}') append_utf8(text, cursor.current());
    if (cursor.at_end()) return refuse_end();
    cursor.advance();
  } else {
    if (cursor.current() == '\\') return refuse_end();
    append_utf8(text, cursor.current());
    cursor.advance_over_space();
  }
  if (!flags.unicode) {
    return refuse({.begin = begin,
                   .end = cursor.position(),
                   .what = "Unicode properties are not available where (?-u) turned Unicode off.",
                   .advice = "Use an ASCII class such as [[:alpha:]], or remove the (?-u)."});
  }
  const Query query = split_query(text);
  std::optional<CodeSet> set =
      query.has_value ? find_property(query.name, query.value) : find_property(query.name);
  if (!set) {
    return refuse({.begin = begin,
                   .end = cursor.position(),
                   .what = concat("there is no Unicode property \"", text, "\"."),
                   .advice = advise(query)});
  }
  if (query.unequal) negated = !negated;
  *set = fold(*set, flags);
  if (negated) *set = negate(*set, flags);
  return Primitive{
      .kind = Primitive::Kind::kSet, .set = std::move(*set), .begin = begin, .end = cursor.position()};
}

constexpr std::string_view kNoBackReferences =
    "Matching takes time linear in the text, which rules out back-references. Search for the part without "
    "the reference and compare the results.";

std::string quoted(const Cursor& cursor, std::size_t begin) {
  std::string text = "\"";
  for (const char32_t c : cursor.between(begin, cursor.position())) append_utf8(text, c);
  return text + '"';
}

std::optional<unsigned> hex_digit(char32_t c) {
  const int value = hex_digit_value(c);
  return value < 0 ? std::nullopt : std::optional(static_cast<unsigned>(value));
}

bool is_scalar_value(char32_t code) { return code <= kLastCodePoint && (code < 0xD800 || code > 0xDFFF); }

// Appends a digit; saturates beyond the last code point to avoid overflow.
char32_t append_digit(char32_t code, unsigned digit) {
  return code > kLastCodePoint ? code : code * 16 + digit;
}

std::unexpected<Problem> refuse_end(const Cursor& cursor, std::size_t begin) {
  return refuse({.begin = begin,
                 .end = cursor.position(),
                 .what = concat("the escape ", quoted(cursor, begin), " is incomplete."),
                 .escapable = true});
}

std::unexpected<Problem> refuse_digit(const Cursor& cursor, std::size_t begin) {
  const std::size_t here = cursor.position();
  std::string digit;
  append_utf8(digit, cursor.current());
  return refuse({.begin = begin,
                 .end = here + 1,
                 .what = concat("\"", digit, "\" is not a hexadecimal digit."),
                 .advice = "Write \\x41, \\x{1F600}, \\u00E9 or \\U0001F600.",
                 .escapable = true});
}

// \xHH, \uHHHH, \UHHHHHHHH and each of them with {…}; the cursor is at the letter.
Parsed<Primitive> parse_hexadecimal(Cursor& cursor, const Flags& flags, std::size_t begin) {
  const char32_t letter = cursor.current();
  const int digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
  if (!cursor.advance_over_space()) return refuse_end(cursor, begin);
  char32_t code = 0;
  const bool braces = cursor.at('{');
  if (braces) {
    bool any = false;
    while (cursor.advance_over_space() && cursor.current() != '}') {
      const auto digit = hex_digit(cursor.current());
      if (!digit) return refuse_digit(cursor, begin);
      code = append_digit(code, *digit);
      any = true;
    }
    if (cursor.at_end()) return refuse_end(cursor, begin);
    if (!any) {
      cursor.advance();
      return refuse({.begin = begin,
                     .end = cursor.position(),
                     .what = concat(quoted(cursor, begin), " has no digits."),
                     .advice = "Write a code point in hexadecimal, as in \\x{1F600}.",
                     .escapable = true});
    }
  } else {
    for (int i = 0; i < digits; ++i) {
      if (i > 0 && !cursor.advance_over_space()) return refuse_end(cursor, begin);
      const auto digit = hex_digit(cursor.current());
      if (!digit) return refuse_digit(cursor, begin);
      code = append_digit(code, *digit);
    }
  }
  cursor.advance_over_space();
  if (!is_scalar_value(code)) {
    return refuse({.begin = begin,
                   .end = cursor.position(),
                   .what = concat(quoted(cursor, begin), " is not a valid code point."),
                   .advice = "Code points go up to 10FFFF, without the surrogates D800 to DFFF."});
  }
  const bool byte = !flags.unicode && letter == 'x' && !braces && code >= 0x80;
  return Primitive{.kind = byte ? Primitive::Kind::kByte : Primitive::Kind::kCode,
                   .code = code,
                   .begin = begin,
                   .end = cursor.position()};
}

Parsed<Primitive> parse_perl_class(Cursor& cursor, const Flags& flags, std::size_t begin) {
  const char32_t letter = cursor.current();
  cursor.advance();
  const bool negated = letter < 'a';
  CodeSet set = perl_class(negated ? letter - 'A' + 'a' : letter, flags);
  if (negated) set = negate(set, flags);
  return Primitive{
      .kind = Primitive::Kind::kSet, .set = std::move(set), .begin = begin, .end = cursor.position()};
}

Look word_look(Look unicode_look, const Flags& flags) {
  constexpr int kToAscii = static_cast<int>(Look::kWordBoundaryAscii) - static_cast<int>(Look::kWordBoundary);
  if (flags.unicode) return unicode_look;
  return static_cast<Look>(static_cast<int>(unicode_look) + kToAscii);
}

// Parses {start} and similar after \b; nullopt if it is a repetition. The cursor is at the brace.
Parsed<std::optional<Look>> parse_special_boundary(Cursor& cursor, std::size_t begin) {
  const auto belongs_to_name = [](char32_t c) { return is_letter(c) || c == '-'; };
  const std::size_t brace = cursor.position();
  if (!cursor.advance_over_space()) return refuse_end(cursor, begin);
  if (!belongs_to_name(cursor.current())) {
    cursor.go_to(brace);
    return std::nullopt;
  }
  std::string name;
  while (!cursor.at_end() && belongs_to_name(cursor.current())) {
    append_utf8(name, cursor.current());
    cursor.advance_over_space();
  }
  if (!cursor.at('}')) return refuse_end(cursor, begin);
  cursor.advance();
  if (name == "start") return Look::kWordStart;
  if (name == "end") return Look::kWordEnd;
  if (name == "start-half") return Look::kWordStartHalf;
  if (name == "end-half") return Look::kWordEndHalf;
  return refuse({.begin = begin,
                 .end = cursor.position(),
                 .what = concat(quoted(cursor, begin), " is not a word boundary."),
                 .advice = "There are \\b{start}, \\b{end}, \\b{start-half} and \\b{end-half}."});
}

std::optional<char32_t> special_character(char32_t letter) {
  switch (letter) {
    case 'a': return U'\a';
    case 'f': return U'\f';
    case 't': return U'\t';
    case 'n': return U'\n';
    case 'r': return U'\r';
    case 'v': return U'\v';
    default: return std::nullopt;
  }
}

std::optional<Look> simple_look(char32_t letter, const Flags& flags) {
  switch (letter) {
    case 'A': return Look::kTextStart;
    case 'z': return Look::kTextEnd;
    case 'b': return word_look(Look::kWordBoundary, flags);
    case 'B': return word_look(Look::kNotWordBoundary, flags);
    case '<': return word_look(Look::kWordStart, flags);
    case '>': return word_look(Look::kWordEnd, flags);
    default: return std::nullopt;
  }
}

bool is_punctuation(char32_t c) { return c < 0x80 && !is_letter_or_digit(c) && c != '<' && c != '>'; }

constexpr std::string_view kOnlySpecial =
    "Only special characters take a backslash; for a backslash itself write \\\\.";

// For escapes of other regex engines: what to write instead.
std::string_view advice_for_letter(char32_t letter) {
  switch (letter) {
    case 'Z': return "The end of the text is \\z, the end of a line is $.";
    case 'h': return "Horizontal space is [ \\t].";
    case 'H': return "Everything except horizontal space is [^ \\t].";
    case 'N': return "Everything except a line break is [^\\n].";
    case 'R': return "A line break is \\r?\\n.";
    case 'e': return "The escape character is \\x1B.";
    case 'c': return "Control characters are written by number, as in \\x03.";
    case 'Q':
    case 'E': return "\\Q and \\E are not supported: put a backslash before each special character.";
    case 'K':
    case 'G':
      return "Matches always begin where the pattern begins to match; take the part you need from the match.";
    case 'X': return "One code point is . and one with its combining marks is \\P{M}\\p{M}*.";
    default: return kOnlySpecial;
  }
}

std::unexpected<Problem> refuse_letter(const Cursor& cursor, std::size_t begin, char32_t letter) {
  if (letter == 'k' || letter == 'g') {
    return refuse({.begin = begin,
                   .end = cursor.position(),
                   .what = concat("the back-reference ", quoted(cursor, begin), " is not supported."),
                   .advice = std::string(kNoBackReferences)});
  }
  return refuse({.begin = begin,
                 .end = cursor.position(),
                 .what = concat("the escape ", quoted(cursor, begin), " is not supported."),
                 .advice = std::string(advice_for_letter(letter)),
                 .escapable = advice_for_letter(letter) == kOnlySpecial});
}

}  // namespace

Parsed<Primitive> parse_escape(Cursor& cursor, const Flags& flags) {
  const std::size_t begin = cursor.position();
  if (!cursor.advance()) {
    return refuse({.begin = begin,
                   .end = cursor.position(),
                   .what = "nothing follows the backslash.",
                   .advice = "For a backslash itself write \\\\.",
                   .escapable = true});
  }
  const char32_t letter = cursor.current();
  if (is_digit(letter)) {
    cursor.advance();
    return refuse({.begin = begin,
                   .end = cursor.position(),
                   .what = concat("the back-reference ", quoted(cursor, begin), " is not supported."),
                   .advice = std::string(kNoBackReferences)});
  }
  if (letter == 'x' || letter == 'u' || letter == 'U') return parse_hexadecimal(cursor, flags, begin);
  if (letter == 'p' || letter == 'P') return parse_property(cursor, flags, begin);
  if (std::u32string_view(U"dswDSW").contains(letter)) return parse_perl_class(cursor, flags, begin);

  cursor.advance();
  Primitive primitive{.begin = begin, .end = cursor.position()};
  if (is_punctuation(letter)) {
    primitive.code = letter;
  } else if (const auto character = special_character(letter)) {
    primitive.code = *character;
  } else if (const auto look = simple_look(letter, flags)) {
    primitive.kind = Primitive::Kind::kLook;
    primitive.look = *look;
    if (letter == 'b' && cursor.at('{')) {
      const auto special = parse_special_boundary(cursor, begin);
      if (!special) return refuse(special.error());
      if (*special) primitive.look = word_look(**special, flags);
      primitive.end = cursor.position();
    }
  } else {
    return refuse_letter(cursor, begin, letter);
  }
  return primitive;
}

}  // namespace helve::regex
