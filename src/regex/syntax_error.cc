// The words of a refusal.
#include "regex/syntax_error.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "base/utf8.h"
#include "regex/syntax_suggest.h"

namespace helve::regex {
namespace {

constexpr std::size_t kPictureWidth = 72;
constexpr std::size_t kMostPatternBytes = 2000;

// The pattern around the place, and carets under the place.
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
    // A pattern to copy says more than advice on how to write one.
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
