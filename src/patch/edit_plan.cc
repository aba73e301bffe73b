#include "patch/edit_plan.h"

#include <string.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "base/utf8.h"
#include "helve/error.h"
#include "patch/diff.h"
#include "patch/diff_line.h"
#include "patch/indentation.h"
#include "patch/patch_conflict.h"
#include "patch/patch_target.h"
#include "text/numbered_text.h"
#include "text/span_edit.h"
#include "text/text_match.h"

namespace helve::patch {
namespace {

// In larger files, a search for similar text would take longer than reading the file again.
constexpr std::size_t kLargestSearched = std::size_t{8} << 20;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (std::string_view& line : lines)
    if (line.ends_with('\r')) line.remove_suffix(1);
  return lines;
}

// The text after the line number in "  12\ttext" or "12→text"; nullopt without a number.
std::optional<std::string_view> without_line_number(std::string_view line) {
  const std::string_view start = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  const std::size_t digits = std::min(start.find_first_not_of("0123456789"), start.size());
  if (digits == 0) return std::nullopt;
  const std::string_view rest = start.substr(digits);
  for (const std::string_view mark : {"\t", "→", ": ", "| "})
    if (rest.starts_with(mark)) return rest.substr(mark.size());
  return std::nullopt;
}

std::optional<std::string> without_line_numbers(std::string_view text) {
  std::string plain;
  for (const std::string_view line : lines_of(text)) {
    const auto rest = without_line_number(line);
    if (!rest) return std::nullopt;
    plain += concat(plain.empty() ? "" : "\n", *rest);
  }
  return plain;
}

std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : trim(text)) {
    const bool space = c == ' ' || c == '\t';
    if (!space || !out.ends_with(' ')) out += space ? ' ' : c;
  }
  return out;
}

// Kinds of small differences, from the smallest to the largest.
struct Looser {
  std::string_view what;
  std::string (*form)(std::string_view line);
};
const std::array<Looser, 5>& looser_forms() {
  static const std::array<Looser, 5> kForms{{
      {"only white space at line ends differs",
       [](std::string_view line) { return std::string(line.substr(0, line.find_last_not_of(" \t") + 1)); }},
      {"only the indentation differs", [](std::string_view line) { return std::string(trim(line)); }},
      {"only white space differs", [](std::string_view line) { return squeezed(line); }},
      {"only quotes, dashes or special spaces differ",
       [](std::string_view line) { return squeezed(plain_punctuation(line)); }},
      {"only letter case differs",
       [](std::string_view line) { return to_lower(squeezed(plain_punctuation(line))); }},
  }};
  return kForms;
}

struct Region {
  std::size_t first_line;  // counting from 0
  std::size_t line_count;
  std::string difference;
};

// Places where the lines are equal except for one kind of difference, the smallest that matches.
struct LoosePlaces {
  std::vector<std::size_t> first_lines;  // counting from 0
  const Looser* looser = nullptr;
};

enum class LineParts { kWhole, kAllowed };  // may the text begin and end within a line?

// memmem, because std::string::find is quadratic on repetitive texts.
bool has(std::string_view text, std::string_view wanted) {
  return ::memmem(text.data(), text.size(), wanted.data(), wanted.size()) != nullptr;
}

std::vector<std::size_t> places_of(std::span<const std::string> lines, std::span<const std::string> wanted,
                                   LineParts parts) {
  if (parts == LineParts::kWhole) return text::find_runs(lines, wanted);
  std::vector<std::size_t> places;
  if (wanted.size() == 1) {
    for (std::size_t at = 0; at < lines.size(); ++at)
      if (has(lines[at], wanted.front())) places.push_back(at);
    return places;
  }
  for (const std::size_t at :
       text::find_runs(lines.subspan(1, lines.size() - 2), wanted.subspan(1, wanted.size() - 2)))
    if (lines[at].ends_with(wanted.front()) && lines[at + wanted.size() - 1].starts_with(wanted.back()))
      places.push_back(at);
  return places;
}

LoosePlaces find_loosely(const std::vector<std::string_view>& file,
                         const std::vector<std::string_view>& wanted, LineParts parts) {
  LoosePlaces places;
  if (wanted.empty() || wanted.size() > file.size()) return places;
  for (const Looser& looser : looser_forms()) {
    std::vector<std::string> wanted_forms;
    for (const std::string_view line : wanted) wanted_forms.push_back(looser.form(line));
    if (wanted_forms.front().empty() || wanted_forms.back().empty()) continue;
    std::vector<std::string> forms;
    forms.reserve(file.size());
    for (const std::string_view line : file) forms.push_back(looser.form(line));
    places.looser = &looser;
    places.first_lines = places_of(forms, wanted_forms, parts);
    if (!places.first_lines.empty()) return places;
  }
  return places;
}

// The most similar lines, by the same measure as for patches.
std::optional<Region> find_similar(std::string_view text, const std::vector<std::string_view>& wanted) {
  FilePatch patch;
  Hunk hunk;
  for (const std::string_view line : wanted) hunk.lines.push_back({'-', std::string(line), true});
  patch.hunks.push_back(std::move(hunk));
  const PatchTarget target(text, patch);
  const auto closest = find_closest(target, patch.hunks.front(), 0);
  if (!closest) return std::nullopt;
  return Region{closest->first_line, closest->line_count, join(closest->differences, "; ")};
}

std::string quoted_region(const std::vector<std::string_view>& file, const Region& region) {
  std::string out;
  const std::size_t end = std::min(region.first_line + region.line_count, file.size());
  const std::size_t shown = std::min<std::size_t>(end, region.first_line + 30);
  for (std::size_t i = region.first_line; i < shown; ++i)
    out += concat(i + 1, "\t", utf8_prefix(file[i], 500), "\n");
  if (shown < end) out += concat("… ", end - shown, " more lines\n");
  return out;
}

// NOT_FOUND with the closest region, its line numbers and the kind of difference: white space, indentation,
// quotes, letter case, line numbers pasted from `read`. The work is bounded for any file.
Error explain_miss(std::string_view bytes, const text::TextFormat& format, std::string_view old_text,
                   std::string_view path) {
  Error error{ErrorCode::kNotFound, concat("oldText is not in ", path, "."),
              "Read the file again and copy the text exactly, without line numbers."};
  if (const auto plain = without_line_numbers(old_text); plain && !plain->empty()) {
    const auto found = text::find_text(bytes, format, *plain, 2);
    error.message +=
        " Every line of it starts with a line number, as printed by read. Line numbers are not part of the "
        "file.";
    if (found && !found->empty()) {
      error.hint = "Send oldText again without the line numbers. The text itself is in the file.";
      error.kind = ErrorKind::kLineNumbers;
      return error;
    }
  }
  if (bytes.size() > kLargestSearched) return error;
  const std::string decoded = text::decode(text::without_bom(bytes, format.encoding), format.encoding);
  const std::vector<std::string_view> file = lines_of(decoded);
  const std::vector<std::string_view> wanted = lines_of(old_text);
  const LoosePlaces loose = find_loosely(file, wanted, LineParts::kAllowed);
  const bool nearly = !loose.first_lines.empty();
  const auto region =
      nearly
          ? std::optional(Region{loose.first_lines.front(), wanted.size(), std::string(loose.looser->what)})
          : find_similar(decoded, wanted);
  if (!region) return error;
  const std::size_t last = region->first_line + region->line_count;
  error.message += concat(" The closest text is at lines ", region->first_line + 1, "–", last);
  if (!region->difference.empty()) error.message += concat("; ", region->difference);
  error.message += concat(":\n", quoted_region(file, *region));
  std::string there;
  for (std::size_t i = region->first_line; i < std::min(last, file.size()); ++i)
    there += concat(file[i], "\n");
  std::string asked;
  for (const std::string_view line : wanted) asked += concat(line, "\n");
  const UnifiedDiff diff =
      unified_diff(asked, there, {.context_lines = 1, .max_lines = 40, .max_bytes = 4000});
  error.message += concat("How it differs from oldText (- yours, + the file):\n", diff.text);
  if (nearly) error.hint = "Copy the lines above exactly as they are in the file.";
  error.details = JsonObject{{"closest", JsonObject{{"firstLine", region->first_line + 1},
                                                    {"lastLine", last},
                                                    {"difference", region->difference}}}};
  return error;
}

struct LooseMatch {
  text::ByteSpan span;  // whole lines, without the last one's ending
  std::string difference;
  Indentation indentation;  // from that of old_text to that of the file
};

// The place where the text occurs except for white space or typographic characters, if it is unique and
// covers whole lines.
std::optional<LooseMatch> find_loose_match(std::string_view bytes, const text::TextFormat& format,
                                           std::string_view old_text) {
  if (bytes.size() > kLargestSearched) return std::nullopt;
  const std::string_view body = text::without_bom(bytes, format.encoding);
  const std::string decoded = text::decode(body, format.encoding);
  const std::vector<std::string_view> wanted = lines_of(old_text);
  const std::vector<std::string_view> file = lines_of(decoded);
  const LoosePlaces places = find_loosely(file, wanted, LineParts::kWhole);
  // A different letter case is never accepted.
  if (places.first_lines.size() != 1 || places.looser == &looser_forms().back()) return std::nullopt;
  const text::LineFormat lines = format.line_format();
  const std::size_t bom = bytes.size() - body.size();
  const auto start = text::find_line(body, places.first_lines.front() + 1, lines);
  if (!start) return std::nullopt;
  std::string_view rest = body.substr(*start);
  std::size_t end = *start;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto line = text::next_line(rest, lines);
    if (!line) return std::nullopt;
    end = body.size() - rest.size() - line->ending.size();
  }
  LooseMatch match{{bom + *start, end - *start}, std::string(places.looser->what), {}};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    match.indentation.note(wanted[i], file[places.first_lines.front() + i]);
  return match;
}

constexpr std::size_t kPlacesShown = 3;
constexpr std::size_t kMostMatches = 1'000'000;

// The line of a match with one line before and after it.
std::string place_text(std::string_view bytes, const text::TextFormat& format, const text::ByteSpan& span,
                       std::size_t line) {
  const text::LineFormat lines = format.line_format();
  const std::string_view text = text::without_bom(bytes, format.encoding);
  const std::size_t first = line > 1 ? line - 1 : 1;
  const std::size_t matched = text::count_breaks(bytes.substr(span.offset, span.length), lines);
  const std::size_t start = text::find_line(text, first, lines).value_or(0);
  return text::number_lines(text.substr(start), format.encoding, lines,
                            {.first_line = first,
                             .max_lines = std::min<std::size_t>(line - first + matched + 2, 8),
                             .max_line_characters = 200})
      .text;
}

Error ambiguous(std::string_view bytes, const text::TextFormat& format,
                const std::vector<text::ByteSpan>& found, const EditRequest& request, std::string_view path) {
  std::string message = concat("oldText is in ", path, " ", with_thousands(found.size()), " times. ",
                               found.size() > kPlacesShown ? "The first three places:" : "The places:");
  JsonArray places;
  const std::size_t bom = text::bom_of(format.encoding).size();
  for (std::size_t i = 0; i < std::min(found.size(), kPlacesShown); ++i) {
    const std::size_t line = text::line_of(bytes.substr(bom), found[i].offset - bom, format.line_format());
    const std::string text = place_text(bytes, format, found[i], line);
    message += concat("\nline ", line, ":\n", text);
    places.push_back(JsonObject{{"line", line}, {"text", text}});
  }
  return {ErrorCode::kConflict, std::move(message),
          concat("Make oldText longer so that it matches only one place, or set replaceAll for all of them",
                 request.may_take_first ? " or allowMultiple for the first." : "."),
          JsonObject{{"matches", found.size()}, {"places", std::move(places)}}};
}

// nullopt unless there is exactly one such place.
std::optional<EditPlan> plan_loosely(std::string_view bytes, const text::TextFormat& format,
                                     const EditRequest& request) {
  const auto match = find_loose_match(bytes, format, request.old_text);
  if (!match) return std::nullopt;
  std::string_view text = request.new_text;
  if (request.old_text.ends_with('\n') && text.ends_with('\n')) text.remove_suffix(1);
  const std::string indented = match->indentation.convert(text);
  auto fitted = text::fit_text(bytes, format, match->span, indented);
  if (!fitted) return std::nullopt;
  EditPlan plan{.matches = 1,
                .note = concat("Not an exact match: ", match->difference, " between oldText and the file.",
                               indented == text ? "" : " newText was indented like the file.", "\n")};
  plan.replacements.push_back({match->span, *std::move(fitted)});
  return plan;
}

}  // namespace

Expected<EditPlan> plan_edit(std::string_view bytes, const text::TextFormat& format,
                             const EditRequest& request, std::string_view path) {
  if (request.old_text.empty())
    return fail(ErrorCode::kInvalidArgument, "oldText is empty.",
                "Use write to create a file; use edit with the text to be replaced.");
  if (request.old_text == request.new_text)
    return fail(ErrorCode::kInvalidArgument,
                "oldText and newText are the same, so there is nothing to change.",
                "Read the file again if you expected a difference.");
  const auto overlaps = request.replace_all ? text::Overlaps::kLeftOut : text::Overlaps::kFound;
  const auto found = text::find_text(bytes, format, request.old_text, kMostMatches, overlaps);
  if (!found) return fail(found.error());
  if (found->empty() && request.accept_loose)
    if (auto loose = plan_loosely(bytes, format, request)) return *std::move(loose);
  if (found->empty()) return fail(explain_miss(bytes, format, request.old_text, path));
  if (found->size() > 1 && !request.replace_all && !request.first_only)
    return fail(ambiguous(bytes, format, *found, request, path));
  if (found->size() == kMostMatches && request.replace_all)
    return fail(ErrorCode::kInvalidArgument,
                concat("oldText is found ", with_thousands(kMostMatches), " times or more in ", path,
                       ", which is too often to be replaced at once."),
                "Nothing was changed. Use a longer oldText, or a command such as sed.");
  EditPlan plan{.matches = found->size()};
  for (const text::ByteSpan& span : *found) {
    auto fitted = text::fit_text(bytes, format, span, request.new_text);
    if (!fitted) return fail(fitted.error());
    plan.replacements.push_back({span, *std::move(fitted)});
    if (!request.replace_all) break;
  }
  return plan;
}

}  // namespace helve::patch
