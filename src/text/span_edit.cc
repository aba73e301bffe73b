#include "text/span_edit.h"

#include <string.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/strings.h"
#include "text/text_match.h"

namespace helve::text {
namespace {

// Finds line breaks in bytes.
class Breaks {
 public:
  Breaks(std::string_view bytes, const TextFormat& format) : bytes_(bytes), format_(format.line_format()) {
    const TextEncoding encoding{format_.charset};
    // Both characters are ASCII, which every text encoding contains.
    last_ = encode(std::string_view(&format_.break_character, 1), encoding).value_or("");
    if (format_.break_character == '\n') optional_ = encode("\r", encoding).value_or("");
  }

  // Length of the break that starts at `offset`; 0 when none does.
  [[nodiscard]] std::size_t length_at(std::size_t offset) const {
    const std::string_view rest = bytes_.substr(std::min(offset, bytes_.size()));
    if (rest.starts_with(last_)) return last_.size();
    const bool both =
        !optional_.empty() && rest.starts_with(optional_) && rest.substr(optional_.size()).starts_with(last_);
    return both ? optional_.size() + last_.size() : 0;
  }

  // Length of the break that ends at `offset`; 0 when none does.
  [[nodiscard]] std::size_t length_before(std::size_t offset) const {
    const std::string_view before = bytes_.substr(0, offset);
    if (!before.ends_with(last_)) return 0;
    const bool both = !optional_.empty() && before.substr(0, offset - last_.size()).ends_with(optional_);
    return last_.size() + (both ? optional_.size() : 0);
  }

  [[nodiscard]] LineEnding ending_of(std::size_t length) const {
    if (format_.break_character == '\r') return LineEnding::kCr;
    return length > last_.size() ? LineEnding::kCrLf : LineEnding::kLf;
  }

  // The last bytes of every break.
  [[nodiscard]] std::string_view last() const { return last_; }

 private:
  std::string_view bytes_;
  LineFormat format_;
  std::string last_;
  std::string optional_;  // optional bytes before it
};

// The next occurrence of `wanted` at or after `from` on a character boundary; npos when there is none.
std::size_t find_aligned(std::string_view bytes, std::string_view wanted, std::size_t from,
                         std::size_t unit) {
  while (from <= bytes.size()) {
    // memmem is much faster than string_view::find on large files.
    const void* found = ::memmem(bytes.data() + from, bytes.size() - from, wanted.data(), wanted.size());
    if (found == nullptr) break;
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    if (at % unit == 0) return at;
    from = at + 1;
  }
  return std::string_view::npos;
}

// If all line breaks are the same, the text is searched as a whole, in linear time.
std::vector<ByteSpan> find_whole(std::string_view bytes, const TextFormat& format, std::string_view text,
                                 std::size_t most, Overlaps overlaps) {
  std::vector<ByteSpan> spans;
  const std::string wanted = encode(with_endings(text, format.ending()), format.encoding).value_or("");
  std::size_t from = bom_of(format.encoding).size();
  while (spans.size() < most) {
    const std::size_t found = find_aligned(bytes, wanted, from, format.encoding.unit_size());
    if (found == std::string_view::npos) break;
    spans.push_back({found, wanted.size()});
    from = found + (overlaps == Overlaps::kFound ? format.encoding.unit_size() : wanted.size());
  }
  return spans;
}

// Otherwise line by line: the text begins at the end of a line and ends at the start of another.
std::vector<ByteSpan> find_lines(std::string_view bytes, const TextFormat& format,
                                 const std::vector<std::string>& wanted, std::size_t most,
                                 Overlaps overlaps) {
  const Breaks breaks(bytes, format);
  std::vector<std::string_view> lines;
  std::size_t begin = bom_of(format.encoding).size();
  for (bool going = true; going;) {
    const std::size_t found = find_aligned(bytes, breaks.last(), begin, format.encoding.unit_size());
    going = found != std::string_view::npos;
    const std::size_t next = going ? found + breaks.last().size() : bytes.size();
    lines.push_back(bytes.substr(begin, next - (going ? breaks.length_before(next) : 0) - begin));
    begin = next;
  }
  const std::vector<std::string_view> inner(wanted.begin() + 1, wanted.end() - 1);
  const std::span<const std::string_view> places(lines);
  std::vector<ByteSpan> spans;
  if (lines.size() < wanted.size()) return spans;
  for (const std::size_t line :
       find_runs(places.subspan(1, lines.size() - 2), std::span(std::as_const(inner)))) {
    const std::string_view first = lines[line];
    const std::string_view last = lines[line + wanted.size() - 1];
    if (!first.ends_with(wanted.front()) || !last.starts_with(wanted.back())) continue;
    const char* const start = first.data() + first.size() - wanted.front().size();
    const char* const end = last.data() + wanted.back().size();
    const ByteSpan span{static_cast<std::size_t>(start - bytes.data()),
                        static_cast<std::size_t>(end - start)};
    if (overlaps == Overlaps::kLeftOut && !spans.empty() && span.offset < spans.back().end()) continue;
    spans.push_back(span);
    if (spans.size() == most) break;
  }
  return spans;
}

// The endings of the line breaks within a span, in order.
std::vector<LineEnding> endings_in(std::string_view bytes, const ByteSpan& span, const Breaks& breaks,
                                   std::size_t unit) {
  std::vector<LineEnding> endings;
  for (std::size_t at = span.offset; at < span.end();) {
    const std::size_t found = find_aligned(bytes.substr(0, span.end()), breaks.last(), at, unit);
    if (found == std::string_view::npos) break;
    at = found + breaks.last().size();
    endings.push_back(breaks.ending_of(breaks.length_before(at)));
  }
  return endings;
}

// The ending of the span's line: the next one, else the one before.
LineEnding ending_near(std::string_view bytes, const ByteSpan& span, const Breaks& breaks,
                       const TextFormat& format) {
  if (!format.lines.is_mixed()) return format.ending();
  const std::size_t unit = format.encoding.unit_size();
  const std::size_t next = find_aligned(bytes, breaks.last(), span.end(), unit);
  if (next != std::string_view::npos)
    return breaks.ending_of(breaks.length_before(next + breaks.last().size()));
  std::size_t before = bytes.substr(0, span.offset).rfind(breaks.last());
  while (before != std::string_view::npos && before % unit != 0)
    before =
        before == 0 ? std::string_view::npos : bytes.substr(0, span.offset).rfind(breaks.last(), before - 1);
  if (before == std::string_view::npos) return format.ending();
  return breaks.ending_of(breaks.length_before(before + breaks.last().size()));
}

}  // namespace

TextFormat inspect_text(std::string_view bytes) {
  const TextEncoding encoding = detect_encoding(bytes);
  return {encoding, count_lines(without_bom(bytes, encoding), encoding.charset)};
}

Expected<std::vector<ByteSpan>> find_text(std::string_view bytes, const TextFormat& format,
                                          std::string_view text, std::size_t most, Overlaps overlaps) {
  if (text.empty()) return std::vector<ByteSpan>();
  // Encode the whole text first, so that an error has the right line number.
  if (auto possible = encode(text, format.encoding); !possible) return fail(possible.error());
  const std::string plain = with_endings(text, LineEnding::kLf);
  if (!format.lines.is_mixed() || !plain.contains('\n'))
    return find_whole(bytes, format, text, most, overlaps);
  std::vector<std::string> lines;
  for (const std::string_view line : split(plain, '\n'))
    lines.push_back(encode(line, format.encoding).value_or(""));
  return find_lines(bytes, format, lines, most, overlaps);
}

Expected<std::string> fit_text(std::string_view bytes, const TextFormat& format, const ByteSpan& span,
                               std::string_view text) {
  if (auto possible = encode(text, format.encoding); !possible) return possible;
  if (text.find('\n') == std::string_view::npos) return encode(text, format.encoding);
  const Breaks breaks(bytes, format);
  std::vector<LineEnding> endings = endings_in(bytes, span, breaks, format.encoding.unit_size());
  if (endings.empty()) endings.push_back(ending_near(bytes, span, breaks, format));
  const std::string plain = with_endings(text, LineEnding::kLf);
  std::string fitted;
  std::size_t index = 0;
  for (const std::string_view line : split(plain, '\n')) {
    if (index > 0) fitted += characters_of(endings[std::min(index, endings.size()) - 1]);
    fitted += line;
    ++index;
  }
  return encode(fitted, format.encoding);
}

std::vector<std::string_view> splice(std::string_view bytes, std::span<const Replacement> replacements) {
  std::vector<std::string_view> pieces;
  pieces.reserve(2 * replacements.size() + 1);
  std::size_t at = 0;
  for (const Replacement& replacement : replacements) {
    pieces.push_back(bytes.substr(at, replacement.span.offset - at));
    pieces.emplace_back(replacement.bytes);
    at = replacement.span.end();
  }
  pieces.push_back(bytes.substr(at));
  return pieces;
}

std::string with_endings(std::string_view text, LineEnding ending) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = std::min(text.find('\n', at), text.size());
    const bool has_cr = found < text.size() && found > at && text[found - 1] == '\r';
    out += text.substr(at, found - at - (has_cr ? 1 : 0));
    if (found < text.size()) out += characters_of(ending);
    at = found + 1;
  }
  return out;
}

}  // namespace helve::text
