// Classes by Unicode property, and what was probably meant by a name that there is not.
#include "regex/syntax_property.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "base/utf8.h"
#include "regex/syntax_algebra.h"
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
  return "Known are categories such as \\p{L} and \\p{Lu}, scripts such as \\p{Greek} and properties such as "
         "\\p{Alphabetic}.";
}

}  // namespace

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
                   .advice = "Use an ASCII class such as [[:alpha:]], or leave the (?-u) out."});
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

}  // namespace helve::regex
