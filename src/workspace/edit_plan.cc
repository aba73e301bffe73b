#include "workspace/edit_plan.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "workspace/edit_miss.h"
#include "workspace/numbered_text.h"

namespace helve {
namespace {

constexpr std::size_t kPlacesShown = 3;
constexpr std::size_t kMostMatches = 1'000'000;

// The line of a match with one line before and after it.
std::string place_text(std::string_view bytes, const TextFormat& format, const ByteSpan& span,
                       std::size_t line) {
  const LineFormat lines = format.line_format();
  const std::string_view text = without_bom(bytes, format.encoding);
  const std::size_t first = line > 1 ? line - 1 : 1;
  const std::size_t matched = count_breaks(bytes.substr(span.offset, span.length), lines);
  const std::size_t start = find_line(text, first, lines).value_or(0);
  return number_lines(text.substr(start), format.encoding, lines,
                      {.first_line = first,
                       .max_lines = std::min<std::size_t>(line - first + matched + 2, 8),
                       .max_line_characters = 200})
      .text;
}

Error ambiguous(std::string_view bytes, const TextFormat& format, const std::vector<ByteSpan>& found,
                std::string_view path) {
  std::string message = concat("oldText is in ", path, " ", with_thousands(found.size()), " times. ",
                               found.size() > kPlacesShown ? "The first three places:" : "The places:");
  JsonArray places;
  const std::size_t bom = bom_of(format.encoding).size();
  for (std::size_t i = 0; i < std::min(found.size(), kPlacesShown); ++i) {
    const std::size_t line = line_of(bytes.substr(bom), found[i].offset - bom, format.line_format());
    const std::string text = place_text(bytes, format, found[i], line);
    message += concat("\nline ", line, ":\n", text);
    places.push_back(JsonObject{{"line", line}, {"text", text}});
  }
  return {ErrorCode::kConflict, std::move(message),
          "Make oldText longer so that it fits one place only, or set replaceAll for all of them or "
          "allowMultiple for the first.",
          JsonObject{{"matches", found.size()}, {"places", std::move(places)}}};
}

// Nothing when there is no such place, or more than one.
std::optional<EditPlan> plan_loosely(std::string_view bytes, const TextFormat& format,
                                     const EditRequest& request) {
  const auto match = find_loose_match(bytes, format, request.old_text);
  if (!match) return std::nullopt;
  std::string_view text = request.new_text;
  if (request.old_text.ends_with('\n') && text.ends_with('\n')) text.remove_suffix(1);
  auto fitted = fit_text(bytes, format, match->span, text);
  if (!fitted) return std::nullopt;
  EditPlan plan{
      .matches = 1,
      .note = concat("Not an exact match: ", match->difference, " between oldText and the file.\n")};
  plan.replacements.push_back({match->span, *std::move(fitted)});
  return plan;
}

}  // namespace

Expected<EditPlan> plan_edit(std::string_view bytes, const TextFormat& format, const EditRequest& request,
                             std::string_view path) {
  if (request.old_text.empty())
    return fail(ErrorCode::kInvalidArgument, "oldText is empty.",
                "Use write to create a file; use edit with the text to be replaced.");
  if (request.old_text == request.new_text)
    return fail(ErrorCode::kInvalidArgument,
                "oldText and newText are the same, so there is nothing to change.",
                "Read the file again if you expected a difference.");
  const auto found = find_text(bytes, format, request.old_text, kMostMatches);
  if (!found) return fail(found.error());
  if (found->empty() && request.accept_loose)
    if (auto loose = plan_loosely(bytes, format, request)) return *std::move(loose);
  if (found->empty()) return fail(explain_miss(bytes, format, request.old_text, path));
  if (found->size() > 1 && !request.replace_all && !request.first_only)
    return fail(ambiguous(bytes, format, *found, path));
  if (found->size() == kMostMatches && request.replace_all)
    return fail(ErrorCode::kInvalidArgument,
                concat("oldText is found ", with_thousands(kMostMatches), " times or more in ", path,
                       ", which is too often to be replaced at once."),
                "Nothing was changed. Use a longer oldText, or a command such as sed.");
  EditPlan plan{.matches = found->size()};
  for (const ByteSpan& span : *found) {
    auto fitted = fit_text(bytes, format, span, request.new_text);
    if (!fitted) return fail(fitted.error());
    plan.replacements.push_back({span, *std::move(fitted)});
    if (!request.replace_all) break;
  }
  return plan;
}

}  // namespace helve
