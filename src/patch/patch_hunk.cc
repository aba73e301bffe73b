#include "patch/patch_hunk.h"

#include <algorithm>
#include <limits>

#include "base/ascii.h"
#include "base/strings.h"

namespace helve::patch {
namespace {

constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

struct HunkCounts {
  std::size_t old_lines = 0;
  std::size_t new_lines = 0;
  bool operator==(const HunkCounts&) const = default;
};

HunkCounts count(const Hunk& hunk) {
  HunkCounts counts;
  for (const PatchLine& line : hunk.lines) {
    counts.old_lines += line.op != '+' ? 1 : 0;
    counts.new_lines += line.op != '-' ? 1 : 0;
  }
  return counts;
}

// "4 old and 5 new lines"
std::string to_words(HunkCounts counts) {
  return concat(counts.old_lines, " old and ", count_of(counts.new_lines, "new line"));
}

// The `-- ` line and version at the end of git's mails.
bool is_mail_signature(const PatchText& text, std::size_t at) {
  if (text.line(at) != "-- " || at + 3 < text.size()) return false;
  const std::string_view version = text.line(at + 1);
  return version.empty() || is_digit(version.front());
}

bool is_body_line(std::string_view line) {
  return line.empty() || line == "\r" || line.front() == ' ' || line.front() == '+' || line.front() == '-' ||
         line.front() == '\\';
}

// True where a hunk must end, regardless of its header.
bool is_boundary(const PatchText& text, std::size_t at) {
  const std::string_view line = text.line(at);
  return at >= text.size() || line.starts_with("@@") || line.starts_with("diff --git ") ||
         line.starts_with("Index: ") || line.starts_with("```") || is_mail_signature(text, at) ||
         (is_plain_header(text, at) && text.starts(at + 2, "@@"));
}

bool is_change(const PatchText& text, std::size_t at) {
  return (text.starts(at, "+") || text.starts(at, "-")) && !is_plain_header(text, at) &&
         !is_mail_signature(text, at);
}

class HunkParser {
 public:
  HunkParser(const PatchText& text, std::size_t header_at, const std::string& name)
      : text_(text), header_at_(header_at), at_(header_at + 1), name_(name) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] Hunk& hunk() { return hunk_; }

  // True when exactly as many lines follow as the header says, and none that looks like another one.
  bool read_by_counts(const HunkHeader& header) {
    std::size_t old_left = header.old_count;
    std::size_t new_left = header.new_count;
    while (old_left > 0 || new_left > 0) {
      if (at_ >= text_.size() || !is_body_line(text_.line(at_))) return false;
      const char op = append();
      if (op == '\\') continue;
      const bool takes_old = op != '+';
      const bool takes_new = op != '-';
      if ((takes_old && old_left == 0) || (takes_new && new_left == 0)) return false;
      old_left -= takes_old ? 1 : 0;
      new_left -= takes_new ? 1 : 0;
    }
    if (text_.starts(at_, "\\ ")) append();
    // Extra context is harmless, but a change after it would be lost.
    std::size_t behind = at_;
    while (text_.starts(behind, " ")) ++behind;
    return !is_change(text_, behind);
  }

  // Context after the lines that the header counts.
  [[nodiscard]] std::size_t surplus() const {
    std::size_t behind = at_;
    while (text_.starts(behind, " ") && !trim(text_.line(behind)).empty()) ++behind;
    return behind - at_;
  }

  // Reads up to the next line that cannot be part of a hunk.
  Expected<void> read_by_looks(HunkCounts announced) {
    hunk_.lines.clear();
    stray_mark_ = kUnknown;
    at_ = header_at_ + 1;
    while (!is_boundary(text_, at_) && is_body_line(text_.line(at_))) append();
    if (!is_boundary(text_, at_)) {
      for (std::size_t behind = at_ + 1; !is_boundary(text_, behind); ++behind) {
        if (is_change(text_, behind)) {
          return text_.problem(at_,
                               concat("expected a line of ", name_,
                                      ", which starts with a space, + or -, found ", text_.quote(at_), "."),
                               "Put a space before every unchanged line of a hunk.");
        }
      }
    }
    drop_empty_tail(announced);
    return {};
  }

  Expected<void> check() const {
    if (hunk_.lines.empty())
      return text_.problem(header_at_,
                           concat(name_, " has no lines, found ", text_.quote(header_at_ + 1), "."),
                           "Add the lines to keep, remove and add, each starting with a space, - or +.");
    if (std::ranges::all_of(hunk_.lines, [](const PatchLine& line) { return line.op == ' '; }))
      return text_.problem(header_at_,
                           concat(name_, " changes nothing: none of its lines starts with + or -."),
                           "Remove the hunk, or add the lines to remove and add.");
    if (stray_mark_ != kUnknown)
      return text_.problem(stray_mark_, concat("a no-newline mark cannot be the first line of ", name_, "."));
    if (const PatchLine* line = misplaced_no_newline_mark(hunk_)) {
      return text_.problem(
          header_at_,
          concat("in ", name_, " the mark `\\ No newline at end of file` follows ",
                 quote_line(concat(line->op, line->text)), ", which is not the last line of the file."),
          "Put the mark only after the last line of the old or the new text.");
    }
    return {};
  }

 private:
  // The op of the line taken; \ for a no-newline mark.
  char append() {
    const std::string_view line = text_.line(at_++);
    if (line.starts_with('\\')) {
      if (hunk_.lines.empty()) {
        stray_mark_ = at_ - 1;
      } else {
        hunk_.lines.back().has_newline = false;
      }
      return '\\';
    }
    // Editors and mail programs strip the space of an empty context line.
    const bool is_stripped = line.empty() || line == "\r";
    const char op = is_stripped ? ' ' : line.front();
    hunk_.lines.push_back({op, std::string(is_stripped ? line : line.substr(1)), true});
    return op;
  }

  // Empty lines at the end are probably separators, unless the counts include them.
  void drop_empty_tail(HunkCounts announced) {
    std::vector<PatchLine>& lines = hunk_.lines;
    std::size_t empty = 0;
    while (empty < lines.size() && text_.line(at_ - 1 - empty).empty()) ++empty;
    const HunkCounts counts = count(hunk_);
    for (std::size_t drop = 0; drop <= empty; ++drop) {
      if (counts.old_lines - drop == announced.old_lines && counts.new_lines - drop == announced.new_lines)
        return lines.resize(lines.size() - drop);
    }
    lines.resize(lines.size() - empty);
  }

  const PatchText& text_;
  std::size_t header_at_;
  std::size_t at_;
  const std::string& name_;
  Hunk hunk_;
  std::size_t stray_mark_ = kUnknown;
};

constexpr std::string_view kHeaderForm = "`@@ -line,count +line,count @@`";

// `@@`, `@@ @@`, `@@ ... @@` and `@@ some line` are headers without numbers.
std::optional<std::string> anchor_of(std::string_view line) {
  line.remove_prefix(2);
  line = trim(line);
  if (line.ends_with("@@")) line = trim(line.substr(0, line.size() - 2));
  if (line.starts_with('-') || line.starts_with('@')) return std::nullopt;
  if (line == "..." || line == "…") return std::string();
  return std::string(line);
}

}  // namespace

bool is_plain_header(const PatchText& text, std::size_t at) {
  return text.starts(at, "--- ") && text.starts(at + 1, "+++ ");
}

bool is_half_header(const PatchText& text, std::size_t at) {
  return text.starts(at, "+++ ") && parse_hunk_header(text.line(at + 1)).has_value();
}

const PatchLine* misplaced_no_newline_mark(const Hunk& hunk) {
  const PatchLine* last_old = nullptr;
  const PatchLine* last_new = nullptr;
  for (const PatchLine& line : hunk.lines) {
    for (const auto& [last, is_part] : {std::pair{&last_old, line.op != '+'}, {&last_new, line.op != '-'}}) {
      if (!is_part) continue;
      if (*last != nullptr && !(*last)->has_newline) return *last;
      *last = &line;
    }
  }
  return nullptr;
}

Expected<Hunk> parse_unified_hunk(const PatchText& text, std::size_t& at, const std::string& name,
                                  const PatchParseOptions& options, std::vector<std::string>& notes) {
  const std::size_t header_at = at;
  const std::optional<HunkHeader> header = parse_hunk_header(text.line(at));
  const std::optional<std::string> anchor = header ? std::nullopt : anchor_of(text.line(at));
  if (text.starts(at, "@@@")) {
    return text.problem(at, "this is a merge diff (@@@), which says no file's whole story.",
                        "Send a diff against one version: git diff <commit>.");
  }
  if (!header && (!anchor || !options.lenient_counts)) {
    return text.problem(
        at, concat("expected a hunk header of the form ", kHeaderForm, ", found ", text.quote(at), "."),
        concat("Write ", kHeaderForm, "."));
  }

  HunkParser parser(text, at, name);
  const HunkHeader wanted = header.value_or(HunkHeader{.old_count = kUnknown, .new_count = kUnknown});
  const HunkCounts announced{wanted.old_count, wanted.new_count};
  if (!header || !parser.read_by_counts(wanted)) {
    if (Expected<void> read = parser.read_by_looks(announced); !read) return fail(read.error());
    const HunkCounts found = count(parser.hunk());
    if (header && found != announced) {
      const std::string mismatch = concat(name, " (", quote_line(text.line(header_at)), ") announces ",
                                          to_words(announced), ", but ", to_words(found), " follow");
      if (!options.lenient_counts)
        return text.problem(header_at, concat(mismatch, "."),
                            "Count the lines of the hunk again and correct its header.");
      add_note(notes, concat("Patch line ", header_at + 1, ": ", mismatch, "; its lines were used."));
    }
  } else if (const std::size_t surplus = parser.surplus(); surplus > 0) {
    add_note(notes, concat("Patch line ", parser.at() + 1, ": ", count_of(surplus, "line"), " behind ", name,
                           ", more than its header announces, ", surplus == 1 ? "was" : "were", " ignored."));
  }
  if (Expected<void> checked = parser.check(); !checked) return fail(checked.error());

  Hunk hunk = std::move(parser.hunk());
  at = parser.at();
  hunk.patch_line = header_at + 1;
  if (header) {
    hunk.section = header->section;
    hunk.header_old = wanted.old_start;
    hunk.header_new = wanted.new_start;
    hunk.old_start = wanted.old_start;
    // Git gives an empty range by the line before it.
    if (wanted.old_count == 0 && (count(hunk).old_lines == 0 || wanted.old_start == 0)) ++hunk.old_start;
    if (hunk.old_start == 0) hunk.old_start = 1;
  } else {
    if (!anchor->empty()) hunk.anchors.push_back(*anchor);
    add_note(notes, concat("Patch line ", header_at + 1, ": ", name,
                           " has no line numbers; it is located by its lines."));
  }
  return hunk;
}

}  // namespace helve::patch
