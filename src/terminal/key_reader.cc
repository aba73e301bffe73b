#include "terminal/key_reader.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::terminal {
namespace {

using Kind = Key::Kind;

constexpr std::string_view kPasteBegin = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr std::size_t kLongestSequence = 32;
constexpr std::size_t kLongestPaste = std::size_t{4} << 20;

Kind control_key(char c) {
  switch (c) {
    case '\r': return Kind::kEnter;
    case '\n': return Kind::kNewLine;
    case '\t': return Kind::kTab;
    case 0x7F:
    case 0x08: return Kind::kBackspace;
    case 'A' & 0x1F: return Kind::kHome;
    case 'B' & 0x1F: return Kind::kLeft;
    case 'C' & 0x1F: return Kind::kInterrupt;
    case 'D' & 0x1F: return Kind::kEndOfInput;
    case 'E' & 0x1F: return Kind::kEnd;
    case 'F' & 0x1F: return Kind::kRight;
    case 'K' & 0x1F: return Kind::kEraseToEnd;
    case 'L' & 0x1F: return Kind::kRedraw;
    case 'N' & 0x1F: return Kind::kDown;
    case 'O' & 0x1F: return Kind::kExpand;
    case 'P' & 0x1F: return Kind::kUp;
    case 'R' & 0x1F: return Kind::kSearch;
    case 'U' & 0x1F: return Kind::kEraseToStart;
    case 'W' & 0x1F: return Kind::kEraseWord;
    case 'Y' & 0x1F: return Kind::kPutBack;
    case 'Z' & 0x1F: return Kind::kSuspend;
    default: return Kind::kOther;
  }
}

// With Alt, terminals send Escape and then the key.
Kind alt_key(char c) {
  switch (c) {
    case 'b':
    case 'B': return Kind::kWordLeft;
    case 'f':
    case 'F': return Kind::kWordRight;
    case 'd':
    case 'D': return Kind::kEraseWordForward;
    case '\r':
    case '\n': return Kind::kNewLine;
    case 0x7F:
    case 0x08: return Kind::kEraseWord;
    default: return Kind::kOther;
  }
}

// `parameters` is the text between "ESC [" or "ESC O" and the last letter.
Kind sequence_key(std::string_view parameters, char last) {
  const std::size_t semicolon = parameters.find(';');
  const std::string_view modifier =
      semicolon == std::string_view::npos ? std::string_view() : parameters.substr(semicolon + 1);
  const bool by_word = modifier == "3" || modifier == "5" || modifier == "7";  // Alt, Ctrl or both
  switch (last) {
    case 'A': return Kind::kUp;
    case 'B': return Kind::kDown;
    case 'C': return by_word ? Kind::kWordRight : Kind::kRight;
    case 'D': return by_word ? Kind::kWordLeft : Kind::kLeft;
    case 'H': return Kind::kHome;
    case 'F': return Kind::kEnd;
    case '~': break;
    default: return Kind::kOther;
  }
  const std::string_view number = parameters.substr(0, semicolon);
  if (number == "1" || number == "7") return Kind::kHome;
  if (number == "4" || number == "8") return Kind::kEnd;
  if (number == "3") return by_word ? Kind::kEraseWordForward : Kind::kDelete;
  return Kind::kOther;
}

}  // namespace

std::vector<Key> KeyReader::feed(std::string_view bytes) {
  pending_ += bytes;
  std::vector<Key> keys;
  std::size_t at = 0;
  while (at < pending_.size()) {
    const std::string_view rest = std::string_view(pending_).substr(at);
    const std::size_t taken = pasting_ ? take_paste(rest, keys) : take(rest, keys);
    if (taken == 0) break;
    at += taken;
  }
  pending_.erase(0, at);
  return keys;
}

std::vector<Key> KeyReader::flush() {
  std::vector<Key> keys;
  if (!is_waiting()) return keys;
  if (pending_[0] == '\x1b') keys.push_back({Kind::kEscape});
  pending_.clear();
  return keys;
}

std::size_t KeyReader::take(std::string_view text, std::vector<Key>& keys) {
  const char first = text[0];
  if (first == '\x1b') return take_sequence(text, keys);
  if (static_cast<unsigned char>(first) < 0x20 || first == 0x7F) {
    keys.push_back({control_key(first)});
    return 1;
  }
  const std::size_t length = utf8_character_length(text);
  if (length == 0) {
    // Wait for the rest of an incomplete character.
    if (text.size() < 4 && malformed_utf8_length(text) == text.size() &&
        static_cast<unsigned char>(first) >= 0xC2 && static_cast<unsigned char>(first) <= 0xF4)
      return 0;
    return malformed_utf8_length(text);
  }
  if (!keys.empty() && keys.back().kind == Kind::kText)
    keys.back().text += text.substr(0, length);
  else
    keys.push_back({Kind::kText, std::string(text.substr(0, length))});
  return length;
}

std::size_t KeyReader::take_sequence(std::string_view text, std::vector<Key>& keys) {
  if (text.size() == 1) return 0;
  if (text[1] == '\x1b') {
    keys.push_back({Kind::kEscape});
    return 1;
  }
  if (text[1] != '[' && text[1] != 'O') {
    const Kind kind = alt_key(text[1]);
    // If the letter has no meaning with Alt, the user pressed Escape.
    keys.push_back({kind == Kind::kOther ? Kind::kEscape : kind});
    return kind == Kind::kOther ? 1 : 2;
  }
  std::size_t end = 2;
  while (end < text.size() && static_cast<unsigned char>(text[end]) >= 0x20 &&
         static_cast<unsigned char>(text[end]) < 0x40)
    ++end;
  if (end >= kLongestSequence) {
    keys.push_back({Kind::kOther});
    return end;
  }
  if (end >= text.size()) return 0;
  if (text.starts_with(kPasteBegin)) {
    pasting_ = true;
    paste_.clear();
    return kPasteBegin.size();
  }
  keys.push_back({sequence_key(text.substr(2, end - 2), text[end])});
  return end + 1;
}

std::size_t KeyReader::take_paste(std::string_view text, std::vector<Key>& keys) {
  const std::size_t end = text.find(kPasteEnd);
  if (end == std::string_view::npos) {
    // The end marker may be split between two pieces.
    const std::size_t kept = std::min(text.size(), kPasteEnd.size() - 1);
    const std::size_t sure = text.size() - kept;
    if (paste_.size() < kLongestPaste) paste_ += text.substr(0, sure);
    return sure;
  }
  if (paste_.size() < kLongestPaste) paste_ += text.substr(0, end);
  pasting_ = false;
  // Terminals send line breaks as carriage returns.
  keys.push_back({Kind::kPaste, to_valid_utf8(replace_all(replace_all(paste_, "\r\n", "\n"), "\r", "\n"))});
  paste_.clear();
  return end + kPasteEnd.size();
}

}  // namespace helve::terminal
