#include "patch/diff_line.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::patch {
namespace {

std::string words_for_indent(std::string_view indent) {
  const auto tabs = static_cast<std::size_t>(std::ranges::count(indent, '\t'));
  const std::size_t spaces = indent.size() - tabs;
  if (indent.empty()) return "none";
  if (tabs == 0) return count_of(spaces, "space");
  return spaces == 0 ? count_of(tabs, "tab")
                     : concat(count_of(tabs, "tab"), " and ", count_of(spaces, "space"));
}

std::string without_spaces(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out),
                       [](char c) { return c != ' ' && c != '\t' && c != '\r'; });
  return out;
}

}  // namespace

std::string plain_punctuation(std::string_view text) {
  static constexpr auto kPlain = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"\u2018", "'"},
      {"\u2019", "'"},
      {"\u201A", "'"},
      {"\u201C", "\""},
      {"\u201D", "\""},
      {"\u201E", "\""},
      {"\u2013", "-"},
      {"\u2014", "-"},
      {"\u2011", "-"},
      {"\u2212", "-"},
      {"\u00A0", " "},
      {"\u202F", " "},
      {"\u2026", "..."},
      {"\uFEFF", ""},
  });
  std::string out(text);
  for (const auto& [fancy, plain] : kPlain) out = replace_all(out, fancy, plain);
  return out;
}

std::string_view without_ending(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view without_trailing_space(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r\n\f\v");
  return last == std::string_view::npos ? std::string_view() : line.substr(0, last + 1);
}

std::string quote_line(std::string_view text) {
  constexpr std::size_t kMostBytes = 80;
  const std::string_view shown = text.size() > kMostBytes ? utf8_prefix(text, kMostBytes) : text;
  return concat("`", to_valid_utf8(shown), shown.size() < text.size() ? "…`" : "`");
}

std::string describe_line_difference(std::string_view expected, std::string_view found) {
  if (expected == found) return {};
  if (without_ending(expected) == without_ending(found)) return "the line ending differs";
  if (without_trailing_space(expected) == without_trailing_space(found))
    return "the whitespace at its end differs";
  if (trim(expected) == trim(found)) {
    const auto indent_of = [](std::string_view line) {
      return line.substr(0, line.find_first_not_of(" \t"));
    };
    return concat("the indentation differs: ", words_for_indent(indent_of(expected)), " expected, ",
                  words_for_indent(indent_of(found)), " found");
  }
  std::string what;
  if (expected.size() <= 10'000 && found.size() <= 10'000) {
    if (without_spaces(expected) == without_spaces(found))
      what = "only spaces inside it differ";
    else if (to_lower(trim(expected)) == to_lower(trim(found)))
      what = "upper and lower case differ";
    else if (trim(plain_punctuation(expected)) == trim(plain_punctuation(found)))
      what = "typographic quotes, dashes or spaces differ";
    if (!what.empty()) what += ": ";
  }
  // A long line is shown from shortly before the first difference.
  std::size_t same = 0;
  while (same < std::min(expected.size(), found.size()) && expected[same] == found[same]) ++same;
  const std::size_t skip = same <= 60 ? 0 : same - 20;
  const auto from = [skip](std::string_view line) {
    const std::string_view shown = utf8_suffix(line, line.size() - std::min(skip, line.size()));
    return concat(skip == 0 ? "" : "…", quote_line(shown));
  };
  return concat(what, from(expected), " expected, ", from(found), " found");
}

}  // namespace helve::patch
