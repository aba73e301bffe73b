// Formats the edits between two texts as a unified diff.
#include <algorithm>
#include <cstring>

#include "base/strings.h"
#include "base/utf8.h"
#include "patch/diff.h"

namespace helve::patch {
namespace {

constexpr std::string_view kNoNewline = "\n\\ No newline at end of file\n";

// Like git: quoted with C escapes if the name contains characters that would break the line. UTF-8 stays
// readable.
std::string quoted(std::string_view path) {
  const bool is_plain = is_valid_utf8(path) && std::ranges::none_of(path, [](char c) {
                          return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '"' || c == '\\';
                        });
  if (is_plain) return std::string(path);
  std::string out = "\"";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      out += '\\';
      for (const unsigned shift : {6U, 3U, 0U}) out += static_cast<char>('0' + ((byte >> shift) & 7));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string header_path(std::string_view prefix, std::string_view path) {
  if (path.empty()) return "/dev/null";
  std::string name = quoted(concat(prefix, path));
  // A tab marks the end of an unquoted name.
  if (name.front() != '"' && name.find(' ') != std::string::npos) name += '\t';
  return name;
}

void append_range(std::string& out, std::size_t first_line, std::size_t count) {
  // An empty range is given by the line before it.
  detail::append_piece(out, count == 0 ? first_line : first_line + 1);
  if (count != 1) {
    out += ',';
    detail::append_piece(out, count);
  }
}

struct ShownLines {
  std::size_t before = 0;
  std::size_t after = 0;
};

std::string hunk_header(std::size_t old_line, std::size_t new_line, ShownLines counts) {
  std::string out = "@@ -";
  append_range(out, old_line, counts.before);
  out += " +";
  append_range(out, new_line, counts.after);
  out += " @@\n";
  return out;
}

// Appends diff lines within the limits and counts the others.
class HunkWriter {
 public:
  HunkWriter(std::string& out, const DiffOptions& options)
      : out_(out), lines_left_(options.max_lines), bytes_left_(options.max_bytes) {}

  void begin(std::size_t old_line, std::size_t new_line, ShownLines counts) {
    old_line_ = old_line;
    new_line_ = new_line;
    header_at_ = out_.size();
    const std::string header = hunk_header(old_line, new_line, counts);
    header_size_ = header.size();
    shown_ = {};
    if (take(1, header.size())) out_ += header;
  }

  void add(char mark, std::string_view lines) {
    while (!lines.empty()) {
      const std::size_t found = lines.find('\n');
      const bool has_newline = found != std::string_view::npos;
      const std::string_view line = lines.substr(0, has_newline ? found + 1 : lines.size());
      lines.remove_prefix(line.size());
      const bool fits = has_newline ? take(1, 1 + line.size()) : take(2, 1 + line.size() + kNoNewline.size());
      if (!fits) continue;
      out_ += mark;
      out_ += line;
      if (!has_newline) out_ += kNoNewline;
      if (mark != '+') ++shown_.before;
      if (mark != '-') ++shown_.after;
    }
  }

  // Corrects the counts of a hunk that was cut; removes one without lines.
  void end() {
    if (!is_full_ || out_.size() == header_at_) return;
    if (shown_.before + shown_.after == 0) {
      out_.resize(header_at_);
      ++left_out_;
    } else if (!is_closed_) {
      out_.replace(header_at_, header_size_, hunk_header(old_line_, new_line_, shown_));
    }
    is_closed_ = true;
  }

  [[nodiscard]] std::size_t left_out() const { return left_out_; }

 private:
  bool take(std::size_t lines, std::size_t bytes) {
    if (is_full_ || lines > lines_left_ || bytes > bytes_left_) {
      is_full_ = true;  // no lines after a gap
      left_out_ += lines;
      return false;
    }
    lines_left_ -= lines;
    bytes_left_ -= bytes;
    return true;
  }

  std::string& out_;
  std::size_t lines_left_;
  std::size_t bytes_left_;
  std::size_t left_out_ = 0;
  std::size_t old_line_ = 0;
  std::size_t new_line_ = 0;
  std::size_t header_at_ = 0;
  std::size_t header_size_ = 0;
  ShownLines shown_;
  bool is_full_ = false;
  bool is_closed_ = false;
};

// Extends the span by up to `most` lines before it.
LineSpan with_lines_before(std::string_view text, LineSpan span, std::size_t most) {
  for (std::size_t n = std::min(most, span.first_line); n > 0; --n) {
    const std::size_t found = span.offset < 2 ? std::string_view::npos : text.rfind('\n', span.offset - 2);
    const std::size_t start = found == std::string_view::npos ? 0 : found + 1;
    span = {span.first_line - 1, span.line_count + 1, start, span.bytes + span.offset - start};
  }
  return span;
}

// Up to `most` lines from `offset`.
LineSpan lines_from(std::string_view text, std::size_t offset, std::size_t most) {
  LineSpan span{0, 0, offset, 0};
  while (span.line_count < most && span.end_offset() < text.size()) {
    const std::size_t found = text.find('\n', span.end_offset());
    const std::size_t end = found == std::string_view::npos ? text.size() : found + 1;
    span.bytes = end - offset;
    ++span.line_count;
  }
  return span;
}

}  // namespace

UnifiedDiff unified_diff(std::string_view old_text, std::string_view new_text, const DiffOptions& options) {
  UnifiedDiff diff;
  const std::vector<LineEdit> edits = diff_lines(old_text, new_text);
  if (edits.empty()) return diff;
  std::size_t changed_bytes = 0;
  for (const LineEdit& edit : edits) {
    diff.removed_lines += edit.before.line_count;
    diff.added_lines += edit.after.line_count;
    changed_bytes += edit.before.bytes + edit.after.bytes;
  }
  diff.text.reserve(std::min(changed_bytes + diff.removed_lines + diff.added_lines, options.max_bytes) +
                    1024);
  if (!options.old_path.empty() || !options.new_path.empty()) {
    diff.text += concat("--- ", header_path("a/", options.old_path), "\n+++ ",
                        header_path("b/", options.new_path), "\n");
  }
  HunkWriter writer(diff.text, options);
  for (std::size_t first = 0; first < edits.size();) {
    // Edits with touching context share a hunk.
    std::size_t last = first;
    while (last + 1 < edits.size() &&
           (edits[last + 1].before.first_line - edits[last].before.end_line() + 1) / 2 <=
               options.context_lines)
      ++last;
    const LineSpan head = with_lines_before(
        old_text, {edits[first].before.first_line, 0, edits[first].before.offset, 0}, options.context_lines);
    const std::size_t tail_at = edits[last].before.end_offset();
    const LineSpan tail = lines_from(old_text, tail_at, options.context_lines);
    const std::size_t new_line = edits[first].after.first_line - head.line_count;
    writer.begin(options.lines_before + head.first_line, options.lines_before + new_line,
                 {edits[last].before.end_line() + tail.line_count - head.first_line,
                  edits[last].after.end_line() + tail.line_count - new_line});
    std::size_t at = head.offset;
    for (std::size_t n = first; n <= last; ++n) {
      const LineEdit& edit = edits[n];
      writer.add(' ', old_text.substr(at, edit.before.offset - at));
      writer.add('-', old_text.substr(edit.before.offset, edit.before.bytes));
      writer.add('+', new_text.substr(edit.after.offset, edit.after.bytes));
      at = edit.before.end_offset();
    }
    writer.add(' ', old_text.substr(at, tail.bytes));
    writer.end();
    first = last + 1;
  }
  diff.lines_left_out = writer.left_out();
  return diff;
}

}  // namespace helve::patch
