// The JSON value that every door, tool and record speaks, with its reader and writer.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace helve {

class Json;
struct JsonMember;

// Members in the order in which they were written. Lookup is linear: objects here are small.
class JsonObject {
 public:
  using Member = std::pair<std::string, Json>;

  JsonObject();
  JsonObject(std::initializer_list<JsonMember> members);
  JsonObject(const JsonObject&);
  JsonObject(JsonObject&&) noexcept;
  JsonObject& operator=(const JsonObject&);
  JsonObject& operator=(JsonObject&&) noexcept;
  ~JsonObject();

  // The member's value, or null when there is none.
  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] Json* find(std::string_view key);
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }

  // The member's value, added as null when there is none.
  Json& operator[](std::string_view key);
  // Adds a member without looking for one of the same name.
  Json& append(std::string key, Json value);
  bool erase(std::string_view key);

  using iterator = std::vector<Member>::iterator;
  using const_iterator = std::vector<Member>::const_iterator;
  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const_iterator begin() const;
  [[nodiscard]] const_iterator end() const;
  [[nodiscard]] iterator begin();
  [[nodiscard]] iterator end();

  bool operator==(const JsonObject& other) const;

 private:
  std::vector<Member> members_;
};

using JsonArray = std::vector<Json>;

class Json {
 public:
  Json() = default;
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(long value) : value_(std::int64_t{value}) {}
  Json(long long value) : value_(std::int64_t{value}) {}
  Json(unsigned value) : value_(std::int64_t{value}) {}
  Json(unsigned long value) { set_unsigned(value); }
  Json(unsigned long long value) { set_unsigned(value); }
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(JsonArray value) : value_(std::move(value)) {}
  Json(JsonObject value) : value_(std::move(value)) {}

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(value_); }
  // A whole number that fits 64 bits, signed or not.
  [[nodiscard]] bool is_integer() const {
    return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<std::uint64_t>(value_);
  }
  [[nodiscard]] bool is_double() const { return std::holds_alternative<double>(value_); }
  [[nodiscard]] bool is_number() const { return is_integer() || is_double(); }
  [[nodiscard]] bool is_string() const { return std::holds_alternative<std::string>(value_); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<JsonArray>(value_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<JsonObject>(value_); }

  // Each throws std::bad_variant_access when the value is of another type.
  [[nodiscard]] bool as_bool() const { return std::get<bool>(value_); }
  [[nodiscard]] std::int64_t as_integer() const { return std::get<std::int64_t>(value_); }
  [[nodiscard]] double as_double() const;
  [[nodiscard]] const std::string& as_string() const { return std::get<std::string>(value_); }
  [[nodiscard]] std::string& as_string() { return std::get<std::string>(value_); }
  [[nodiscard]] const JsonArray& as_array() const { return std::get<JsonArray>(value_); }
  [[nodiscard]] JsonArray& as_array() { return std::get<JsonArray>(value_); }
  [[nodiscard]] const JsonObject& as_object() const { return std::get<JsonObject>(value_); }
  [[nodiscard]] JsonObject& as_object() { return std::get<JsonObject>(value_); }

  // True for a whole number within int64, also one that was written as 3.0 or 3e2.
  [[nodiscard]] bool fits_int64(std::int64_t& out) const;

  // A member of an object; null when this is no object or has no such member.
  [[nodiscard]] const Json* find(std::string_view key) const;
  // A member for writing; a null value becomes an object first.
  Json& operator[](std::string_view key);
  // Adds an element; a null value becomes an array first.
  void push_back(Json element);

  // "null", "boolean", "integer", "number", "string", "array" or "object".
  [[nodiscard]] std::string_view type_name() const;

  // Numbers compare by value, so 3 equals 3.0; members of objects compare in any order.
  bool operator==(const Json& other) const;

 private:
  void set_unsigned(std::uint64_t value);

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, JsonArray, JsonObject>
      value_;

  friend class JsonWriter;
};

// A member as it is written in braces: the value that stands there is moved into the object, not copied.
struct JsonMember {
  std::string_view key;
  mutable Json value;
};

inline bool JsonObject::empty() const { return members_.empty(); }
inline std::size_t JsonObject::size() const { return members_.size(); }
inline JsonObject::const_iterator JsonObject::begin() const { return members_.begin(); }
inline JsonObject::const_iterator JsonObject::end() const { return members_.end(); }
inline JsonObject::iterator JsonObject::begin() { return members_.begin(); }
inline JsonObject::iterator JsonObject::end() { return members_.end(); }

// One line. Invalid UTF-8 in strings is written as U+FFFD, a number that is not finite as null.
[[nodiscard]] std::string to_text(const Json& value);
// Indented by two spaces, for people.
[[nodiscard]] std::string to_pretty_text(const Json& value);

}  // namespace helve
