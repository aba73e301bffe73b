// Writes JSON: numbers as people write them, always valid UTF-8.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/growing_text.h"
#include "base/utf8.h"
#include "helve/json.h"

namespace helve {

class JsonWriter {
 public:
  JsonWriter(std::string& out, bool pretty) : out_(out), pretty_(pretty) {}

  // The text is whole afterwards, and nothing more can be written.
  void finish() { out_.finish(); }

  // A name that needs no escapes, with what comes before and after it in an object.
  void write_key(std::string_view key, bool is_first) {
    last_long_ = {};  // may be gone: what comes next is another value
    char* to = out_.room(key.size() + 4);
    *to++ = is_first ? '{' : ',';
    *to++ = '"';
    std::memcpy(to, key.data(), key.size());
    to += key.size();
    *to++ = '"';
    *to++ = ':';
    out_.end_at(to);
  }
  void write_end() { out_.add('}'); }
  void add_written(std::string_view json) { out_.add(json); }

  void write(const Json& json) {
    std::visit([this](const auto& value) { write_value(value); }, json.value_);
  }

  void write_string(std::string_view text) {
    if (text.size() < sizeof(Bytes) && write_short(text)) return;  // names, mostly
    // Answers say a long text twice, for the model and for programs.
    if (text.size() >= kLong && text == last_long_) return out_.repeat(last_start_, last_size_);
    const std::size_t start = out_.size();
    out_.add('"');
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
      const char* const stop = at + std::min<std::ptrdiff_t>(end - at, kPiece);
      char* const to = out_.room(kMostPerByte * (static_cast<std::size_t>(stop - at) + kOvershoot));
      out_.end_at(escape(at, stop, end, to));
    }
    out_.add('"');
    if (text.size() < kLong) return;
    last_long_ = text;
    last_start_ = start;
    last_size_ = out_.size() - start;
  }

 private:
  void write_value(std::monostate) { out_.add("null"); }
  void write_value(bool value) { out_.add(value ? "true" : "false"); }
  void write_value(std::int64_t value) { write_number(value); }
  void write_value(std::uint64_t value) { write_number(value); }
  void write_value(const std::string& value) { write_string(value); }

  // Plain digits within the range in which people do not use exponents; 10 rather than 1e+01.
  void write_value(double value) {
    if (!std::isfinite(value)) return out_.add("null");
    const double magnitude = std::fabs(value);
    const bool plain = magnitude == 0 || (magnitude >= 1e-7 && magnitude < 1e21);
    write_number(value, plain ? std::chars_format::fixed : std::chars_format::scientific);
  }

  template <class... Number>
  void write_number(Number... number) {
    constexpr std::size_t kMostDigits = 64;
    char* const to = out_.room(kMostDigits);
    out_.end_at(std::to_chars(to, to + kMostDigits, number...).ptr);
  }

  void write_value(const JsonArray& array) {
    write_sequence('[', ']', array, [this](const Json& element) { write(element); });
  }

  void write_value(const JsonObject& object) {
    write_sequence('{', '}', object, [this](const JsonObject::Member& member) {
      write_string(member.first);
      out_.add(':');
      if (pretty_) out_.add(' ');
      write(member.second);
    });
  }

  template <class Items, class WriteItem>
  void write_sequence(char open, char close, const Items& items, WriteItem write_item) {
    out_.add(open);
    ++depth_;
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_.add(',');
      first = false;
      break_line();
      write_item(item);
    }
    --depth_;
    if (!first) break_line();
    out_.add(close);
  }

  void break_line() {
    if (!pretty_) return;
    out_.add('\n');
    for (std::size_t i = 0; i < depth_; ++i) out_.add("  ");
  }

  // Sixteen bytes are looked at, and copied, together: most text can be written as it is.
  using Bytes = unsigned char __attribute__((vector_size(16)));
  using Halves = std::uint64_t __attribute__((vector_size(16)));

  static constexpr std::size_t kLong = 256;
  static constexpr std::ptrdiff_t kPiece = 128;             // for which room is made at a time
  static constexpr std::size_t kMostPerByte = 6;            // \u001b
  static constexpr std::size_t kOvershoot = sizeof(Bytes);  // what may be written beyond a piece

  static constexpr bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
  }

  // How many of the first bytes are plain.
  static std::size_t count_plain(Bytes bytes) {
    static_assert(std::endian::native == std::endian::little);
    const auto special = (bytes < 0x20) | (bytes >= 0x7F) | (bytes == '"') | (bytes == '\\');
#ifdef __SSE2__
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(reinterpret_cast<__m128i>(special)));
    return static_cast<std::size_t>(std::countr_zero(found | 0x1'0000U));
#else
    const auto halves = reinterpret_cast<Halves>(special);
    if (halves[0] != 0) return static_cast<std::size_t>(std::countr_zero(halves[0])) / 8;
    if (halves[1] != 0) return 8 + static_cast<std::size_t>(std::countr_zero(halves[1])) / 8;
    return sizeof(Bytes);
#endif
  }

  // The first bytes of a block; the rest is zero.
  static Bytes load_short(std::string_view text) {
    const char* const data = text.data();
    const std::size_t size = text.size();
    std::uint64_t parts[2] = {};
    if (size >= 8) {
      // Two loads that overlap: no loop and no call.
      std::memcpy(&parts[0], data, 8);
      std::uint64_t last = 0;
      std::memcpy(&last, data + size - 8, 8);
      parts[1] = size == 8 ? 0 : last >> (8 * (16 - size));
    } else if (size >= 4) {
      std::uint32_t first = 0;
      std::uint32_t last = 0;
      std::memcpy(&first, data, 4);
      std::memcpy(&last, data + size - 4, 4);
      parts[0] = first | std::uint64_t{last} << (8 * (size - 4));
    } else {
      for (std::size_t i = 0; i < size; ++i)
        parts[0] |= std::uint64_t{static_cast<unsigned char>(data[i])} << (8 * i);
    }
    Bytes bytes;
    std::memcpy(&bytes, parts, sizeof bytes);
    return bytes;
  }

  // False when there is something to escape; then nothing was written.
  bool write_short(std::string_view text) {
    const Bytes bytes = load_short(text);  // what follows the text is not plain
    if (count_plain(bytes) != text.size()) return false;
    char* to = out_.room(sizeof bytes + 2);
    *to++ = '"';
    std::memcpy(to, &bytes, sizeof bytes);
    to += text.size();
    *to++ = '"';
    out_.end_at(to);
    return true;
  }

  // Writes what begins before `stop`, and the rest of its last character; moves `from` behind it. Returns the
  // end of what was written.
  static char* escape(const char*& from, const char* stop, const char* end, char* to) {
    const char* at = from;
    while (at < stop) {
      if (end - at >= static_cast<std::ptrdiff_t>(sizeof(Bytes))) {
        Bytes bytes;
        std::memcpy(&bytes, at, sizeof bytes);
        std::memcpy(to, &bytes, sizeof bytes);
        const std::size_t plain = count_plain(bytes);
        at += plain;
        to += plain;
        if (plain == sizeof bytes) continue;
      } else if (is_plain(*at)) {
        *to++ = *at++;
        continue;
      }
      const auto byte = static_cast<unsigned char>(*at);
      if (byte < 0x80) {
        to = escape(byte, to);
        ++at;
        continue;
      }
      const std::string_view rest(at, static_cast<std::size_t>(end - at));
      const std::size_t length = utf8_character_length(rest);
      const std::string_view written = length > 0 ? rest.substr(0, length) : kReplacementCharacter;
      to = std::ranges::copy(written, to).out;
      at += length > 0 ? length : malformed_utf8_length(rest);
    }
    from = at;
    return to;
  }

  // The letter behind the backslash; 0 where there is none and the byte is written in digits.
  static constexpr auto kEscapes = [] {
    std::array<char, 128> letters{};
    for (const auto& [byte, letter] :
         {std::pair('"', '"'), {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}})
      letters[static_cast<unsigned char>(byte)] = letter;
    return letters;
  }();

  static char* escape(unsigned char byte, char* to) {
    static constexpr char kHex[] = "0123456789abcdef";
    *to++ = '\\';
    if (const char letter = kEscapes[byte]; letter != 0) {
      *to++ = letter;
      return to;
    }
    to = std::ranges::copy(std::string_view("u00"), to).out;
    *to++ = kHex[byte >> 4];
    *to++ = kHex[byte & 0xF];
    return to;
  }

  GrowingText out_;
  std::size_t depth_ = 0;
  bool pretty_;
  // The long text that was written last, and where it lies with its quotation marks.
  std::string_view last_long_ = {};
  std::size_t last_start_ = 0;
  std::size_t last_size_ = 0;
};

}  // namespace helve
