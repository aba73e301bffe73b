// Writes JSON as valid UTF-8, with readable numbers (10, not 1e+01).
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

// Hidden, because the public Json names it as its friend, which would export it.
class [[gnu::visibility("hidden")]] JsonWriter {
 public:
  JsonWriter(std::string& out, bool pretty) : out_(out), pretty_(pretty) {}

  // Completes the text. Nothing can be written afterwards.
  void finish() { out_.finish(); }

  // Writes `{` or `,`, the key and `:`. The key must not need escapes.
  void write_key(std::string_view key, bool is_first) {
    last_long_ = {};  // may point to freed memory by now
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
    if (text.size() < sizeof(Bytes) && write_short(text)) return;  // mostly names
    // Results contain long texts twice: once for the model and once as structured output.
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

  // Exponents are used only for very small and very large numbers.
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

  // Sixteen bytes are checked and copied at once, because most text needs no escapes.
  using Bytes = unsigned char __attribute__((vector_size(16)));
  using Halves = std::uint64_t __attribute__((vector_size(16)));

  static constexpr std::size_t kLong = 256;
  static constexpr std::ptrdiff_t kPiece = 128;             // input bytes per reservation
  static constexpr std::size_t kMostPerByte = 6;            // \u001b
  static constexpr std::size_t kOvershoot = sizeof(Bytes);  // bytes that may be written past a piece

  static constexpr bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
  }

  // Number of leading plain bytes.
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

  // Loads a text of less than 16 bytes, padded with zeros.
  static Bytes load_short(std::string_view text) {
    const char* const data = text.data();
    const std::size_t size = text.size();
    std::uint64_t parts[2] = {};
    if (size >= 8) {
      // Two overlapping loads avoid a loop.
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

  // Returns false and writes nothing if a byte needs an escape.
  bool write_short(std::string_view text) {
    const Bytes bytes = load_short(text);  // the padding is not plain
    if (count_plain(bytes) != text.size()) return false;
    char* to = out_.room(sizeof bytes + 2);
    *to++ = '"';
    std::memcpy(to, &bytes, sizeof bytes);
    to += text.size();
    *to++ = '"';
    out_.end_at(to);
    return true;
  }

  // Writes all characters that begin before `stop` and advances `from` past them. Returns the end of the
  // output.
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

  // The letter after the backslash, or 0 if the byte is written as \u00XX.
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
  // The last long text, and the position of its quoted form in the output.
  std::string_view last_long_ = {};
  std::size_t last_start_ = 0;
  std::size_t last_size_ = 0;
};

// Writes a JSON object member by member, without building a JsonObject first.
// Keys are written unescaped, so they must be plain names.
class ObjectText {
 public:
  ObjectText();
  ObjectText(const ObjectText&) = delete;
  ObjectText& operator=(const ObjectText&) = delete;

  ObjectText& add(std::string_view key, std::string_view value);
  ObjectText& add(std::string_view key, std::int64_t value);
  ObjectText& add_json(std::string_view key, const Json& value);
  // `json` is JSON text.
  ObjectText& add_written(std::string_view key, std::string_view json);
  // Returns the text. Nothing can be added afterwards.
  [[nodiscard]] std::string take();

 private:
  static std::string& reserved(std::string& out);
  void begin(std::string_view key);

  std::string out_;
  JsonWriter writer_;  // writes into out_
  bool is_empty_ = true;
};

}  // namespace helve
