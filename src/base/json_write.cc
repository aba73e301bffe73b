// Writes JSON: numbers as people write them, always valid UTF-8.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/object_text.h"
#include "base/utf8.h"
#include "helve/json.h"

namespace helve {

class JsonWriter {
 public:
  JsonWriter(std::string& out, bool pretty) : out_(out), pretty_(pretty) {}

  void write(const Json& json) {
    std::visit([this](const auto& value) { write_value(value); }, json.value_);
  }

  void write_string(std::string_view text) {
    out_ += '"';
    if (text.size() < sizeof(Bytes) && is_short_and_plain(text)) {  // names, mostly
      out_.append(text).push_back('"');
      return;
    }
    // Answers say a long text twice, for the model and for programs.
    if (text.size() >= kLong && text == last_long_) {
      out_.append(out_, last_start_, last_size_);
      return;
    }
    const std::size_t start = out_.size();
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
      const char* const stop = at + std::min<std::ptrdiff_t>(end - at, kPiece);
      const std::size_t before = out_.size();
      const std::size_t most = kMostPerByte * (static_cast<std::size_t>(stop - at) + kOvershoot);
      out_.resize_and_overwrite(before + most, [&](char* data, std::size_t) {
        return static_cast<std::size_t>(escape(at, stop, end, data + before) - data);
      });
    }
    out_ += '"';
    if (text.size() < kLong) return;
    last_long_ = text;
    last_start_ = start;
    last_size_ = out_.size() - start;
  }

 private:
  void write_value(std::monostate) { out_ += "null"; }
  void write_value(bool value) { out_ += value ? "true" : "false"; }
  void write_value(std::int64_t value) { write_number(value); }
  void write_value(std::uint64_t value) { write_number(value); }
  void write_value(const std::string& value) { write_string(value); }

  // Plain digits within the range in which people do not use exponents; 10 rather than 1e+01.
  void write_value(double value) {
    if (!std::isfinite(value)) {
      out_ += "null";
      return;
    }
    const double magnitude = std::fabs(value);
    const bool plain = magnitude == 0 || (magnitude >= 1e-7 && magnitude < 1e21);
    write_number(value, plain ? std::chars_format::fixed : std::chars_format::scientific);
  }

  template <class... Number>
  void write_number(Number... number) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, number...).ptr;
    out_.append(digits, end);
  }

  void write_value(const JsonArray& array) {
    write_sequence('[', ']', array, [this](const Json& element) { write(element); });
  }

  void write_value(const JsonObject& object) {
    write_sequence('{', '}', object, [this](const JsonObject::Member& member) {
      write_string(member.first);
      out_ += pretty_ ? ": " : ":";
      write(member.second);
    });
  }

  template <class Items, class WriteItem>
  void write_sequence(char open, char close, const Items& items, WriteItem write_item) {
    out_ += open;
    ++depth_;
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += ',';
      first = false;
      break_line();
      write_item(item);
    }
    --depth_;
    if (!first) break_line();
    out_ += close;
  }

  void break_line() {
    if (!pretty_) return;
    out_ += '\n';
    out_.append(2 * depth_, ' ');
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
    const auto halves = reinterpret_cast<Halves>(special);
    if (halves[0] != 0) return static_cast<std::size_t>(std::countr_zero(halves[0])) / 8;
    if (halves[1] != 0) return 8 + static_cast<std::size_t>(std::countr_zero(halves[1])) / 8;
    return sizeof(Bytes);
  }

  static bool is_short_and_plain(std::string_view text) {
    Bytes bytes{};  // what follows the text is not plain
    std::memcpy(&bytes, text.data(), text.size());
    return count_plain(bytes) == text.size();
  }

  // Writes what begins before `stop`, and the rest of its last character; moves `at` behind it. Returns the
  // end of what was written.
  static char* escape(const char*& at, const char* stop, const char* end, char* to) {
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
    return to;
  }

  static char* escape(unsigned char byte, char* to) {
    static constexpr char kHex[] = "0123456789abcdef";
    *to++ = '\\';
    switch (byte) {
      case '"':
      case '\\': *to++ = static_cast<char>(byte); break;
      case '\b': *to++ = 'b'; break;
      case '\f': *to++ = 'f'; break;
      case '\n': *to++ = 'n'; break;
      case '\r': *to++ = 'r'; break;
      case '\t': *to++ = 't'; break;
      default:
        to = std::ranges::copy(std::string_view("u00"), to).out;
        *to++ = kHex[byte >> 4];
        *to++ = kHex[byte & 0xF];
    }
    return to;
  }

  std::string& out_;
  std::size_t depth_ = 0;
  bool pretty_;
  // The long text that was written last, and where it lies with its closing quotation mark.
  std::string_view last_long_ = {};
  std::size_t last_start_ = 0;
  std::size_t last_size_ = 0;
};

namespace {

constexpr std::size_t kUsualLength = 1000;

std::string written(const Json& value, bool pretty) {
  std::string text;
  text.reserve(kUsualLength);
  JsonWriter(text, pretty).write(value);
  return text;
}

}  // namespace

std::string to_text(const Json& value) { return written(value, false); }

std::string to_pretty_text(const Json& value) { return written(value, true); }

ObjectText::ObjectText() {
  out_.reserve(kUsualLength);
  out_ += '{';
}

void ObjectText::begin(std::string_view key) {
  out_.append(out_.size() > 1 ? ",\"" : "\"").append(key).append("\":");
}

ObjectText& ObjectText::add(std::string_view key, std::string_view value) {
  begin(key);
  JsonWriter(out_, false).write_string(value);
  return *this;
}

ObjectText& ObjectText::add(std::string_view key, std::int64_t value) { return add_json(key, value); }

ObjectText& ObjectText::add_json(std::string_view key, const Json& value) {
  begin(key);
  JsonWriter(out_, false).write(value);
  return *this;
}

std::string ObjectText::take() {
  out_ += '}';
  return std::move(out_);
}

}  // namespace helve
