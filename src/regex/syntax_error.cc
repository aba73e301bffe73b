#include "regex/syntax_error.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "regex/syntax.h"
#include "regex/syntax_parser.h"

namespace helve::regex {
namespace {

struct Suggestion {
  std::string pattern = {};   // a valid pattern; empty if there is no suggestion
  std::string sentence = {};  // introduces the pattern, or tells what to do instead
};

constexpr std::size_t kLongest = 500;  // longer suggestions are useless
constexpr int kMostEscapes = 8;

std::string to_utf8(std::u32string_view text) {
  std::string bytes;
  for (const char32_t c : text) append_utf8(bytes, c);
  return bytes;
}

bool looks_like_glob(std::u32string_view pattern) {
  constexpr std::u32string_view kInGlobs = U"._-/*?{},[]!~+@";
  const auto fits = [&](char32_t c) { return c >= 0x80 || is_letter_or_digit(c) || kInGlobs.contains(c); };
  if (pattern.size() < 3 || (pattern[0] != '*' && pattern[0] != '?')) return false;
  const bool goes_on_like_a_name = std::u32string_view(U"*._-/").contains(pattern[1]);
  return (goes_on_like_a_name || pattern.back() == '*') && std::ranges::all_of(pattern, fits);
}

// Whether the pattern contains something that makes sense only in a regular expression.
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

// Inserts a backslash at each error until the pattern is valid.
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

// The end of the group that opens at `begin`. Counts parentheses, which is correct unless they are in
// classes.
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

Suggestion suggest(std::u32string_view pattern, const Problem& problem, const SyntaxOptions& options) {
  if (pattern.size() > kLongest || options.literal) return {};
  if (problem.look_around) {
    const auto rest = without_look_arounds(pattern, options);
    if (!rest) return {};
    return {.pattern = to_utf8(*rest), .sentence = "Without look-around the pattern is"};
  }
  if (looks_like_glob(pattern)) {
    return {.sentence =
                "This looks like a glob. Pass it to find, or as filePattern together with a pattern for the "
                "contents."};
  }
  if (!problem.escapable) return {};
  if (!is_meant_as_regex(pattern)) {
    std::string escaped = escape(to_utf8(pattern));
    if (parse(escaped, options)) {
      return {.pattern = std::move(escaped), .sentence = "To find this exact text, use the pattern"};
    }
    return {};
  }
  const auto escaped = escape_where_refused(pattern, options);
  if (!escaped) return {};
  return {.pattern = to_utf8(*escaped), .sentence = "To match it literally, use the pattern"};
}

constexpr std::size_t kPictureWidth = 72;
constexpr std::size_t kMostPatternBytes = 2000;

// Draws the pattern around the problem, with carets under it.
std::string draw(const Problem& problem, std::u32string_view pattern) {
  const std::size_t before = kPictureWidth / 2;
  const std::size_t begin = problem.begin > before ? problem.begin - before : 0;
  const std::size_t end = std::min(pattern.size(), begin + kPictureWidth);
  std::string picture = begin > 0 ? "…" : "";
  for (const char32_t c : pattern.substr(begin, end - begin)) append_utf8(picture, c < ' ' ? U' ' : c);
  if (end < pattern.size()) picture += "…";
  picture += '\n';
  picture.append(problem.begin - begin + (begin > 0 ? 1 : 0), ' ');
  picture.append(std::max<std::size_t>(1, std::min(problem.end, end) - std::min(problem.begin, end)), '^');
  return picture;
}

}  // namespace

Error describe(const Problem& problem, std::u32string_view pattern, const SyntaxOptions& options) {
  std::string text;
  for (const char32_t c : pattern) append_utf8(text, c);
  JsonObject details{{"pattern", shortened(text, kMostPatternBytes)},
                     {"offset", problem.begin},
                     {"length", problem.end - problem.begin},
                     {"picture", draw(problem, pattern)}};
  std::string hint = problem.advice;
  if (Suggestion suggestion = suggest(pattern, problem, options); !suggestion.pattern.empty()) {
    // A ready pattern is more useful than advice.
    hint = concat(problem.look_around ? problem.advice + " " : "", suggestion.sentence, ": ",
                  suggestion.pattern);
    details.append("suggestion", std::move(suggestion.pattern));
  } else if (!suggestion.sentence.empty()) {
    hint = std::move(suggestion.sentence);
  }
  return {.code = ErrorCode::kInvalidArgument,
          .message = concat("The pattern is not valid at character ", problem.begin + 1, ": ", problem.what),
          .hint = std::move(hint),
          .details = std::move(details)};
}

}  // namespace helve::regex
