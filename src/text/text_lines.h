// Counts, finds and splits lines in the bytes of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "text/text_encoding.h"

namespace helve::text {

enum class LineEnding { kLf, kCrLf, kCr };

// "LF", "CRLF", "CR"
[[nodiscard]] std::string_view to_string(LineEnding ending);
// "\n", "\r\n", "\r"
[[nodiscard]] std::string_view characters_of(LineEnding ending);

// The representation of line breaks in a file's bytes.
struct LineFormat {
  Charset charset = Charset::kUtf8;  // only the width and byte order of its code units matter
  // A line ends at this character; a CR before an LF belongs to the ending. In a file without any LF, CR ends
  // lines (classic Mac OS); in all others a lone CR is an ordinary character.
  char break_character = '\n';

  bool operator==(const LineFormat&) const = default;
};

struct LineCounts {
  std::size_t bytes = 0;
  std::size_t lf = 0;  // without a CR before it
  std::size_t crlf = 0;
  std::size_t cr = 0;         // without an LF after it
  bool ends_with_lf = false;  // the last character
  bool ends_with_cr = false;

  [[nodiscard]] bool uses_cr() const { return lf + crlf == 0 && cr > 0; }
  [[nodiscard]] std::size_t breaks() const { return uses_cr() ? cr : lf + crlf; }
  [[nodiscard]] bool has_final_break() const { return uses_cr() ? ends_with_cr : ends_with_lf; }
  // Text after the last break is a line; the empty text after a final break is not.
  [[nodiscard]] std::size_t lines() const { return breaks() + (bytes > 0 && !has_final_break() ? 1 : 0); }
  // The most frequent one; nullopt when there is no line break.
  [[nodiscard]] std::optional<LineEnding> dominant() const;
  [[nodiscard]] bool is_mixed() const { return lf > 0 && crlf > 0; }
  [[nodiscard]] LineFormat format(Charset charset) const { return {charset, uses_cr() ? '\r' : '\n'}; }

  bool operator==(const LineCounts&) const = default;
};

// Counts lines in a stream of chunks of any size, without a byte order mark. Owned by one thread.
class LineCounter {
 public:
  explicit LineCounter(Charset charset) : charset_(charset) {}

  void add(std::string_view chunk);
  [[nodiscard]] LineCounts counts() const;
  // Line breaks so far, counted both ways, for checkpoints.
  [[nodiscard]] std::size_t lf_so_far() const { return lf_; }
  [[nodiscard]] std::size_t cr_so_far() const { return cr_; }

 private:
  void add_units(std::string_view units);

  Charset charset_;
  std::size_t bytes_ = 0;
  std::size_t lf_ = 0;  // with and without CR
  std::size_t cr_ = 0;
  std::size_t crlf_ = 0;
  char16_t last_ = 0;           // the last code unit
  std::optional<char> half_{};  // the first byte of an incomplete code unit
};

[[nodiscard]] LineCounts count_lines(std::string_view bytes, Charset charset = Charset::kUtf8);

// The number of break characters. Faster than count_lines.
[[nodiscard]] std::size_t count_breaks(std::string_view bytes, const LineFormat& format);

// The offset of a line, counting from 1; nullopt when there are too few line breaks.
[[nodiscard]] std::optional<std::size_t> find_line(std::string_view bytes, std::size_t line,
                                                   const LineFormat& format);
// The number of the line that the byte at `offset` is on, counting from 1.
[[nodiscard]] std::size_t line_of(std::string_view bytes, std::size_t offset, const LineFormat& format);

struct Line {
  std::string_view text;    // in the file's encoding, without the ending
  std::string_view ending;  // empty on a last line without one
};

// Removes the next line from the start of `rest`; nullopt when `rest` is empty.
[[nodiscard]] std::optional<Line> next_line(std::string_view& rest, const LineFormat& format);

}  // namespace helve::text
