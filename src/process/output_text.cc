#include "process/output_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/utf8.h"

namespace helve::process {
namespace {

constexpr char kEscape = '\x1B';
// The width of the simulated terminal; the cursor stops there.
constexpr std::size_t kMostColumns = 1 << 16;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7F'; }

// One line of the simulated terminal, with one character per cell.
class ScreenLine {
 public:
  void put(char32_t character) {
    if (cursor_ < cells_.size())
      cells_[cursor_] = character;
    else
      cells_.resize(cursor_, U' '), cells_.push_back(character);
    ++cursor_;
  }
  void go_to(std::size_t column) { cursor_ = std::min(column, kMostColumns); }
  void move_left(std::size_t columns) { cursor_ -= std::min(columns, cursor_); }
  void move_right(std::size_t columns) { go_to(cursor_ + std::min(columns, kMostColumns)); }
  void erase_to_end() { cells_.resize(std::min(cells_.size(), cursor_)); }
  void erase_to_start() {
    std::fill_n(cells_.begin(), static_cast<std::ptrdiff_t>(std::min(cells_.size(), cursor_ + 1)), U' ');
  }
  void erase() { cells_.clear(); }
  void append_to(std::string& out) const {
    for (const char32_t cell : cells_) append_utf8(out, cell);
  }

 private:
  std::u32string cells_;
  std::size_t cursor_ = 0;
};

void show_control(ScreenLine& line, unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 0x0F]})
    line.put(static_cast<char32_t>(static_cast<unsigned char>(c)));
}

// CSI: parameters 0x30–0x3F, intermediates 0x20–0x2F, one final byte 0x40–0x7E.
std::size_t apply_control_sequence(std::string_view text, ScreenLine& line) {
  std::size_t at = 0;
  while (at < text.size() && text[at] >= 0x20 && text[at] <= 0x3F) ++at;
  if (at == text.size() || text[at] < 0x40 || text[at] == 0x7F) return at;
  const std::string_view parameters = text.substr(0, at);
  std::size_t number = 0;
  for (const char c :
       parameters.substr(0, std::min(parameters.find_first_not_of("0123456789"), parameters.size())))
    number = std::min(number * 10 + static_cast<std::size_t>(c - '0'), kMostColumns);
  const std::size_t count = std::max<std::size_t>(number, 1);
  switch (text[at]) {
    case 'K':
      if (number == 0) line.erase_to_end();
      if (number == 1) line.erase_to_start();
      if (number == 2) line.erase();
      break;
    case 'C': line.move_right(count); break;
    case 'D': line.move_left(count); break;
    case 'G': line.go_to(count - 1); break;
    default: break;  // colours and movements to other lines do not affect the text
  }
  return at + 1;
}

// Applies the sequence after an escape character and returns its length.
std::size_t apply_escape(std::string_view text, ScreenLine& line) {
  if (text.empty()) return 0;
  switch (text[0]) {
    case '[': return 1 + apply_control_sequence(text.substr(1), line);
    case ']':    // OSC
    case 'P':    // DCS
    case 'X':    // SOS
    case '^':    // PM
    case '_': {  // APC: each up to BEL or ESC backslash
      for (std::size_t at = 1; at < text.size(); ++at) {
        if (text[at] == '\a') return at + 1;
        if (text[at] == kEscape) return at + (at + 1 < text.size() && text[at + 1] == '\\' ? 2 : 0);
      }
      return text.size();
    }
    default: break;
  }
  std::size_t at = 0;
  while (at < text.size() && text[at] >= 0x20 && text[at] <= 0x2F) ++at;
  return at < text.size() && !is_control(text[at]) && static_cast<unsigned char>(text[at]) < 0x80 ? at + 1
                                                                                                  : at;
}

// The length of the prefix that is printable ASCII or tabs.
std::size_t plain_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if(text,
                                                       [](char c) {
                                                         return (is_control(c) && c != '\t') ||
                                                                static_cast<unsigned char>(c) >= 0x80;
                                                       }) -
                                  text.begin());
}

// The fast path for most lines: printable and well-formed.
bool needs_no_cleaning(std::string_view line) {
  return std::ranges::none_of(line, [](char c) { return is_control(c) && c != '\t'; }) && is_valid_utf8(line);
}

void clean_line(std::string_view text, std::string& out) {
  while (text.ends_with('\r')) text.remove_suffix(1);
  if (needs_no_cleaning(text)) {
    out += text;
    return;
  }
  ScreenLine line;
  while (!text.empty()) {
    const std::size_t plain = plain_length(text);
    for (const char c : text.substr(0, plain)) line.put(static_cast<char32_t>(c));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char c = text[0];
    std::size_t used = 1;
    if (static_cast<unsigned char>(c) >= 0x80) {
      used = utf8_character_length(text);
      const char32_t character = used > 0 ? utf8_code_point(text.substr(0, used)) : U'\uFFFD';
      if (used == 0) used = malformed_utf8_length(text);
      line.put(character);
    } else if (c == kEscape) {
      used += apply_escape(text.substr(1), line);
    } else if (c == '\r') {
      line.go_to(0);
    } else if (c == '\b') {
      line.move_left(1);
    } else if (c != '\a') {
      show_control(line, static_cast<unsigned char>(c));
    }
    text.remove_prefix(used);
  }
  line.append_to(out);
}

}  // namespace

std::string clean_text(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    clean_line(bytes.substr(0, end), out);
    if (end < bytes.size()) out += '\n';
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return out;
}

bool looks_binary(std::string_view sample) {
  if (sample.empty()) return false;
  // A NUL-separated list is text, however short the entries are.
  if (is_valid_utf8(sample) && sample.find(std::string_view("\0\0", 2)) == std::string_view::npos &&
      !sample.starts_with('\0'))
    return false;
  std::size_t nuls = 0;
  std::size_t malformed = 0;
  const std::size_t size = sample.size();
  while (!sample.empty()) {
    std::size_t length = utf8_character_length(sample);
    if (length == 0) {
      length = malformed_utf8_length(sample);
      malformed += length;
    } else if (sample[0] == '\0') {
      ++nuls;
    }
    sample.remove_prefix(length);
  }
  // `find -print0` has a NUL in about twenty bytes, and a legacy encoding has some malformed letters. Binary
  // formats have far more.
  return nuls * 10 > size || malformed * 5 > size;
}

}  // namespace helve::process
