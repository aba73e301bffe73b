#include "patch/patch_conflict.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>

#include "base/strings.h"
#include "base/utf8.h"
#include "patch/diff.h"
#include "patch/diff_line.h"

namespace helve::patch {
namespace {

constexpr std::size_t kMostDifferencesShown = 5;
constexpr std::size_t kMargin = 3;  // lines around the region that may belong to it

std::size_t distance(std::ptrdiff_t a, std::size_t b) {
  const std::ptrdiff_t gap = a - static_cast<std::ptrdiff_t>(b);
  return static_cast<std::size_t>(gap < 0 ? -gap : gap);
}

// Each file line that equals a line of the hunk, except for surrounding whitespace, votes for one start of
// the region. Long lines have more weight than single braces.
std::optional<std::ptrdiff_t> start_by_votes(const PatchTarget& target, const HunkPattern& wanted,
                                             std::size_t stated) {
  constexpr std::size_t kMostRepeats = 8;
  constexpr std::size_t kMostVotes = 200'000;
  LineInterner interner(wanted.size());
  std::vector<std::vector<std::size_t>> indices;
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    const std::string_view text = trim(wanted.lines[n]->text);
    if (text.empty()) continue;
    const std::uint32_t id = interner.intern(text);
    if (id == indices.size()) indices.emplace_back();
    if (indices[id].size() < kMostRepeats) indices[id].push_back(n);
  }
  std::unordered_map<std::ptrdiff_t, std::size_t> votes;
  std::size_t cast = 0;
  for (std::size_t at = 0; at < target.line_count() && cast < kMostVotes; ++at) {
    const std::string_view text = trim(target.line(at));
    if (text.empty()) continue;
    const std::uint32_t id = interner.find(text);
    if (id == LineInterner::kNone) continue;
    for (const std::size_t n : indices[id]) {
      votes[static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(n)] +=
          1 + std::min<std::size_t>(text.size(), 40);
      ++cast;
    }
  }
  std::optional<std::ptrdiff_t> best;
  std::size_t most = 0;
  for (const auto& [start, count] : votes) {
    const bool is_nearer = best && (distance(start, stated) < distance(*best, stated) ||
                                    (distance(start, stated) == distance(*best, stated) && start < *best));
    if (count < most || (count == most && !is_nearer)) continue;
    best = start;
    most = count;
  }
  return best;
}

// The common share of two lines at their start and end: 0 to 100.
std::size_t similarity(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  return a.empty() || b.empty() ? 0 : 200 * (head + tail) / (a.size() + b.size());
}

// Without any equal line: the line most similar to the hunk's longest.
std::optional<std::ptrdiff_t> start_by_likeness(const PatchTarget& target, const HunkPattern& wanted,
                                                std::size_t stated) {
  constexpr std::size_t kMostLines = 20'000;
  constexpr std::size_t kLeast = 50;
  const auto longest = std::ranges::max_element(
      wanted.lines, {}, [](const PatchLine* line) { return trim(line->text).size(); });
  if (longest == wanted.lines.end()) return std::nullopt;
  const std::string_view text = trim((*longest)->text).substr(0, 400);
  const std::size_t from =
      stated > kMostLines / 2 ? std::min(stated, target.line_count()) - std::min(stated, kMostLines / 2) : 0;
  const std::size_t to = std::min(target.line_count(), from + kMostLines);
  std::optional<std::ptrdiff_t> best;
  std::size_t most = kLeast;
  for (std::size_t at = from; at < to; ++at) {
    const std::size_t likeness = similarity(text, trim(target.line(at)).substr(0, 400));
    if (likeness <= most) continue;
    most = likeness;
    best = static_cast<std::ptrdiff_t>(at) - (longest - wanted.lines.begin());
  }
  return best;
}

// Lines without surrounding whitespace, so that lines which only differ in it are paired.
template <class LineAt>
std::string joined(std::size_t begin, std::size_t end, LineAt line_at) {
  std::string text;
  for (std::size_t at = begin; at < end; ++at) {
    text += trim(line_at(at));
    text += '\n';
  }
  return text;
}

// Pairs the hunk's lines with a window of the file.
class Comparison {
 public:
  Comparison(const PatchTarget& target, const HunkPattern& wanted) : target_(target), wanted_(wanted) {}

  ClosestRegion run(std::size_t start, std::size_t window, std::size_t window_end) && {
    const std::string expected =
        joined(0, wanted_.size(), [this](std::size_t n) { return std::string_view(wanted_.lines[n]->text); });
    const std::string found = joined(window, window_end, [this](std::size_t at) { return target_.line(at); });
    const std::vector<LineEdit> edits = diff_lines(expected, found);
    if (edits.size() == 1 && edits.front().before.line_count == wanted_.size()) {
      const std::size_t end = std::min(window_end, start + wanted_.size());
      compare(edits.front().before, start, end);
      region_.first_line = start;
      region_.line_count = end - start;
      return std::move(region_);
    }
    std::size_t begin = window;
    std::size_t end = window_end;
    std::size_t next = 0;
    std::size_t at = window;
    for (const LineEdit& edit : edits) {
      for (; next < edit.before.first_line; ++next, ++at) compare_pair(next, at);
      std::size_t from = at;
      std::size_t to = at + edit.after.line_count;
      at = to;
      // Margin lines without a counterpart in the hunk are not part of the region.
      const std::size_t surplus =
          edit.after.line_count - std::min(edit.after.line_count, edit.before.line_count);
      if (edit.before.first_line == 0) {
        begin = from += surplus;
      } else if (edit.before.end_line() == wanted_.size()) {
        end = to -= surplus;
      }
      compare(edit.before, from, to);
      next = edit.before.end_line();
    }
    for (; next < wanted_.size(); ++next, ++at) compare_pair(next, at);
    region_.first_line = begin;
    region_.line_count = end - begin;
    return std::move(region_);
  }

 private:
  void compare(const LineSpan& expected, std::size_t from, std::size_t to) {
    for (std::size_t n = expected.first_line; n < expected.end_line(); ++n) {
      if (from < to) {
        compare_pair(n, from++);
      } else {
        add(concat("the file does not have ", quote_line(without_ending(wanted_.lines[n]->text)), " here"));
      }
    }
    for (; from < to; ++from)
      add(concat("line ", from + 1, " is not in the hunk: ", quote_line(without_ending(target_.line(from)))));
  }

  void compare_pair(std::size_t n, std::size_t at) {
    if (region_.differences.size() == kMostDifferencesShown) return;
    const std::string difference =
        describe_line_difference(without_ending(wanted_.lines[n]->text), without_ending(target_.line(at)));
    if (!difference.empty()) add(concat("line ", at + 1, ": ", difference));
  }

  void add(std::string difference) {
    if (region_.differences.size() < kMostDifferencesShown)
      region_.differences.push_back(std::move(difference));
  }

  const PatchTarget& target_;
  const HunkPattern& wanted_;
  ClosestRegion region_;
};

}  // namespace

std::optional<ClosestRegion> find_closest(const PatchTarget& target, const Hunk& hunk, std::size_t stated) {
  const HunkPattern wanted = target.old_side(hunk);
  std::optional<std::ptrdiff_t> start = start_by_votes(target, wanted, stated);
  if (!start) start = start_by_likeness(target, wanted, stated);
  if (!start) return std::nullopt;
  const auto margin = static_cast<std::ptrdiff_t>(kMargin);
  const std::ptrdiff_t end = *start + static_cast<std::ptrdiff_t>(wanted.size()) + margin;
  const auto window = static_cast<std::size_t>(std::max<std::ptrdiff_t>(*start - margin, 0));
  const std::size_t window_end =
      std::min(target.line_count(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(end, 0)));
  const auto first = static_cast<std::size_t>(std::max<std::ptrdiff_t>(*start, 0));
  return Comparison(target, wanted).run(first, window, window_end);
}

namespace {

constexpr std::size_t kMostMisfits = 5;  // shown in full
constexpr std::size_t kMostLines = 12;   // shown of a hunk or a region
constexpr std::size_t kMostPlaces = 5;
constexpr std::size_t kMostEntries = 100;  // in the details

std::string clipped(std::string_view text) {
  constexpr std::size_t kMostBytes = 160;
  const std::string_view shown = utf8_prefix(text, kMostBytes);
  return concat(to_valid_utf8(shown), shown.size() < text.size() ? "…" : "");
}

std::string_view name_of(MisfitReason reason) {
  switch (reason) {
    case MisfitReason::kNotFound: return "notFound";
    case MisfitReason::kAmbiguous: return "ambiguous";
    case MisfitReason::kAlreadyApplied: return "alreadyApplied";
    case MisfitReason::kTaken: return "taken";
    case MisfitReason::kNotAtEdge: return "notAtEdge";
    case MisfitReason::kOutOfOrder: return "outOfOrder";
    case MisfitReason::kNoAnchor: return "noAnchor";
    case MisfitReason::kNotBelowAnchor: return "notBelowAnchor";
    case MisfitReason::kNoContext: return "noContext";
    case MisfitReason::kTooMuchWork: return "tooMuchWork";
  }
  return "";
}

// "line 3", "lines 3, 17 and 40", "lines 3, 17, 40, 41, 50 and 12 more"
std::string list_places(std::span<const std::size_t> places) {
  std::vector<std::string> names;
  for (const std::size_t at : places | std::views::take(kMostPlaces)) names.push_back(concat(at + 1));
  if (places.size() > kMostPlaces) names.push_back(concat(places.size() - kMostPlaces, " more"));
  return concat(places.size() == 1 ? "line " : "lines ", enumerate(names));
}

class ConflictWriter {
 public:
  ConflictWriter(const PatchTarget& target, const FilePatch& patch) : target_(target), patch_(patch) {}

  Error run(std::span<const Misfit> misfits) && {
    message_ = misfits.size() == 1 && patch_.hunks.size() == 1
                   ? concat("The patch does not apply to ", path(), ".")
                   : concat(misfits.size(), " of ", count_of(patch_.hunks.size(), "hunk"), " ",
                            misfits.size() == 1 ? "does" : "do", " not apply to ", path(), ".");
    JsonArray hunks;
    for (const Misfit& misfit : misfits) {
      if (hunks.size() == kMostEntries) break;
      Json entry = JsonObject{{"hunk", misfit.hunk + 1},
                              {"patchLine", hunk_of(misfit).patch_line},
                              {"reason", name_of(misfit.reason)}};
      if (hunk_of(misfit).old_start > 0) entry["statedLine"] = hunk_of(misfit).old_start;
      for (const std::size_t place : misfit.places | std::views::take(kMostPlaces))
        entry["places"].push_back(place + 1);
      if (hunks.size() < kMostMisfits) describe(misfit, entry);
      hunks.push_back(std::move(entry));
    }
    if (misfits.size() > kMostMisfits) {
      std::vector<std::string> others;
      for (const Misfit& misfit : misfits | std::views::drop(kMostMisfits) | std::views::take(20))
        others.push_back(concat(misfit.hunk + 1));
      message_ += concat("\n\nHunks ", enumerate(others),
                         misfits.size() > kMostMisfits + 20 ? " and others" : "", " do not apply either.");
    }
    return {ErrorCode::kConflict, std::move(message_), hint_for(misfits),
            JsonObject{{"path", patch_.path()}, {"hunks", std::move(hunks)}}};
  }

 private:
  [[nodiscard]] std::string path() const {
    return to_valid_utf8(patch_.old_path.empty() ? patch_.new_path : patch_.old_path);
  }
  [[nodiscard]] const Hunk& hunk_of(const Misfit& misfit) const { return patch_.hunks[misfit.hunk]; }

  void describe(const Misfit& misfit, Json& entry) {
    const Hunk& hunk = hunk_of(misfit);
    message_ += concat("\n\nHunk ", misfit.hunk + 1, " (patch line ", hunk.patch_line);
    if (hunk.old_start > 0) message_ += concat(", for line ", hunk.old_start);
    message_ += ") ";
    switch (misfit.reason) {
      case MisfitReason::kNotFound: return describe_not_found(misfit, entry);
      case MisfitReason::kAmbiguous:
        message_ += concat("fits more than one place: ", list_places(misfit.places), ".");
        for (const std::size_t at : misfit.places | std::views::take(3)) show_lines(at, 3);
        return;
      case MisfitReason::kAlreadyApplied:
        message_ +=
            concat("is already applied: the lines it would leave are at ", list_places(misfit.places), ".");
        return;
      case MisfitReason::kTaken:
        message_ += "fits only where other hunks of this patch change the file, or above them.";
        return;
      case MisfitReason::kNotAtEdge:
        message_ +=
            concat("fits at ", list_places(misfit.places), ", but must be at the ", why_at_edge(hunk), ".");
        return;
      case MisfitReason::kOutOfOrder:
        message_ += concat("fits only above the hunk before it: ", list_places(misfit.places), ".");
        return;
      case MisfitReason::kNoAnchor: return describe_missing_anchor(hunk);
      case MisfitReason::kNotBelowAnchor:
        message_ += concat("fits only above the line ", quote_line(hunk.anchors.back()),
                           " of its @@: ", list_places(misfit.places), ".");
        return;
      case MisfitReason::kNoContext:
        message_ += concat("has only added lines, so the line ", quote_line(hunk.anchors.back()),
                           " of its @@ does not say where they belong.");
        return;
      case MisfitReason::kTooMuchWork:
        message_ += "was not searched for: too many hunks are not at their stated lines.";
        return;
    }
  }

  void describe_not_found(const Misfit& misfit, Json& entry) {
    const Hunk& hunk = hunk_of(misfit);
    const HunkPattern wanted = target_.old_side(hunk);
    if (wanted.size() == 0) {
      message_ += "has no lines to compare with the file.";
      return;
    }
    message_ += "expects these lines, which are not in the file:";
    for (const PatchLine* line : wanted.lines | std::views::take(kMostLines))
      message_ += concat("\n  | ", clipped(without_ending(line->text)));
    if (wanted.size() > kMostLines)
      message_ += concat("\n  … and ", count_of(wanted.size() - kMostLines, "more line"));
    if (wanted.ends_file)
      message_ +=
          "\nThey must be the last lines of the file, because the patch marks a missing newline there.";
    const std::size_t stated = hunk.old_start > 0 ? hunk.old_start - 1 : 0;
    const std::optional<ClosestRegion> closest = find_closest(target_, hunk, stated);
    if (!closest) {
      message_ += target_.line_count() == 0 ? "\nThe file is empty." : "\nNothing in the file is similar.";
      return;
    }
    entry["closestLine"] = closest->first_line + 1;
    message_ += "\nThe closest lines found:";
    show_lines(closest->first_line, closest->line_count);
    for (const std::string& difference : closest->differences) message_ += concat("\n- ", difference, ".");
  }

  static std::string_view why_at_edge(const Hunk& hunk) {
    if (std::ranges::any_of(hunk.lines, [](const PatchLine& line) { return !line.has_newline; }))
      return "end of the file, because the patch marks a missing newline there";
    if (hunk.at_end_of_file) return "end of the file, as `*** End of File` says";
    return hunk.lines.back().op == ' '
               ? "start of the file, because it has no unchanged lines above its change"
               : "end of the file, because it has no unchanged lines below its change";
  }

  // Often the line of the @@ is only the beginning of a line in the file.
  void describe_missing_anchor(const Hunk& hunk) {
    message_ += concat("belongs below the line ", quote_line(hunk.anchors.back()), " of its @@, ");
    for (std::size_t at = 0; at < target_.line_count(); ++at) {
      const std::string_view line = trim(target_.line(at));
      if (line != trim(hunk.anchors.back()) && !line.contains(trim(hunk.anchors.back()))) continue;
      message_ += line == trim(hunk.anchors.back()) ? "which is only above the hunk before it:"
                                                    : "which must be a whole line of the file:";
      return show_lines(at, 1);
    }
    message_ += "which is not in the file.";
  }

  void show_lines(std::size_t first, std::size_t count) {
    const std::size_t end = std::min(target_.line_count(), first + count);
    for (std::size_t at = first; at < std::min(end, first + kMostLines); ++at)
      message_ += concat("\n  ", at + 1, "| ", clipped(without_ending(target_.line(at))));
    if (end > first + kMostLines) message_ += concat("\n  … to line ", end);
  }

  static std::string hint_for(std::span<const Misfit> misfits) {
    const auto all = [misfits](MisfitReason reason) {
      return std::ranges::all_of(misfits, [reason](const Misfit& misfit) { return misfit.reason == reason; });
    };
    if (all(MisfitReason::kAlreadyApplied))
      return "Nothing was changed. Remove the hunks that are already applied. If that is all of them, there "
             "is "
             "nothing to do.";
    if (all(MisfitReason::kAmbiguous))
      return "Nothing was changed. Add unchanged lines around the change, or an @@ line with the function it "
             "is in.";
    if (all(MisfitReason::kNotAtEdge) || all(MisfitReason::kNoContext))
      return "Nothing was changed. Add unchanged lines above and below the change.";
    if (all(MisfitReason::kOutOfOrder)) return "Nothing was changed. Put the hunks in the order of the file.";
    return "Nothing was changed. Correct the hunks using the lines shown, or read the file, and send the "
           "whole "
           "patch again.";
  }

  const PatchTarget& target_;
  const FilePatch& patch_;
  std::string message_;
};

}  // namespace

Error conflict_of(const PatchTarget& target, const FilePatch& patch, std::span<const Misfit> misfits) {
  return ConflictWriter(target, patch).run(misfits);
}

Error conflict_with_existing(std::string_view old_text, const FilePatch& patch) {
  std::string created;
  for (const Hunk& hunk : patch.hunks) {
    for (const PatchLine& line : hunk.lines) created += concat(line.text, line.has_newline ? "\n" : "");
  }
  return {ErrorCode::kConflict,
          concat("The patch creates ", to_valid_utf8(patch.new_path), ", which already exists",
                 created == old_text ? " with the same content." : " with different content."),
          "Nothing was changed. Leave the file out, or patch it as an existing one.",
          JsonObject{{"path", patch.new_path}}};
}

Error conflict_with_leftover(std::string_view left, const FilePatch& patch) {
  const std::size_t end = left.find('\n');
  return {ErrorCode::kConflict,
          concat("The patch deletes ", to_valid_utf8(patch.old_path),
                 ", but the file has lines that the patch does not remove, "
                 "such as ",
                 quote_line(without_ending(left.substr(0, end))), "."),
          "Nothing was changed. Read the file and remove all its lines, or keep it.",
          JsonObject{{"path", patch.old_path}}};
}

}  // namespace helve::patch
