#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace helve {
namespace {

struct Sequence {
  std::size_t length;  // 0 for a byte that cannot start a character
  unsigned char second_min;
  unsigned char second_max;
};

// The allowed second bytes for each first byte (table 3-7 of the Unicode standard).
Sequence sequence_after(unsigned char first) {
  if (first < 0x80) return {1, 0, 0};
  if (first < 0xC2) return {0, 0, 0};
  if (first < 0xE0) return {2, 0x80, 0xBF};
  if (first == 0xE0) return {3, 0xA0, 0xBF};
  if (first == 0xED) return {3, 0x80, 0x9F};
  if (first < 0xF0) return {3, 0x80, 0xBF};
  if (first == 0xF0) return {4, 0x90, 0xBF};
  if (first < 0xF4) return {4, 0x80, 0xBF};
  if (first == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The number of leading bytes that fit a character, and whether they complete it.
struct Matched {
  std::size_t bytes;
  bool whole;
};

Matched match_character(std::string_view text) {
  if (text.empty()) return {0, false};
  const Sequence sequence = sequence_after(static_cast<unsigned char>(text[0]));
  if (sequence.length == 0) return {1, false};
  std::size_t matched = 1;
  while (matched < sequence.length && matched < text.size()) {
    const auto byte = static_cast<unsigned char>(text[matched]);
    const bool fits = matched == 1 ? byte >= sequence.second_min && byte <= sequence.second_max
                                   : is_continuation(text[matched]);
    if (!fits) break;
    ++matched;
  }
  return {matched, matched == sequence.length};
}

}  // namespace

std::size_t utf8_character_length(std::string_view text) {
  const Matched matched = match_character(text);
  return matched.whole ? matched.bytes : 0;
}

std::size_t malformed_utf8_length(std::string_view text) { return match_character(text).bytes; }

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    // Skip ASCII many bytes at a time.
    using Lanes [[gnu::vector_size(16)]] = std::uint64_t;
    while (at + 4 * sizeof(Lanes) <= text.size()) {
      std::array<Lanes, 4> words;
      std::memcpy(words.data(), text.data() + at, sizeof words);
      const Lanes high = (words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080U;
      if ((high[0] | high[1]) != 0) break;
      at += sizeof words;
    }
    while (at + sizeof(std::uint64_t) <= text.size()) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & 0x8080808080808080U) != 0) break;
      at += sizeof word;
    }
    if (at == text.size()) break;
    const std::size_t length = utf8_character_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return text.size();
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t valid = find_invalid_utf8(text);
    out.append(text.substr(0, valid));
    text.remove_prefix(valid);
    if (text.empty()) break;
    out.append(kReplacementCharacter);
    text.remove_prefix(malformed_utf8_length(text));
  }
  return out;
}

std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && max_bytes - end < 4 && is_continuation(text[end])) --end;
  return text.substr(0, end);
}

std::string_view utf8_suffix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t start = text.size() - max_bytes;
  const std::size_t limit = std::min(start + 4, text.size());
  while (start < limit && is_continuation(text[start])) ++start;
  return text.substr(start);
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return !is_continuation(byte); }));
}

std::string shortened(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  return std::string(utf8_prefix(text, max_bytes)) + "…";
}

std::string on_one_line(std::string_view text, std::size_t max_bytes) {
  std::string line;
  for (const char c : text.substr(0, max_bytes * 2)) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  if (line.ends_with(' ')) line.pop_back();
  return shortened(line, max_bytes);
}

void append_utf8(std::string& out, char32_t character) {
  const auto bits = [&](int shift, char32_t mask, char32_t lead) {
    out += static_cast<char>(lead | ((character >> shift) & mask));
  };
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    bits(6, 0x1F, 0xC0);
    bits(0, 0x3F, 0x80);
  } else if (character < 0x10000) {
    bits(12, 0x0F, 0xE0);
    bits(6, 0x3F, 0x80);
    bits(0, 0x3F, 0x80);
  } else {
    bits(18, 0x07, 0xF0);
    bits(12, 0x3F, 0x80);
    bits(6, 0x3F, 0x80);
    bits(0, 0x3F, 0x80);
  }
}

}  // namespace helve
