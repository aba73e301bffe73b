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

namespace {

// A text that grows at its end. Room is made first and the bytes are written into it, without a look at the
// size for each; the text is whole when this is gone.
class GrowingText {
 public:
  explicit GrowingText(std::string& text) : text_(text), end_(text.data() + text.size()), limit_(end_) {}
  GrowingText(const GrowingText&) = delete;
  GrowingText& operator=(const GrowingText&) = delete;
  ~GrowingText() { text_.resize(size()); }

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - text_.data()); }
  // Where the next bytes go; there is room for so many.
  [[nodiscard]] char* room(std::size_t bytes) {
    if (static_cast<std::size_t>(limit_ - end_) < bytes) grow(bytes);
    return end_;
  }
  void end_at(char* end) { end_ = end; }

  void add(char byte) {
    *room(1) = byte;
    ++end_;
  }
  void add(std::string_view bytes) {
    std::memcpy(room(bytes.size()), bytes.data(), bytes.size());
    end_ += bytes.size();
  }
  // Once more what lies there already.
  void repeat(std::size_t start, std::size_t bytes) {
    char* const to = room(bytes);
    std::memcpy(to, text_.data() + start, bytes);
    end_ = to + bytes;
  }

 private:
  void grow(std::size_t bytes) {
    const std::size_t used = size();
    const std::size_t wanted = std::max({used + bytes, 2 * used, text_.capacity()});
    text_.resize_and_overwrite(wanted, [](char*, std::size_t size) { return size; });
    end_ = text_.data() + used;
    limit_ = text_.data() + wanted;
  }

  std::string& text_;
  char* end_;
  char* limit_;
};

}  // namespace

class JsonWriter {
 public:
  JsonWriter(std::string& out, bool pretty) : out_(out), pretty_(pretty) {}

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
    const auto halves = reinterpret_cast<Halves>(special);
    if (halves[0] != 0) return static_cast<std::size_t>(std::countr_zero(halves[0])) / 8;
    if (halves[1] != 0) return 8 + static_cast<std::size_t>(std::countr_zero(halves[1])) / 8;
    return sizeof(Bytes);
  }

  // False when there is something to escape; then nothing was written.
  bool write_short(std::string_view text) {
    Bytes bytes{};  // what follows the text is not plain
    std::memcpy(&bytes, text.data(), text.size());
    if (count_plain(bytes) != text.size()) return false;
    char* to = out_.room(sizeof bytes + 2);
    *to++ = '"';
    std::memcpy(to, &bytes, sizeof bytes);
    to += text.size();
    *to++ = '"';
    out_.end_at(to);
    return true;
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

  GrowingText out_;
  std::size_t depth_ = 0;
  bool pretty_;
  // The long text that was written last, and where it lies with its quotation marks.
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
