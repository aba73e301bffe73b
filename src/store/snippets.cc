#include "store/snippets.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::store {
namespace {

constexpr std::size_t kMaxDescription = 10'000;  // characters
constexpr std::size_t kMaxWord = 100;            // characters of a language or tag
constexpr std::size_t kMaxTags = 50;

Expected<void> check_text(std::string_view what, std::string_view text, std::size_t most) {
  if (!is_valid_utf8(text))
    return fail(ErrorCode::kInvalidArgument, concat("The snippet's ", what, " is not valid UTF-8."),
                "Convert it to UTF-8 first.");
  if (const std::size_t length = count_characters(text); length > most)
    return fail(ErrorCode::kInvalidArgument, concat("The snippet's ", what, " has ", with_thousands(length),
                                                    " characters; the limit is ", with_thousands(most), "."));
  return {};
}

bool has_controls(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

}  // namespace

Expected<SnippetDraft> checked(SnippetDraft draft) {
  draft.name = std::string(trim(draft.name));
  draft.language = std::string(trim(draft.language));
  if (draft.name.empty())
    return fail(ErrorCode::kInvalidArgument, "The snippet's name is empty.", "Pass a name.");
  auto fits = check_text("name", draft.name, kMaxSnippetName);
  if (fits) fits = check_text("description", draft.description, kMaxDescription);
  if (fits) fits = check_text("language", draft.language, kMaxWord);
  if (!fits) return fail(std::move(fits).error());
  if (has_controls(draft.name) || has_controls(draft.language))
    return fail(ErrorCode::kInvalidArgument,
                "The snippet's name or language has line breaks or control characters.",
                "Use one line of ordinary text.");
  if (draft.code.empty())
    return fail(ErrorCode::kInvalidArgument, "The snippet has no code.", "Pass the code to save.");
  if (draft.code.size() > kMaxSnippetCode)
    return fail(ErrorCode::kInvalidArgument,
                concat("The snippet's code has ", with_thousands(draft.code.size()), " bytes; the limit is ",
                       with_thousands(kMaxSnippetCode), "."),
                "Save only the relevant part, or use a file.");
  if (!is_valid_utf8(draft.code))
    return fail(ErrorCode::kInvalidArgument, "The snippet's code is not valid UTF-8.",
                "Convert it to UTF-8 first.");
  std::vector<std::string> tags;
  for (const std::string& tag : draft.tags) {
    std::string word(trim(tag));
    if (word.contains(','))
      return fail(ErrorCode::kInvalidArgument, concat("The tag \"", word, "\" contains a comma."),
                  "Pass each tag separately.");
    if (auto tag_fits = check_text("tag", word, kMaxWord); !tag_fits)
      return fail(std::move(tag_fits).error());
    if (has_controls(word))
      return fail(ErrorCode::kInvalidArgument, "A tag of the snippet has line breaks or control characters.",
                  "Use one line of ordinary text.");
    if (!word.empty() && std::ranges::find(tags, word) == tags.end()) tags.push_back(std::move(word));
  }
  if (tags.size() > kMaxTags)
    return fail(ErrorCode::kInvalidArgument,
                concat("The snippet has ", tags.size(), " tags; the limit is ", kMaxTags, "."));
  draft.tags = std::move(tags);
  return draft;
}

std::size_t count_lines(std::string_view text) {
  const auto breaks = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return breaks + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace helve::store
