#include "patch/patch_assemble.h"

#include <algorithm>

#include "base/strings.h"
#include "patch/diff_line.h"

namespace helve::patch {
namespace {

std::string_view ending_of(std::string_view line) {
  if (line.ends_with("\r\n")) return line.substr(line.size() - 2);
  return line.ends_with('\n') ? line.substr(line.size() - 1) : std::string_view();
}

bool names_carriage_returns(const FilePatch& patch) {
  return std::ranges::any_of(patch.hunks, [](const Hunk& hunk) {
    return std::ranges::any_of(hunk.lines, [](const PatchLine& line) { return line.text.ends_with('\r'); });
  });
}

bool marks_missing_newline(const Hunk& hunk) {
  return std::ranges::any_of(hunk.lines, [](const PatchLine& line) { return !line.has_newline; });
}

// Builds the new text from the old one and the placed hunks.
class Assembler {
 public:
  Assembler(const PatchTarget& target, const FilePatch& patch)
      : target_(target), patch_(patch), knows_endings_(names_carriage_returns(patch)) {
    out_.reserve(target.text().size());
  }

  PatchedText run(const std::vector<Placement>& placements) && {
    PatchedText result;
    result.hunks.reserve(placements.size());
    for (const Placement& place : placements) result.hunks.push_back(apply(place));
    copy_up_to(target_.line_count());
    // If a unified diff does not say, the file keeps its final newline or its absence. An empty line needs
    // one.
    const std::size_t ending = ending_of(out_).size();
    const bool ends_with_text = out_.size() > ending && out_[out_.size() - ending - 1] != '\n';
    if (inherits_end_ && ends_with_text && patch_.form == PatchForm::kUnified && !target_.text().empty() &&
        !target_.text().ends_with('\n'))
      out_.resize(out_.size() - ending);
    std::ranges::sort(result.hunks, {}, &HunkReport::hunk);
    result.text = std::move(out_);
    return result;
  }

 private:
  HunkReport apply(const Placement& place) {
    const Hunk& hunk = patch_.hunks[place.hunk];
    HunkReport report{place.hunk + 1, 0, place.offset, std::max(place.lead, place.trail), place.note};
    const std::size_t line = place.change_begin + added_ - removed_ + 1;
    report.line = line - (place.change_begin - place.at);
    adapts_ = place.tier != MatchTier::kExact || (!is_proof_of_endings(hunk) && !knows_endings_);
    explain(report, place);

    std::size_t at = place.change_begin;
    // Only from the first to the last change: context outside may belong to other hunks, too.
    const auto is_change = [](const PatchLine& patch_line) { return patch_line.op != ' '; };
    auto next = std::ranges::find_if(hunk.lines, is_change);
    while (next != hunk.lines.end()) {
      const auto run_end = std::find_if_not(next, hunk.lines.end(), is_change);
      at = replace(at, next, run_end, marks_missing_newline(hunk));
      next = std::find_if(run_end, hunk.lines.end(), is_change);
      if (next != hunk.lines.end()) at += static_cast<std::size_t>(next - run_end);
    }
    return report;
  }

  using LineIterator = std::vector<PatchLine>::const_iterator;

  // A run of removed and added lines at file line `at`; returns the next line.
  std::size_t replace(std::size_t at, LineIterator begin, LineIterator end, bool hunk_marks_end) {
    const auto removed = static_cast<std::size_t>(
        std::count_if(begin, end, [](const PatchLine& line) { return line.op == '-'; }));
    copy_up_to(at);
    copied_ = at + removed;
    std::size_t index = 0;
    for (auto line = begin; line != end; ++line) {
      if (line->op == '-') continue;
      const std::string_view ending = adapts_ ? ending_for(at, removed, index) : "\n";
      end_line(ending);
      out_ += adapts_ ? without_ending(line->text) : std::string_view(line->text);
      if (line->has_newline) out_ += ending;
      inherits_end_ = adapts_ && !hunk_marks_end;
      ++index;
    }
    added_ += index;
    removed_ += removed;
    return at + removed;
  }

  // A replaced line passes on its ending; other lines use the ending of the line above, or else below.
  [[nodiscard]] std::string_view ending_for(std::size_t at, std::size_t removed, std::size_t index) const {
    const std::size_t from = removed > 0 ? at + std::min(index, removed - 1) : at;
    for (std::size_t line = removed > 0 ? from + 1 : from; line > 0; --line) {
      const std::string_view ending = ending_of(target_.line(line - 1));
      if (!ending.empty()) return ending;
    }
    const std::string_view below =
        at + removed < target_.line_count() ? ending_of(target_.line(at + removed)) : "";
    return below.empty() ? "\n" : below;
  }

  void copy_up_to(std::size_t line) {
    if (line <= copied_) return;
    end_line("\n");
    const std::size_t begin = target_.offset(copied_);
    out_ += target_.text().substr(begin, target_.offset(line) - begin);
    copied_ = line;
    inherits_end_ = false;
  }

  // A last line without a newline needs one if another line follows.
  void end_line(std::string_view ending) {
    if (!out_.empty() && !out_.ends_with('\n')) out_ += ending;
  }

  // True if the line endings of file and patch were compared.
  static bool is_proof_of_endings(const Hunk& hunk) {
    return std::ranges::any_of(hunk.lines,
                               [](const PatchLine& line) { return line.op != '+' && line.has_newline; });
  }

  void explain(HunkReport& report, const Placement& place) const {
    std::vector<std::string> notes;
    if (!report.note.empty()) notes.push_back(std::move(report.note));
    if (place.lead + place.trail > 0) {
      std::vector<std::string> ends;
      if (place.lead > 0) ends.push_back(concat("the first ", place.lead));
      if (place.trail > 0) ends.push_back(concat("the last ", place.trail));
      notes.push_back(concat("context that does not match was ignored: ", join(ends, " and "),
                             place.lead + place.trail == 1 ? " line" : " lines"));
    }
    if (place.tier == MatchTier::kTrailingSpace || place.tier == MatchTier::kAnyTrailingSpace)
      notes.emplace_back("context matches only without the whitespace at the ends of lines");
    if (place.tier == MatchTier::kSurroundingSpace)
      notes.emplace_back("context matches only without the indentation");
    if (place.tier == MatchTier::kPunctuation)
      notes.emplace_back("context matches only with plain quotes, dashes and spaces");
    const HunkPattern compared = target_.old_side(patch_.hunks[place.hunk], place.lead, place.trail);
    bool endings_differ = false;
    bool lacks_newline = false;
    bool has_newline_too_many = false;
    for (std::size_t n = 0; n < compared.size(); ++n) {
      const PatchLine& line = *compared.lines[n];
      const std::string_view found = target_.line(place.at + n);
      const bool has_newline = found.ends_with('\n');
      lacks_newline |= !has_newline && line.has_newline;
      has_newline_too_many |= has_newline && !line.has_newline;
      endings_differ |=
          has_newline && line.has_newline && found.ends_with("\r\n") != line.text.ends_with('\r');
    }
    if (endings_differ) notes.emplace_back("the file's line endings differ from the patch's and were kept");
    if (lacks_newline && patch_.form == PatchForm::kUnified)
      notes.emplace_back("the file has no newline at its end, which was kept");
    if (has_newline_too_many) notes.emplace_back("the file has a newline at its end, unlike the patch says");
    report.note = join(notes, "; ");
  }

  const PatchTarget& target_;
  const FilePatch& patch_;
  const bool knows_endings_;   // the patch has lines that end in \r, so the others are intentional
  bool adapts_ = false;        // the current hunk gets the file's line endings
  bool inherits_end_ = false;  // the last line is an added one whose final newline is undecided
  std::string out_;
  std::size_t copied_ = 0;  // old lines that are done
  std::size_t added_ = 0;
  std::size_t removed_ = 0;
};

}  // namespace

PatchedText assemble(const PatchTarget& target, const FilePatch& patch,
                     const std::vector<Placement>& placements) {
  return Assembler(target, patch).run(placements);
}

}  // namespace helve::patch
