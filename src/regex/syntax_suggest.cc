// A suggestion is tried before it is made, so it is never another pattern that is refused.
#include "regex/syntax_suggest.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "base/utf8.h"
#include "regex/syntax_parser.h"

namespace helve::regex {
namespace {

constexpr std::size_t kLongest = 500;  // nobody reads longer ones
constexpr int kMostEscapes = 8;

std::string to_utf8(std::u32string_view text) {
  std::string bytes;
  for (const char32_t c : text) append_utf8(bytes, c);
  return bytes;
}

bool looks_like_glob(std::u32string_view pattern) {
  constexpr std::u32string_view kInGlobs = U"._-/*?{},[]!~+@";
  const auto fits = [&](char32_t c) {
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kInGlobs.contains(c);
  };
  if (pattern.size() < 3 || (pattern[0] != '*' && pattern[0] != '?')) return false;
  const bool goes_on_like_a_name = std::u32string_view(U"*._-/").contains(pattern[1]);
  return (goes_on_like_a_name || pattern.back() == '*') && std::ranges::all_of(pattern, fits);
}

// Whether something in the pattern makes sense only as a regular expression.
bool is_meant_as_regex(std::u32string_view pattern) {
  constexpr std::u32string_view kSigns[] = {U".*", U".+", U"[^", U"(?", U"]+", U"]*", U")*", U")+", U")?"};
  constexpr std::u32string_view kEscapable = U"wWsSdDbBpPnrtx.()[]{}*+?|^$\\/<>";
  for (std::size_t at = pattern.find('\\'); at != pattern.npos; at = pattern.find('\\', at + 2)) {
    if (at + 1 < pattern.size() && kEscapable.contains(pattern[at + 1])) return true;
  }
  if (pattern.starts_with('^') || (pattern.size() > 1 && pattern.ends_with('$'))) return true;
  for (std::size_t at = pattern.find('|'); at != pattern.npos; at = pattern.find('|', at + 1)) {
    const auto is_name = [&](std::size_t i) {
      return i < pattern.size() && pattern[i] > ' ' && pattern[i] != '|';
    };
    if (at > 0 && is_name(at - 1) && is_name(at + 1)) return true;  // a|b, but not a || b
  }
  return std::ranges::any_of(kSigns, [&](std::u32string_view sign) { return pattern.contains(sign); });
}

// A backslash where it is refused, again until it is accepted.
std::optional<std::u32string> escape_where_refused(std::u32string_view pattern,
                                                   const SyntaxOptions& options) {
  std::u32string attempt(pattern);
  for (int escapes = 0; escapes < kMostEscapes; ++escapes) {
    const auto parsed = parse_pattern(attempt, options);
    if (parsed) return attempt;
    if (!parsed.error().escapable) return std::nullopt;
    attempt.insert(parsed.error().begin, 1, '\\');
  }
  return std::nullopt;
}

// The end of the group that opens at `begin`; counts parentheses, which is right unless they are in classes.
std::size_t end_of_group(std::u32string_view pattern, std::size_t begin) {
  std::size_t open = 0;
  for (std::size_t i = begin; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '(') {
      ++open;
    } else if (pattern[i] == ')' && --open == 0) {
      return i + 1;
    }
  }
  return pattern.size();
}

std::optional<std::u32string> without_look_arounds(std::u32string_view pattern,
                                                   const SyntaxOptions& options) {
  std::u32string attempt(pattern);
  for (int removals = 0; removals < kMostEscapes; ++removals) {
    const auto parsed = parse_pattern(attempt, options);
    if (parsed) return attempt.empty() ? std::nullopt : std::optional(attempt);
    if (!parsed.error().look_around) return std::nullopt;
    const std::size_t begin = parsed.error().begin;
    attempt.erase(begin, end_of_group(attempt, begin) - begin);
  }
  return std::nullopt;
}

}  // namespace

Suggestion suggest(std::u32string_view pattern, const Problem& problem, const SyntaxOptions& options) {
  if (pattern.size() > kLongest || options.literal) return {};
  if (problem.look_around) {
    const auto rest = without_look_arounds(pattern, options);
    if (!rest) return {};
    return {.pattern = to_utf8(*rest), .sentence = "Without look-around the pattern is"};
  }
  if (looks_like_glob(pattern)) {
    return {.sentence =
                "This looks like a glob. Globs for file names go to find, or to filePattern beside a pattern "
                "for what is in the files."};
  }
  if (!problem.escapable) return {};
  if (!is_meant_as_regex(pattern)) {
    std::string escaped = escape(to_utf8(pattern));
    if (parse(escaped, options)) {
      return {.pattern = std::move(escaped), .sentence = "To find this text as it stands, use the pattern"};
    }
    return {};
  }
  const auto escaped = escape_where_refused(pattern, options);
  if (!escaped) return {};
  return {.pattern = to_utf8(*escaped), .sentence = "If it is meant as text there, use the pattern"};
}

}  // namespace helve::regex
