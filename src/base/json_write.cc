// Writes JSON: numbers as people write them, always valid UTF-8.
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
    const char* run = text.data();  // start of the bytes that can be copied as they are
    const char* at = run;
    const char* const end = run + text.size();
    while (true) {
      at = skip_plain(at, end);
      if (at == end) break;
      const auto byte = static_cast<unsigned char>(*at);
      const std::string_view rest(at, static_cast<std::size_t>(end - at));
      if (byte >= 0x80) {
        if (const std::size_t length = utf8_character_length(rest); length > 0) {
          at += length;
          continue;
        }
      }
      append(run, at);
      if (byte >= 0x80) {
        out_ += kReplacementCharacter;
        at += malformed_utf8_length(rest);
      } else {
        write_escape(byte);
        ++at;
      }
      run = at;
    }
    append(run, end);
    out_ += '"';
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

  void append(const char* start, const char* end) {
    out_.append(start, static_cast<std::size_t>(end - start));
  }

  static constexpr bool is_plain(unsigned char byte) {
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
  }

  // Sixteen bytes are looked at together: most text can be copied as it is.
  static const char* skip_plain(const char* at, const char* end) {
    using Bytes = unsigned char __attribute__((vector_size(16)));
    using Halves = std::uint64_t __attribute__((vector_size(16)));
    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(Bytes))) {
      Bytes bytes;
      std::memcpy(&bytes, at, sizeof bytes);
      const auto special = (bytes < 0x20) | (bytes >= 0x7F) | (bytes == '"') | (bytes == '\\');
      const auto halves = reinterpret_cast<Halves>(special);
      static_assert(std::endian::native == std::endian::little);
      if (halves[0] != 0) return at + std::countr_zero(halves[0]) / 8;
      if (halves[1] != 0) return at + 8 + std::countr_zero(halves[1]) / 8;
      at += sizeof(Bytes);
    }
    while (at != end && is_plain(static_cast<unsigned char>(*at))) ++at;
    return at;
  }

  void write_escape(unsigned char byte) {
    char letter = 0;
    switch (byte) {
      case '"':
      case '\\': letter = static_cast<char>(byte); break;
      case '\b': letter = 'b'; break;
      case '\f': letter = 'f'; break;
      case '\n': letter = 'n'; break;
      case '\r': letter = 'r'; break;
      case '\t': letter = 't'; break;
      default: {
        static constexpr char kHex[] = "0123456789abcdef";
        out_ += "\\u00";
        out_ += kHex[byte >> 4];
        out_ += kHex[byte & 0xF];
        return;
      }
    }
    out_ += '\\';
    out_ += letter;
  }

  std::string& out_;
  std::size_t depth_ = 0;
  bool pretty_;
};

namespace {

constexpr std::size_t kUsualLength = 500;

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
  if (out_.size() > 1) out_ += ',';
  JsonWriter(out_, false).write_string(key);
  out_ += ':';
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
