#include "workspace/patch_conflict.h"

#include <algorithm>
#include <ranges>

#include "base/strings.h"
#include "base/utf8.h"
#include "workspace/diff_line.h"
#include "workspace/patch_closest.h"

namespace helve {
namespace {

constexpr std::size_t kMostMisfits = 5;  // told in full
constexpr std::size_t kMostLines = 12;   // shown of a hunk or a region
constexpr std::size_t kMostPlaces = 5;
constexpr std::size_t kMostEntries = 100;  // in the details for programs

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
    case MisfitReason::kBeyondEnd: return "beyondEnd";
    case MisfitReason::kTaken: return "taken";
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
      if (hunks.size() < kMostMisfits) tell(misfit, entry);
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

  void tell(const Misfit& misfit, Json& entry) {
    const Hunk& hunk = hunk_of(misfit);
    message_ += concat("\n\nHunk ", misfit.hunk + 1, " (patch line ", hunk.patch_line);
    if (hunk.old_start > 0) message_ += concat(", for line ", hunk.old_start);
    message_ += ") ";
    switch (misfit.reason) {
      case MisfitReason::kNotFound: return tell_not_found(misfit, entry);
      case MisfitReason::kAmbiguous:
        message_ += concat("fits more than one place: ", list_places(misfit.places), ".");
        for (const std::size_t at : misfit.places | std::views::take(3)) show_lines(at, 3);
        return;
      case MisfitReason::kAlreadyApplied:
        message_ +=
            concat("is already applied: the lines it would leave are at ", list_places(misfit.places), ".");
        return;
      case MisfitReason::kBeyondEnd:
        message_ += concat("adds lines behind the end of the file, which has ",
                           count_of(target_.line_count(), "line"), ".");
        return;
      case MisfitReason::kTaken:
        message_ += "fits only where other hunks of this patch change the file, or above them.";
        return;
      case MisfitReason::kTooMuchWork:
        message_ += "was not looked for any longer: too many hunks are not where they say.";
        return;
    }
  }

  void tell_not_found(const Misfit& misfit, Json& entry) {
    const Hunk& hunk = hunk_of(misfit);
    const HunkPattern wanted = target_.old_side(hunk);
    if (wanted.size() == 0) {
      message_ += hunk.anchors.empty()
                      ? "ends without a newline, but its place is not the end of the file."
                      : concat("has no lines to go by, and no line ", quote_line(hunk.anchors.back()),
                               " as behind its @@ was found.");
      return;
    }
    message_ += "expects these lines, which are not in the file:";
    for (const PatchLine* line : wanted.lines | std::views::take(kMostLines))
      message_ += concat("\n  | ", clipped(without_ending(line->text)));
    if (wanted.size() > kMostLines)
      message_ += concat("\n  … and ", count_of(wanted.size() - kMostLines, "more line"));
    if (wanted.ends_file)
      message_ += "\nThey must be the file's last, since the patch marks a missing newline there.";
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
      return "Nothing was changed. Leave out what is applied already; if that is all, there is nothing to "
             "do.";
    if (all(MisfitReason::kAmbiguous))
      return "Nothing was changed. Add unchanged lines around the change, or an @@ line with the function it "
             "is in.";
    return "Nothing was changed. Mend the hunks by the lines shown, or read the file, and send the whole "
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
          concat("The patch creates ", to_valid_utf8(patch.new_path), ", which exists already",
                 created == old_text ? " with the very same content." : " with other content."),
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

}  // namespace helve
