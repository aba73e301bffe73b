#include "workspace/edit_miss.h"

#include <string.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/strings.h"
#include "base/utf8.h"
#include "workspace/diff.h"
#include "workspace/diff_line.h"
#include "workspace/line_runs.h"
#include "workspace/patch_closest.h"
#include "workspace/patch_target.h"

namespace helve {
namespace {

// Beyond this a search for something similar would take longer than reading the file again.
constexpr std::size_t kLargestSearched = std::size_t{8} << 20;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (std::string_view& line : lines)
    if (line.ends_with('\r')) line.remove_suffix(1);
  return lines;
}

// "  12\ttext" or "12→text", as tools print lines; the text after the number, or nothing.
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

// The ways in which a text can be nearly right, from the smallest to the largest difference.
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

// Places where the lines are the same once differences of one kind are taken out; of the smallest kind that
// helps.
struct LoosePlaces {
  std::vector<std::size_t> first_lines;  // counting from 0
  const Looser* looser = nullptr;
};

enum class LineParts { kWhole, kAllowed };  // whether the text may begin and end within a line

// std::string::find would compare again and again where a text repeats itself.
bool has(std::string_view text, std::string_view wanted) {
  return ::memmem(text.data(), text.size(), wanted.data(), wanted.size()) != nullptr;
}

std::vector<std::size_t> places_of(std::span<const std::string> lines, std::span<const std::string> wanted,
                                   LineParts parts) {
  if (parts == LineParts::kWhole) return find_runs(lines, wanted);
  std::vector<std::size_t> places;
  if (wanted.size() == 1) {
    for (std::size_t at = 0; at < lines.size(); ++at)
      if (has(lines[at], wanted.front())) places.push_back(at);
    return places;
  }
  for (const std::size_t at :
       find_runs(lines.subspan(1, lines.size() - 2), wanted.subspan(1, wanted.size() - 2)))
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

// The most similar lines, by the measure that patches use as well.
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

}  // namespace

Error explain_miss(std::string_view bytes, const TextFormat& format, std::string_view old_text,
                   std::string_view path) {
  Error error{ErrorCode::kNotFound, concat("oldText is not in ", path, "."),
              "Read the file again and copy the text exactly, without line numbers."};
  if (const auto plain = without_line_numbers(old_text); plain && !plain->empty()) {
    const auto found = find_text(bytes, format, *plain, 2);
    error.message +=
        " Every line of it starts with a line number, as read prints them; those are not part of the file.";
    if (found && !found->empty()) {
      error.hint = "Send oldText again without the line numbers; the text itself is there.";
      error.details = JsonObject{{"kind", "LINE_NUMBERS"}};
      return error;
    }
  }
  if (bytes.size() > kLargestSearched) return error;
  const std::string decoded = decode(without_bom(bytes, format.encoding), format.encoding);
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

std::optional<LooseMatch> find_loose_match(std::string_view bytes, const TextFormat& format,
                                           std::string_view old_text) {
  if (bytes.size() > kLargestSearched) return std::nullopt;
  const std::string_view body = without_bom(bytes, format.encoding);
  const std::string decoded = decode(body, format.encoding);
  const std::vector<std::string_view> wanted = lines_of(old_text);
  const LoosePlaces places = find_loosely(lines_of(decoded), wanted, LineParts::kWhole);
  // Different letter case is a different text.
  if (places.first_lines.size() != 1 || places.looser == &looser_forms().back()) return std::nullopt;
  const LineFormat lines = format.line_format();
  const std::size_t bom = bytes.size() - body.size();
  const auto start = find_line(body, places.first_lines.front() + 1, lines);
  if (!start) return std::nullopt;
  std::string_view rest = body.substr(*start);
  std::size_t end = *start;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto line = next_line(rest, lines);
    if (!line) return std::nullopt;
    end = body.size() - rest.size() - line->ending.size();
  }
  return LooseMatch{{bom + *start, end - *start}, std::string(places.looser->what)};
}

}  // namespace helve
