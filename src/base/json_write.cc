// Writes JSON: numbers as people write them, always valid UTF-8.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/utf8.h"
#include "helve/json.h"

namespace helve {

class JsonWriter {
 public:
  explicit JsonWriter(bool pretty) : pretty_(pretty) { out_.reserve(kUsualLength); }

  void write(const Json& json) {
    std::visit([this](const auto& value) { write_value(value); }, json.value_);
  }

  std::string take() { return std::move(out_); }

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

  void write_string(std::string_view text) {
    out_ += '"';
    std::size_t run = 0;  // start of the bytes that can be copied as they are
    std::size_t at = 0;
    while (at < text.size()) {
      while (at + kWord <= text.size() && is_plain(text.data() + at)) at += kWord;
      if (at == text.size()) break;
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\') {
        ++at;
        continue;
      }
      if (byte >= 0x80) {
        if (const std::size_t length = utf8_character_length(text.substr(at)); length > 0) {
          at += length;
          continue;
        }
      }
      out_.append(text, run, at - run);
      if (byte >= 0x80) {
        out_ += kReplacementCharacter;
        at += malformed_utf8_length(text.substr(at));
      } else {
        write_escape(byte);
        ++at;
      }
      run = at;
    }
    out_.append(text, run, at - run);
    out_ += '"';
  }

  static constexpr std::size_t kWord = sizeof(std::uint64_t);

  // Whether eight bytes can all be copied as they are; looked at together, most text is.
  static bool is_plain(const char* bytes) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kHighs = kOnes * 0x80;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, kWord);
    const auto has_below = [](std::uint64_t value, std::uint64_t limit) {
      return (value - kOnes * limit) & ~value & kHighs;
    };
    const auto has = [&](unsigned char byte) { return has_below(word ^ (kOnes * byte), 1); };
    return ((word & kHighs) | has_below(word, 0x20) | has('"') | has('\\') | has(0x7F)) == 0;
  }

  void write_escape(unsigned char byte) {
    static constexpr std::string_view kShort = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (std::size_t i = 0; i < kShort.size(); i += 2) {
      if (static_cast<unsigned char>(kShort[i]) != byte) continue;
      out_ += '\\';
      out_ += kShort[i + 1];
      return;
    }
    static constexpr char kHex[] = "0123456789abcdef";
    out_ += "\\u00";
    out_ += kHex[byte >> 4];
    out_ += kHex[byte & 0xF];
  }

  static constexpr std::size_t kUsualLength = 500;

  std::string out_;
  std::size_t depth_ = 0;
  bool pretty_;
};

std::string to_text(const Json& value) {
  JsonWriter writer(false);
  writer.write(value);
  return writer.take();
}

std::string to_pretty_text(const Json& value) {
  JsonWriter writer(true);
  writer.write(value);
  return writer.take();
}

}  // namespace helve
