#include "text/numbered_text.h"

#include <charconv>
#include <cstring>

#include "base/growing_text.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::text {
namespace {

enum class Utf8 { kValid, kUnknown };

// Appends at most `most` characters of the line and the number of those left out. True when it was cut.
bool append_line(std::string& out, std::string_view line, const TextEncoding& encoding, std::size_t most,
                 Utf8 utf8) {
  if (utf8 == Utf8::kValid && line.size() <= most) {
    out += line;
    return false;
  }
  // A character has at most four bytes in every encoding, so only the start of a huge line is decoded.
  const std::size_t considered = std::min(line.size(), (most + 1) * 4);
  const bool plain = utf8 == Utf8::kValid ||
                     (encoding.charset == Charset::kUtf8 && is_valid_utf8(line.substr(0, considered)));
  const std::string decoded = plain ? std::string() : decode(line.substr(0, considered), encoding);
  const std::string_view text = plain ? line.substr(0, considered) : std::string_view(decoded);
  if (considered == line.size() && (text.size() <= most || count_characters(text) <= most)) {
    out += text;
    return false;
  }
  std::size_t end = 0;
  for (std::size_t i = 0; i < most && end < text.size(); ++i)
    end += std::max<std::size_t>(1, utf8_character_length(text.substr(end)));
  out += text.substr(0, end);
  const std::size_t rest =
      line.size() / encoding.unit_size() - std::min(line.size() / encoding.unit_size(), most);
  out += concat("… (line cut; about ", with_thousands(rest), " more characters)");
  return true;
}

}  // namespace

NumberedText number_lines(std::string_view bytes, const TextEncoding& encoding, const LineFormat& format,
                          const NumberedOptions& options) {
  NumberedText result;
  // Enough for typical lines.
  result.text.reserve(std::min(bytes.size() + bytes.size() / 4 + 64, std::size_t{64} << 10));
  // One check of a short text is faster than one per line.
  const bool is_short = bytes.size() <= std::size_t{64} << 10;
  const bool is_valid = is_short && encoding.charset == Charset::kUtf8 && is_valid_utf8(bytes);
  const Utf8 utf8 = is_valid ? Utf8::kValid : Utf8::kUnknown;
  GrowingText out(result.text);
  std::string unusual;
  std::string_view rest = bytes;
  while (result.lines < options.max_lines) {
    const auto line = next_line(rest, format);
    if (!line) break;
    // Most lines are appended unchanged, with their break.
    std::string_view shown(line->text.data(), line->text.size() + 1);
    bool cut = false;
    if (!is_valid || line->ending != "\n" || line->text.size() > options.max_line_characters) {
      unusual.clear();
      cut = append_line(unusual, line->text, encoding, options.max_line_characters, utf8);
      unusual += '\n';
      shown = unusual;
    }
    constexpr std::size_t kLongestNumber = 23;
    char* to = out.room(kLongestNumber + 1 + shown.size());
    to = std::to_chars(to, to + kLongestNumber, options.first_line + result.lines).ptr;
    *to++ = '\t';
    std::memcpy(to, shown.data(), shown.size());
    to += shown.size();
    // Always at least one line.
    if (out.size_at(to) > options.max_bytes && result.lines > 0) break;
    out.end_at(to);
    result.cut_lines += cut ? 1 : 0;
    ++result.lines;
    result.bytes = bytes.size() - rest.size();
  }
  out.finish();
  return result;
}

}  // namespace helve::text
