// Typed parameters: one `describe` per struct gives the schema, the validated parse, the CLI flags and the
// docs.
//
//   struct Params {
//     std::string path;
//     int limit = 2000;
//     void describe(ParamSpec& p) {
//       p.required("path", path, "File or directory, relative to the workspace.", {.min_length = 1});
//       p.optional("limit", limit, "Most lines to return.", {.min = 1, .max = 5000});
//     }
//   };
//
// Fields may be strings, booleans, integers, doubles, enums, Json, std::optional, std::vector,
// std::map<std::string, T> and structs that have a `describe` of their own. A field's initial value is its
// default.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"

namespace helve {

struct Param;

// The type of a parameter, as data.
struct ParamType {
  enum class Kind { kString, kBoolean, kInteger, kNumber, kArray, kObject, kMap, kAny };

  Kind kind = Kind::kAny;
  std::optional<double> min = {};              // numbers: least value
  std::optional<double> max = {};              // numbers: greatest value
  std::optional<std::size_t> min_length = {};  // strings: characters; arrays: elements
  std::optional<std::size_t> max_length = {};
  bool whole_text = false;                // strings: may be long; at the shell, - takes it from stdin
  std::string pattern = {};               // strings: ECMAScript regular expression that must be found in it
  std::vector<std::string> choices = {};  // strings: the only values allowed
  std::int64_t least_integer = std::numeric_limits<std::int64_t>::min();  // what the C++ type can hold
  std::int64_t greatest_integer = std::numeric_limits<std::int64_t>::max();
  std::vector<ParamType> element;  // arrays and maps: exactly one
  std::vector<Param> members;      // objects
  bool open = false;               // objects: may have members that are not described

  [[nodiscard]] static ParamType of(Kind kind);
  [[nodiscard]] static ParamType of(Kind kind, ParamType element_type);

  // JSON Schema 2020-12 without the "$schema" line.
  [[nodiscard]] Json to_schema() const;
};

struct Param {
  std::string name = {};
  std::string description = {};
  bool required = false;
  std::optional<Json> default_value = {};
  ParamType type = {};
};

inline ParamType ParamType::of(Kind kind) {
  ParamType type;
  type.kind = kind;
  return type;
}

inline ParamType ParamType::of(Kind kind, ParamType element_type) {
  ParamType type = of(kind);
  type.element.push_back(std::move(element_type));
  return type;
}

// One complaint about arguments: where (`edits[1].oldText`) and what.
struct Complaint {
  std::string path = {};
  std::string problem = {};

  bool operator==(const Complaint&) const = default;
};

// Checks a value against a type and reports everything that is wrong with it, not only the first thing.
// `noun` is what a member is called in the complaints.
[[nodiscard]] std::vector<Complaint> validate(const ParamType& type, const Json& value,
                                              std::string_view noun = "parameter");
// INVALID_ARGUMENT with all complaints, for a call of `subject`.
[[nodiscard]] Error invalid_arguments(std::string_view subject, const std::vector<Complaint>& complaints);

// Bounds that an author may put on a field. Those that do not fit its type are ignored.
struct Bounds {
  std::optional<double> min = {};
  std::optional<double> max = {};
  std::optional<std::size_t> min_length = {};
  std::optional<std::size_t> max_length = {};
  std::string_view pattern = {};
  bool whole_text = false;
};

class ParamSpec;

template <class T>
concept Described =
    std::default_initializable<T> && requires(T value, ParamSpec& spec) { value.describe(spec); };

// An enum becomes a string parameter once its names are given, in the enum's namespace (or as a friend of its
// class):
//   enum class Order { kPath, kNewest };
//   constexpr auto enum_names(Order) { return std::to_array<std::string_view>({"path", "newest"}); }
// The enumerators must count from zero in that order.
template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) { enum_names(value).size(); };

// Visits the fields of one struct: collects what they are, fills them from validated JSON, or shows their
// values.
class ParamSpec {
 public:
  static ParamSpec collecting(std::vector<Param>& found) { return ParamSpec(&found, nullptr, nullptr); }
  static ParamSpec filling_from(const JsonObject& validated) {
    return ParamSpec(nullptr, &validated, nullptr);
  }
  static ParamSpec showing_in(JsonObject& values) { return ParamSpec(nullptr, nullptr, &values); }

  template <class T>
  void required(std::string_view name, T& field, std::string_view description, const Bounds& bounds = {}) {
    visit(name, field, description, bounds, true);
  }
  template <class T>
  void optional(std::string_view name, T& field, std::string_view description, const Bounds& bounds = {}) {
    visit(name, field, description, bounds, false);
  }

 private:
  ParamSpec(std::vector<Param>* found, const JsonObject* source, JsonObject* shown)
      : found_(found), source_(source), shown_(shown) {}

  template <class T>
  void visit(std::string_view name, T& field, std::string_view description, const Bounds& bounds,
             bool required);
  void collect(std::string_view name, std::string_view description, const Bounds& bounds, bool required,
               ParamType type, std::optional<Json> default_value);

  std::vector<Param>* found_;
  const JsonObject* source_;
  JsonObject* shown_;
};

namespace detail {

template <class T>
struct Field;  // how a C++ type is described, filled and shown

template <>
struct Field<std::string> {
  static ParamType type() { return ParamType::of(ParamType::Kind::kString); }
  static void fill(std::string& out, const Json& value) { out = value.as_string(); }
  static Json show(const std::string& value) { return value; }
};

template <>
struct Field<bool> {
  static ParamType type() { return ParamType::of(ParamType::Kind::kBoolean); }
  static void fill(bool& out, const Json& value) { out = value.as_bool(); }
  static Json show(bool value) { return value; }
};

template <std::integral T>
struct Field<T> {
  static ParamType type() {
    ParamType type = ParamType::of(ParamType::Kind::kInteger);
    if constexpr (std::is_unsigned_v<T>) type.least_integer = 0;
    if constexpr (std::is_signed_v<T>) type.least_integer = std::numeric_limits<T>::min();
    if constexpr (sizeof(T) < sizeof(std::int64_t) || std::is_signed_v<T>)
      type.greatest_integer = static_cast<std::int64_t>(std::numeric_limits<T>::max());
    return type;
  }
  static void fill(T& out, const Json& value) {
    std::int64_t whole = 0;
    if (value.fits_int64(whole)) out = static_cast<T>(whole);
  }
  static Json show(T value) { return value; }
};

template <>
struct Field<double> {
  static ParamType type() { return ParamType::of(ParamType::Kind::kNumber); }
  static void fill(double& out, const Json& value) { out = value.as_double(); }
  static Json show(double value) { return value; }
};

template <>
struct Field<Json> {
  static ParamType type() { return {}; }
  static void fill(Json& out, const Json& value) { out = value; }
  static Json show(const Json& value) { return value; }
};

template <NamedEnum T>
struct Field<T> {
  static ParamType type() {
    ParamType type = ParamType::of(ParamType::Kind::kString);
    for (const std::string_view name : enum_names(T{})) type.choices.emplace_back(name);
    return type;
  }
  static void fill(T& out, const Json& value) {
    constexpr auto names = enum_names(T{});
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == value.as_string()) out = static_cast<T>(i);
  }
  static Json show(T value) { return enum_names(T{})[static_cast<std::size_t>(value)]; }
};

template <class T>
struct Field<std::optional<T>> {
  static ParamType type() { return Field<T>::type(); }
  static void fill(std::optional<T>& out, const Json& value) { Field<T>::fill(out.emplace(), value); }
  static Json show(const std::optional<T>& value) { return value ? Field<T>::show(*value) : Json(); }
};

template <class T>
struct Field<std::vector<T>> {
  static ParamType type() { return ParamType::of(ParamType::Kind::kArray, Field<T>::type()); }
  static void fill(std::vector<T>& out, const Json& value) {
    out.clear();
    for (const Json& element : value.as_array()) {
      T item{};
      Field<T>::fill(item, element);
      out.push_back(std::move(item));
    }
  }
  static Json show(const std::vector<T>& value) {
    JsonArray array;
    for (const T& element : value) array.push_back(Field<T>::show(element));
    return array;
  }
};

template <class T>
struct Field<std::map<std::string, T>> {
  static ParamType type() { return ParamType::of(ParamType::Kind::kMap, Field<T>::type()); }
  static void fill(std::map<std::string, T>& out, const Json& value) {
    out.clear();
    for (const auto& [key, element] : value.as_object()) Field<T>::fill(out[key], element);
  }
  static Json show(const std::map<std::string, T>& value) {
    JsonObject object;
    for (const auto& [key, element] : value) object.append(key, Field<T>::show(element));
    return object;
  }
};

template <Described T>
struct Field<T> {
  static ParamType type() {
    ParamType type = ParamType::of(ParamType::Kind::kObject);
    T example{};
    ParamSpec spec = ParamSpec::collecting(type.members);
    example.describe(spec);
    return type;
  }
  static void fill(T& out, const Json& value) {
    ParamSpec spec = ParamSpec::filling_from(value.as_object());
    out.describe(spec);
  }
  static Json show(T value) {
    JsonObject values;
    ParamSpec spec = ParamSpec::showing_in(values);
    value.describe(spec);
    return values;
  }
};

}  // namespace detail

template <class T>
void ParamSpec::visit(std::string_view name, T& field, std::string_view description, const Bounds& bounds,
                      bool required) {
  if (source_ != nullptr) {
    if (const Json* value = source_->find(name)) detail::Field<T>::fill(field, *value);
    return;
  }
  if (shown_ != nullptr) {
    shown_->append(std::string(name), detail::Field<T>::show(field));
    return;
  }
  std::optional<Json> default_value;
  // The members of a nested struct have defaults of their own.
  if constexpr (!Described<T>) {
    if (!required) default_value = detail::Field<T>::show(field);
  }
  collect(name, description, bounds, required, detail::Field<T>::type(), std::move(default_value));
}

// The whole struct as a type.
template <Described T>
[[nodiscard]] ParamType params_of() {
  return detail::Field<T>::type();
}

// The struct with the values of validated arguments.
template <Described T>
[[nodiscard]] T fill_params(const Json& arguments) {
  T params{};
  detail::Field<T>::fill(params, arguments);
  return params;
}

// The struct's current values.
template <Described T>
[[nodiscard]] Json show_params(const T& params) {
  return detail::Field<T>::show(params);
}

}  // namespace helve
