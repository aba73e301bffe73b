// Parses the *** Begin Patch form.
#include <algorithm>

#include "base/strings.h"
#include "patch/patch_hunk.h"
#include "patch/patch_text.h"

namespace helve::patch {
namespace {

constexpr std::string_view kBegin = "*** Begin Patch";
constexpr std::string_view kEnd = "*** End Patch";
constexpr std::string_view kAdd = "*** Add File:";
constexpr std::string_view kDelete = "*** Delete File:";
constexpr std::string_view kUpdate = "*** Update File:";
constexpr std::string_view kMove = "*** Move to:";
constexpr std::string_view kEndOfFile = "*** End of File";

class BeginPatchParser {
 public:
  explicit BeginPatchParser(const PatchText& text) : text_(text), end_(text.size()) {
    for (std::size_t at = 0; at < text.size(); ++at)
      if (trim(text.line(at)) == kEnd) end_ = at;
  }

  Expected<Patch> run() && {
    bool is_inside = false;
    while (at_ < text_.size()) {
      const std::string_view line = trim(text_.line(at_));
      if (line == kBegin && !is_inside) {
        is_inside = true;
        ++at_;
      } else if (line == kEnd && is_inside) {
        is_inside = false;
        ++at_;
      } else if (line.starts_with(kAdd) || line.starts_with(kDelete) || line.starts_with(kUpdate)) {
        if (!is_inside)
          return text_.problem(at_, concat("expected `", kBegin, "` before ", text_.quote(at_), "."),
                               concat("Start with `", kBegin, "` and close with `", kEnd, "`."));
        if (Expected<void> parsed = parse_file(line); !parsed) return fail(parsed.error());
      } else if (!is_inside || line.empty() || line.starts_with("*** Environment ID:")) {
        ++at_;
      } else {
        return text_.problem(at_, concat("expected `", kUpdate, " path`, `", kAdd, " path`, `", kDelete,
                                         " path` or `", kEnd, "`, found ", text_.quote(at_), "."));
      }
    }
    if (is_inside)
      return text_.problem(
          at_, concat("expected `", kEnd, "`, found the end of the patch. It may have been cut off."),
          concat("Send the whole patch, closed with `", kEnd, "`."));
    return std::move(patch_);
  }

 private:
  // Among the lines of a hunk, spaces before *** make a context line, except in the last line of the patch.
  [[nodiscard]] bool at_section() const {
    return at_ >= end_ || (text_.starts(at_, "*** ") && trim(text_.line(at_)) != kEndOfFile);
  }
  [[nodiscard]] bool at_padded_section() const {
    return at_section() || trim(text_.line(at_)).starts_with("*** ");
  }

  Expected<void> parse_file(std::string_view line) {
    const std::size_t header_at = at_++;
    const std::string path(trim(line.substr(line.find(':') + 1)));
    if (path.empty() || path.find('\0') != std::string::npos)
      return text_.problem(header_at, concat("expected a path behind ", text_.quote(header_at), "."));
    FilePatch file{
        .form = PatchForm::kBeginPatch, .old_path = path, .new_path = path, .patch_line = header_at + 1};
    Expected<void> parsed = line.starts_with(kAdd)      ? parse_added(file)
                            : line.starts_with(kDelete) ? parse_deleted(file)
                                                        : parse_updated(file);
    if (parsed) patch_.files.push_back(std::move(file));
    return parsed;
  }

  Expected<void> parse_added(FilePatch& file) {
    file.kind = PatchKind::kCreate;
    file.old_path.clear();
    Hunk hunk{.old_start = 1, .patch_line = at_ + 1};
    std::vector<std::size_t> empty_lines;
    for (; !at_padded_section(); ++at_) {
      const std::string_view line = text_.line(at_);
      if (line.starts_with('+')) {
        // An empty line between two others is meant to be part of the file.
        for (const std::size_t empty : empty_lines) {
          hunk.lines.push_back({'+', "", true});
          add_note(patch_.notes, concat("Patch line ", empty + 1, ": an empty line of the new file ",
                                        file.path(), " lacks its +; it was kept."));
        }
        empty_lines.clear();
        hunk.lines.push_back({'+', std::string(line.substr(1)), true});
      } else if (trim(line).empty()) {
        empty_lines.push_back(at_);
      } else {
        return text_.problem(at_,
                             concat("expected a line of the new file ", file.path(),
                                    ", which starts with +, found ", text_.quote(at_), "."),
                             "Put + before every line of an added file.");
      }
    }
    if (!hunk.lines.empty()) file.hunks.push_back(std::move(hunk));
    return {};
  }

  Expected<void> parse_deleted(FilePatch& file) {
    file.kind = PatchKind::kDelete;
    file.new_path.clear();
    while (!at_section() && trim(text_.line(at_)).empty()) ++at_;
    if (!at_padded_section())
      return text_.problem(
          at_,
          concat("expected nothing after `", kDelete, " ", file.path(), "`, found ", text_.quote(at_), "."),
          "A deleted file has no lines in this form of patch.");
    return {};
  }

  Expected<void> parse_updated(FilePatch& file) {
    if (trim(text_.line(at_)).starts_with(kMove)) {
      file.new_path = trim(trim(text_.line(at_)).substr(kMove.size()));
      if (file.new_path.empty())
        return text_.problem(at_, concat("expected a path behind ", text_.quote(at_), "."));
      if (file.new_path != file.old_path) file.kind = PatchKind::kRename;
      ++at_;
    }
    while (!at_section() && trim(text_.line(at_)).empty()) ++at_;
    while (!at_section()) {
      Expected<Hunk> hunk = parse_hunk(file);
      if (!hunk) return fail(hunk.error());
      file.hunks.push_back(std::move(*hunk));
    }
    if (file.hunks.empty() && file.kind == PatchKind::kModify)
      return text_.problem(at_,
                           concat("expected the changes to ", file.path(), ", found ", text_.quote(at_), "."),
                           "Add at least one @@ line and the lines to keep, remove and add.");
    return {};
  }

  Expected<Hunk> parse_hunk(const FilePatch& file) {
    const std::string name = concat("hunk ", file.hunks.size() + 1, " of ", file.old_path);
    Hunk hunk{.patch_line = at_ + 1};
    for (; text_.starts(at_, "@@"); ++at_) read_header(hunk);
    for (; !at_section() && !text_.starts(at_, "@@") && !hunk.at_end_of_file; ++at_) {
      const std::string_view line = text_.line(at_);
      if (trim(line) == kEndOfFile && line.starts_with("***")) {
        hunk.at_end_of_file = true;
      } else if (line.empty()) {
        hunk.lines.push_back({' ', "", true});
      } else if (line.front() == ' ' || line.front() == '+' || line.front() == '-') {
        hunk.lines.push_back({line.front(), std::string(line.substr(1)), true});
      } else if (line.starts_with("\\ ") && !hunk.lines.empty()) {
        hunk.lines.back().has_newline = false;
      } else {
        return text_.problem(at_,
                             concat("expected a line of ", name,
                                    ", which starts with a space, + or -, found ", text_.quote(at_), "."),
                             "Put a space before every unchanged line of a hunk.");
      }
    }
    while (!at_section() && trim(text_.line(at_)).empty()) ++at_;
    if (std::ranges::all_of(hunk.lines,
                            [](const PatchLine& line) { return line.op == ' ' && line.text.empty(); }))
      return text_.problem(hunk.patch_line - 1, concat(name, " has no lines, found ", text_.quote(at_), "."),
                           "Add the lines to keep, remove and add, each starting with a space, - or +.");
    if (misplaced_no_newline_mark(hunk) != nullptr)
      return text_.problem(
          hunk.patch_line - 1,
          concat("in ", name, " the mark `\\ No newline at end of file` is not at the end."));
    return hunk;
  }

  // Headers may be stacked: @@ class A, then @@ def f.
  void read_header(Hunk& hunk) const {
    if (const std::optional<HunkHeader> header = parse_hunk_header(text_.line(at_))) {
      hunk.old_start = std::max<std::size_t>(header->old_start, 1);
      hunk.header_old = header->old_start;
      hunk.header_new = header->new_start;
      hunk.section = header->section;
      return;
    }
    // Its indentation counts.
    std::string_view anchor = without_trailing_space(text_.line(at_).substr(2));
    if (anchor.ends_with(" @@")) anchor = without_trailing_space(anchor.substr(0, anchor.size() - 3));
    if (anchor.starts_with(' ')) anchor.remove_prefix(1);
    const std::string_view word = trim(anchor);
    if (!word.empty() && word != "@@" && word != "...") hunk.anchors.emplace_back(anchor);
  }

  const PatchText& text_;
  Patch patch_;
  std::size_t at_ = 0;
  std::size_t end_;  // the last line that ends a patch
};

}  // namespace

Expected<Patch> parse_begin_patch(const PatchText& text) { return BeginPatchParser(text).run(); }

}  // namespace helve::patch
