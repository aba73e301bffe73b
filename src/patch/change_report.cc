#include "patch/change_report.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "patch/diff.h"
#include "text/numbered_text.h"

namespace helve::patch {
namespace {

constexpr std::size_t kContextLines = 3;
constexpr std::size_t kLargestCompared = std::size_t{4} << 20;
constexpr std::size_t kSnippetLines = 20;

// The start of the line that is `lines` before the one at `offset`, and the number of line breaks before it.
std::size_t lines_back(std::string_view bytes, std::size_t offset, std::size_t lines,
                       const text::LineFormat& format) {
  const std::size_t unit = text::TextEncoding{.charset = format.charset}.unit_size();
  std::size_t at = offset;
  std::size_t breaks = 0;
  while (at > 0) {
    const std::string_view before = bytes.substr(at - unit, unit);
    if (text::count_breaks(before, format) > 0 && breaks++ == lines) break;
    at -= unit;
  }
  return at;
}

std::size_t lines_forward(std::string_view bytes, std::size_t offset, std::size_t lines,
                          const text::LineFormat& format) {
  std::string_view rest = bytes.substr(offset);
  for (std::size_t i = 0; i <= lines && !rest.empty(); ++i) {
    if (!text::next_line(rest, format)) break;
  }
  return bytes.size() - rest.size();
}

std::string shown(std::string_view bytes, const text::TextEncoding& encoding) {
  if (encoding.charset == text::Charset::kUtf8) return to_valid_utf8(bytes);
  return encoding.is_text() ? text::decode(bytes, encoding) : std::string();
}

void add_diff(ChangeReport& report, const ReportPaths& paths, std::string_view before, std::string_view after,
              std::size_t lines_before) {
  const UnifiedDiff diff = unified_diff(before, after,
                                        {.old_path = paths.old_path,
                                         .new_path = paths.new_path,
                                         .lines_before = lines_before,
                                         .max_lines = 200,
                                         .max_bytes = 16'000});
  report.diff = diff.text;
  report.is_whole = !diff.is_cut() && !diff.text.empty();
  report.added_lines = diff.added_lines;
  report.removed_lines = diff.removed_lines;
  if (diff.is_cut())
    report.diff +=
        concat("… ", with_thousands(diff.lines_left_out), " more lines of the diff are left out\n");
}

// The new lines around the first change; the texts must differ.
std::string snippet_of(std::string_view before, std::string_view after, const text::TextFormat& format) {
  const text::LineFormat lines = format.line_format();
  const std::size_t bom = text::bom_of(format.encoding).size();
  const std::size_t unit = format.encoding.unit_size();
  const auto differ = std::ranges::mismatch(before, after);
  auto at = static_cast<std::size_t>(differ.in2 - after.begin());
  at -= at % unit;
  const std::size_t start = std::max(bom, lines_back(after, std::max(at, bom), kContextLines, lines));
  const std::size_t line = text::count_breaks(after.substr(bom, start - bom), lines) + 1;
  return text::number_lines(after.substr(start), format.encoding, lines,
                            {.first_line = line, .max_lines = kSnippetLines, .max_line_characters = 300})
      .text;
}

}  // namespace

std::size_t text_length(std::string_view bytes) {
  const text::TextFormat format = text::inspect_text(bytes);
  if (!format.encoding.is_text()) return bytes.size();
  return count_characters(shown(text::without_bom(bytes, format.encoding), format.encoding));
}

ChangeReport report_change(const ReportPaths& paths, std::string_view bytes, const text::TextFormat& format,
                           std::span<const text::Replacement> replacements) {
  ChangeReport report;
  if (replacements.empty()) return report;
  const text::LineFormat lines = format.line_format();
  const std::size_t bom = text::bom_of(format.encoding).size();
  // Only the lines around the change are compared, so that a small edit of a huge file is fast.
  const std::size_t start =
      std::max(bom, lines_back(bytes, replacements.front().span.offset, kContextLines, lines));
  const std::size_t end = lines_forward(bytes, replacements.back().span.end(), kContextLines, lines);
  std::string after;
  std::size_t at = start;
  for (const text::Replacement& replacement : replacements) {
    after += bytes.substr(at, replacement.span.offset - std::min(replacement.span.offset, at));
    after += replacement.bytes;
    at = replacement.span.end();
  }
  after += bytes.substr(at, end - std::min(end, at));
  const std::size_t lines_before = text::count_breaks(bytes.substr(bom, start - bom), lines);
  if (end - start > kLargestCompared || after.size() > kLargestCompared) {
    report.diff = concat("(The change is too large for a diff: ", with_thousands(end - start),
                         " bytes became ", with_thousands(after.size()), ".)\n");
    report.added_lines = text::count_breaks(after, lines);
    report.removed_lines = text::count_breaks(bytes.substr(start, end - start), lines);
  } else {
    add_diff(report, paths, shown(bytes.substr(start, end - start), format.encoding),
             shown(after, format.encoding), lines_before);
  }
  report.snippet =
      text::number_lines(
          after, format.encoding, lines,
          {.first_line = lines_before + 1, .max_lines = kSnippetLines, .max_line_characters = 300})
          .text;
  return report;
}

ChangeReport report_change(const ReportPaths& paths, std::string_view old_bytes, std::string_view new_bytes) {
  const text::TextFormat old_format = text::inspect_text(old_bytes);
  const text::TextFormat new_format = text::inspect_text(new_bytes);
  ChangeReport report;
  if (!old_format.encoding.is_text() || !new_format.encoding.is_text())
    report.diff = concat("(Binary content: ", with_thousands(old_bytes.size()), " bytes became ",
                         with_thousands(new_bytes.size()), ".)\n");
  else if (old_bytes.size() + new_bytes.size() > 2 * kLargestCompared)
    report.diff = concat("(Too large for a diff: ", with_thousands(old_bytes.size()), " bytes became ",
                         with_thousands(new_bytes.size()), ".)\n");
  else
    add_diff(report, paths, shown(text::without_bom(old_bytes, old_format.encoding), old_format.encoding),
             shown(text::without_bom(new_bytes, new_format.encoding), new_format.encoding), 0);
  if (old_format.encoding.is_text() && new_format.encoding.is_text() && old_bytes != new_bytes)
    report.snippet = snippet_of(old_bytes, new_bytes, new_format);
  return report;
}

std::string counts_text(const ChangeReport& report) {
  return concat("+", with_thousands(report.added_lines), " −", with_thousands(report.removed_lines));
}

}  // namespace helve::patch
