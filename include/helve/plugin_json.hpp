// A small JSON value for plugins, so that they need only Helve's headers and no library. Included by
// helve/plugin.hpp.
//
//   #include <helve/plugin.hpp>
//   std::string port_as_text() {
//     const auto json = helve::plugin::parse_json("{\"port\": 8080}");
//     const helve::plugin::Json* port = json ? json->find("port") : nullptr;
//     return port != nullptr ? std::to_string(port->as_integer()) : "none";
//   }
//
// Json and JsonObject are values: they own what they hold. One object may be read from several threads at
// once.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace helve::plugin {

class Json;
using JsonArray = std::vector<Json>;

// The members of an object, in insertion order.
class JsonObject {
 public:
  using Member = std::pair<std::string, Json>;

  JsonObject() = default;
  JsonObject(std::initializer_list<Member> members);

  // The member's value, or a null pointer. Invalidated by append().
  [[nodiscard]] const Json* find(std::string_view key) const;
  // Adds a member without checking for one of the same name.
  void append(std::string key, Json value);
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }

 private:
  std::vector<Member> members_;
};

// One JSON value. Unlike helve::Json, its accessors never throw.
class Json {
 public:
  Json() = default;
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(long value) : value_(std::int64_t{value}) {}
  Json(long long value) : value_(std::int64_t{value}) {}
  Json(unsigned value) : value_(std::int64_t{value}) {}
  Json(unsigned long value) : value_(static_cast<std::int64_t>(value)) {}
  Json(unsigned long long value) : value_(static_cast<std::int64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(JsonArray value) : value_(std::move(value)) {}
  Json(JsonObject value) : value_(std::move(value)) {}
  // Not inlined: GCC 12 would warn about members that std::variant does not use.
  [[gnu::noinline]] Json(Json&& other) noexcept : value_(std::move(other.value_)) {}
  [[gnu::noinline]] Json(const Json& other) : value_(other.value_) {}
  [[gnu::noinline]] Json& operator=(Json&& other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  [[gnu::noinline]] Json& operator=(const Json& other) {
    value_ = other.value_;
    return *this;
  }
  [[gnu::noinline]] ~Json() = default;

  // The value as T (bool, std::int64_t, double, std::string, JsonArray or JsonObject), or a null pointer.
  template <class T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] bool is_object() const { return get_if<JsonObject>() != nullptr; }
  // A member of an object; a null pointer when this is not an object or has no such member.
  [[nodiscard]] const Json* find(std::string_view key) const {
    const JsonObject* object = get_if<JsonObject>();
    return object == nullptr ? nullptr : object->find(key);
  }
  // Each returns false, zero or an empty text when the value has another type.
  [[nodiscard]] bool as_bool() const { return get_if<bool>() != nullptr && *get_if<bool>(); }
  [[nodiscard]] double as_double() const {
    if (const auto* whole = get_if<std::int64_t>()) return static_cast<double>(*whole);
    return get_if<double>() != nullptr ? *get_if<double>() : 0;
  }
  [[nodiscard]] std::int64_t as_integer() const {
    if (const auto* whole = get_if<std::int64_t>()) return *whole;
    const double value = as_double();
    return std::abs(value) < 9e18 ? static_cast<std::int64_t>(value) : 0;
  }
  [[nodiscard]] std::string as_string() const {
    return get_if<std::string>() != nullptr ? *get_if<std::string>() : std::string();
  }

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, JsonArray, JsonObject> value_;
};

inline JsonObject::JsonObject(std::initializer_list<Member> members) : members_(members) {}
inline const Json* JsonObject::find(std::string_view key) const {
  for (const Member& member : members_)
    if (member.first == key) return &member.second;
  return nullptr;
}
inline void JsonObject::append(std::string key, Json value) {
  members_.emplace_back(std::move(key), std::move(value));
}

namespace detail {

inline void write_string(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  out += '"';
}

inline void write(const Json& value, std::string& out) {
  if (const auto* flag = value.get_if<bool>()) {
    out += *flag ? "true" : "false";
  } else if (const auto* whole = value.get_if<std::int64_t>()) {
    out += std::to_string(*whole);
  } else if (const auto* number = value.get_if<double>()) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, *number).ptr;
    out += std::isfinite(*number) ? std::string_view(text, static_cast<std::size_t>(end - text)) : "null";
  } else if (const auto* string = value.get_if<std::string>()) {
    write_string(*string, out);
  } else if (const auto* array = value.get_if<JsonArray>()) {
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ',';
      write((*array)[i], out);
    }
    out += ']';
  } else if (const auto* object = value.get_if<JsonObject>()) {
    out += '{';
    for (std::size_t i = 0; i < object->members().size(); ++i) {
      if (i > 0) out += ',';
      write_string(object->members()[i].first, out);
      out += ':';
      write(object->members()[i].second, out);
    }
    out += '}';
  } else {
    out += "null";
  }
}

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  std::optional<Json> read() {
    Json value;
    if (!read_value(value, 0)) return {};
    skip_blanks();
    if (at_ != text_.size()) return {};
    return value;
  }

 private:
  static constexpr int kDeepest = 200;

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool read_value(Json& out, int depth) {
    skip_blanks();
    if (at_ >= text_.size() || depth > kDeepest) return false;
    if (take("null")) return true;
    if (take("true")) return out = true, true;
    if (take("false")) return out = false, true;
    if (text_[at_] == '"') {
      std::string string;
      if (!read_string(string)) return false;
      return out = std::move(string), true;
    }
    if (take("[")) return read_array(out, depth);
    if (take("{")) return read_object(out, depth);
    return read_number(out);
  }

  bool read_array(Json& out, int depth) {
    JsonArray array;
    skip_blanks();
    if (take("]")) return out = std::move(array), true;
    for (;;) {
      if (!read_value(array.emplace_back(), depth + 1)) return false;
      skip_blanks();
      if (take("]")) return out = std::move(array), true;
      if (!take(",")) return false;
    }
  }

  bool read_object(Json& out, int depth) {
    JsonObject object;
    skip_blanks();
    if (take("}")) return out = std::move(object), true;
    for (;;) {
      std::string key;
      Json value;
      skip_blanks();
      if (!read_string(key)) return false;
      skip_blanks();
      if (!take(":") || !read_value(value, depth + 1)) return false;
      object.append(std::move(key), std::move(value));
      skip_blanks();
      if (take("}")) return out = std::move(object), true;
      if (!take(",")) return false;
    }
  }

  bool read_number(Json& out) {
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    if (*begin != '-' && (*begin < '0' || *begin > '9')) return false;
    double number = 0;
    const auto as_number = std::from_chars(begin, end, number);
    if (as_number.ec == std::errc::invalid_argument) return false;
    std::int64_t whole = 0;
    const auto as_whole = std::from_chars(begin, end, whole);
    at_ += static_cast<std::size_t>(as_number.ptr - begin);
    if (as_whole.ec == std::errc() && as_whole.ptr == as_number.ptr) return out = whole, true;
    return out = number, true;
  }

  bool read_code(unsigned& code) {
    const char* begin = text_.data() + at_;
    if (text_.size() - at_ < 4 || std::from_chars(begin, begin + 4, code, 16).ptr != begin + 4) return false;
    at_ += 4;
    return true;
  }

  bool read_string(std::string& out) {
    if (!take("\"")) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c != '\\') {
        out += c;
        continue;
      }
      if (at_ >= text_.size()) return false;
      const char escaped = text_[at_++];
      constexpr std::string_view kShort = "\"\\/bfnrt";
      constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
      if (const std::size_t known = kShort.find(escaped); known != std::string_view::npos) {
        out += kMeant[known];
        continue;
      }
      unsigned code = 0;
      if (escaped != 'u' || !read_code(code)) return false;
      if (unsigned low = 0; code >= 0xD800 && code < 0xDC00 && take("\\u") && read_code(low))
        code = 0x10000 + ((code - 0xD800) << 10) + ((low - 0xDC00) & 0x3FF);
      append_utf8(code, out);
    }
    return false;
  }

  static void append_utf8(unsigned code, std::string& out) {
    if (code < 0x80) {
      out += static_cast<char>(code);
      return;
    }
    if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6));
    } else {
      if (code < 0x10000) {
        out += static_cast<char>(0xE0 | (code >> 12));
      } else {
        out += static_cast<char>(0xF0 | (code >> 18));
        out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
      }
      out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    }
    out += static_cast<char>(0x80 | (code & 0x3F));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace detail

// The value as JSON on one line.
[[nodiscard]] inline std::string to_text(const Json& value) {
  std::string out;
  detail::write(value, out);
  return out;
}

// Parses one JSON value. Empty when the text is not valid JSON.
[[nodiscard]] inline std::optional<Json> parse_json(std::string_view text) {
  return detail::JsonReader(text).read();
}

}  // namespace helve::plugin
