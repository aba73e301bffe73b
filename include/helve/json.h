// The JSON value that tools, events and records are made of, its writer and its reader.
//
//   #include <helve/json.h>
//   #include <iostream>
//   void example() {
//     helve::Json json = helve::JsonObject{{"name", "notes"}, {"lines", 3}};
//     json["tags"].push_back("draft");
//     if (const helve::Json* lines = json.find("lines")) std::cout << lines->as_integer() << "\n";
//     std::cout << helve::to_text(json) << "\n";  // {"name":"notes","lines":3,"tags":["draft"]}
//
//     const auto parsed = helve::parse_json(R"({"port": 80, "port": 81})");
//     if (!parsed) std::cout << parsed.error().message << "\n";
//     // This is not valid JSON: duplicate key "port" (line 1, column 19).
//   }
//
// Json and JsonObject are values: they own what they hold, and copies are deep. Like standard containers, one
// object may be read from several threads at once, but must not be read while another thread changes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "helve/api.h"

namespace HELVE_API helve {

class Json;
struct JsonMember;

// The members of an object, in insertion order. Lookup is linear, because objects here are small. Pointers,
// references and iterators to members are invalidated when a member is added or erased.
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

  // The member's value, or a null pointer when there is no such member.
  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] Json* find(std::string_view key);
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }

  // The member's value. A missing member is added first, with the value null.
  Json& operator[](std::string_view key);
  // Adds a member without checking for one of the same name, and returns its value.
  Json& append(std::string key, Json value);
  // Removes a member. Returns false when there is no such member.
  bool erase(std::string_view key);

  using iterator = std::vector<Member>::iterator;
  using const_iterator = std::vector<Member>::const_iterator;
  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const_iterator begin() const;
  [[nodiscard]] const_iterator end() const;
  [[nodiscard]] iterator begin();
  [[nodiscard]] iterator end();

  // Ignores the order of members.
  bool operator==(const JsonObject& other) const;

 private:
  std::vector<Member> members_;
};

using JsonArray = std::vector<Json>;

// One JSON value: null, boolean, integer, floating-point number, string, array or object. Constructors are
// implicit, so that values can be written in place. Integers keep all 64 bits, signed or unsigned.
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
  // A whole number that fits in 64 bits, signed or unsigned.
  [[nodiscard]] bool is_integer() const {
    return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<std::uint64_t>(value_);
  }
  [[nodiscard]] bool is_double() const { return std::holds_alternative<double>(value_); }
  [[nodiscard]] bool is_number() const { return is_integer() || is_double(); }
  [[nodiscard]] bool is_string() const { return std::holds_alternative<std::string>(value_); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<JsonArray>(value_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<JsonObject>(value_); }

  // The value as a C++ type. Each function throws std::bad_variant_access when the value has another type, so
  // check first if the value comes from outside. as_integer() also throws for a number above INT64_MAX;
  // as_double() accepts every number.
  [[nodiscard]] bool as_bool() const { return std::get<bool>(value_); }
  [[nodiscard]] std::int64_t as_integer() const { return std::get<std::int64_t>(value_); }
  [[nodiscard]] double as_double() const;
  [[nodiscard]] const std::string& as_string() const { return std::get<std::string>(value_); }
  [[nodiscard]] std::string& as_string() { return std::get<std::string>(value_); }
  [[nodiscard]] const JsonArray& as_array() const { return std::get<JsonArray>(value_); }
  [[nodiscard]] JsonArray& as_array() { return std::get<JsonArray>(value_); }
  [[nodiscard]] const JsonObject& as_object() const { return std::get<JsonObject>(value_); }
  [[nodiscard]] JsonObject& as_object() { return std::get<JsonObject>(value_); }

  // Stores a whole number in `out` if it fits in int64, and returns whether it did. Accepts 3.0 and 3e2, too.
  [[nodiscard]] bool fits_int64(std::int64_t& out) const;

  // A member of an object; a null pointer when this is not an object or has no such member.
  [[nodiscard]] const Json* find(std::string_view key) const;
  // A member to write to. A null value becomes an object first; throws for values of other types.
  Json& operator[](std::string_view key);
  // Appends an element. A null value becomes an array first; throws for values of other types.
  void push_back(Json element);

  // "null", "boolean", "integer", "number", "string", "array" or "object". The text is static.
  [[nodiscard]] std::string_view type_name() const;

  // Compares numbers by value, so that 3 equals 3.0, and objects without regard to the order of members.
  bool operator==(const Json& other) const;

 private:
  void set_unsigned(std::uint64_t value);

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, JsonArray, JsonObject>
      value_;

  friend class JsonWriter;
};

// One element of JsonObject's initializer list. `value` is mutable so that it can be moved into the object:
// the elements of an initializer list are const.
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

// The value as JSON on one line. Invalid UTF-8 is written as U+FFFD, and a number that is not finite as null.
[[nodiscard]] std::string to_text(const Json& value);
// The same, indented by two spaces.
[[nodiscard]] std::string to_pretty_text(const Json& value);

}  // namespace helve

#include "helve/error.h"  // here, because an Error holds a Json

namespace HELVE_API helve {

struct Error;

// The limits of parse_json(). The defaults are for text from untrusted senders.
struct JsonLimits {
  std::size_t max_depth = 64;  // of objects and arrays within each other
  std::size_t max_bytes = std::size_t{64} << 20;
  std::size_t max_values = 2'000'000;  // of all kinds together; each needs far more memory than its text
};

// Reads one JSON value. The whole text must be that value, with optional white space around it. It is read
// strictly, so that no two readers can understand the same text differently. INVALID_ARGUMENT for:
//   - text that is not JSON, with the line and column in the message and in `details`
//   - a key that occurs twice in one object, with the path of the object
//   - invalid UTF-8, and escapes that are half of a surrogate pair
//   - a number that does not fit into a double
//   - more than `limits` allow
// It keeps no reference to the text, and may be called from several threads at once.
[[nodiscard]] std::expected<Json, Error> parse_json(std::string_view text, const JsonLimits& limits = {});

}  // namespace helve
