// Typed parameters. One describe() per struct gives the JSON Schema, the validated parse, the command-line
// flags and the documentation.
//
//   #include <helve/params.h>
//   struct Params {
//     std::string path;
//     int limit = 2000;
//     void describe(helve::ParamSpec& p) {
//       p.required("path", path, "File or directory, relative to the workspace.", {.min_length = 1});
//       p.optional("limit", limit, "Most lines to return.", {.min = 1, .max = 5000});
//     }
//   };
//   Params parse(const helve::Json& arguments) {
//     if (!helve::validate(helve::params_of<Params>(), arguments).empty()) return {};
//     return helve::fill_params<Params>(arguments);
//   }
//
// A field can be a std::string, bool, integer, double, named enum, Json, std::optional<T>, std::vector<T>,
// std::map<std::string, T>, or a struct with its own describe(). The initial value of an optional field is
// its default.
//
// Everything here is a plain value or a function without state, and may be used from all threads.
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

#include "helve/api.h"
#include "helve/error.h"
#include "helve/json.h"

namespace HELVE_API helve {

struct Param;

// The type of a parameter, as data. Members that do not apply to `kind` are ignored.
struct ParamType {
  enum class Kind { kString, kBoolean, kInteger, kNumber, kArray, kObject, kMap, kAny };

  Kind kind = Kind::kAny;
  std::optional<double> min = {};              // numbers: smallest value
  std::optional<double> max = {};              // numbers: largest value
  std::optional<std::size_t> min_length = {};  // strings: characters; arrays: elements
  std::optional<std::size_t> max_length = {};
  bool whole_text = false;                // strings: may be long; on the command line, - reads it from stdin
  std::string pattern = {};               // strings: ECMAScript regular expression that must match a part
  std::vector<std::string> choices = {};  // strings: the only values allowed
  std::int64_t least_integer = std::numeric_limits<std::int64_t>::min();  // the range of the C++ type
  std::int64_t greatest_integer = std::numeric_limits<std::int64_t>::max();
  std::vector<ParamType> element;  // arrays and maps: exactly one
  std::vector<Param> members;      // objects
  bool open = false;               // objects: may have members that are not described

  [[nodiscard]] static ParamType of(Kind kind);
  [[nodiscard]] static ParamType of(Kind kind, ParamType element_type);

  // The type as JSON Schema 2020-12, without "$schema".
  [[nodiscard]] Json to_schema() const;
};

// One parameter: a member of an object type.
struct Param {
  std::string name = {};
  std::string description = {};
  bool required = false;
  std::optional<Json> default_value = {};  // empty for required parameters
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

// One problem in the arguments.
struct Complaint {
  std::string path = {};     // where: `edits[1].oldText`
  std::string problem = {};  // what, to be read after the path: "is missing; it is required"

  bool operator==(const Complaint&) const = default;
};

// Checks a value against a type and returns all problems; none means that the value is valid. `noun` is the
// word for a member in the texts.
[[nodiscard]] std::vector<Complaint> validate(const ParamType& type, const Json& value,
                                              std::string_view noun = "parameter");
// An INVALID_ARGUMENT error that lists all problems in a call of `subject`.
[[nodiscard]] Error invalid_arguments(std::string_view subject, const std::vector<Complaint>& complaints);

// Limits for the values of a field. Limits that do not apply to its type are ignored.
struct Bounds {
  std::optional<double> min = {};              // numbers
  std::optional<double> max = {};              // numbers
  std::optional<std::size_t> min_length = {};  // strings: characters; arrays: elements
  std::optional<std::size_t> max_length = {};
  std::string_view pattern = {};  // strings: ECMAScript regular expression; copied when the type is collected
  bool whole_text = false;        // strings: see ParamType::whole_text
};

class ParamSpec;

// A struct that can be used as parameters: it has a default constructor and describe(ParamSpec&).
template <class T>
concept Described =
    std::default_initializable<T> && requires(T value, ParamSpec& spec) { value.describe(spec); };

// An enum that can be used as a string parameter. Declare enum_names in the enum's namespace, or as a friend
// of its class:
//   enum class Order { kPath, kNewest };
//   constexpr auto enum_names(Order) { return std::to_array<std::string_view>({"path", "newest"}); }
// The enumerators must be numbered from zero, in the order of the names.
template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) { enum_names(value).size(); };

// Visits the fields of one struct in describe(). One description serves three purposes: to collect the types
// of the fields, to fill them from validated JSON, and to write their values as JSON. It refers to the
// container given to it, which must outlive it. Use it from one thread.
class ParamSpec {
 public:
  // These three are called by params_of, fill_params and show_params; tools do not need them.
  static ParamSpec collecting(std::vector<Param>& found) { return ParamSpec(&found, nullptr, nullptr); }
  static ParamSpec filling_from(const JsonObject& validated) {
    return ParamSpec(nullptr, &validated, nullptr);
  }
  static ParamSpec showing_in(JsonObject& values) { return ParamSpec(nullptr, nullptr, &values); }

  // Describes a field that must be given. `name` is the JSON name, in camelCase.
  template <class T>
  void required(std::string_view name, T& field, std::string_view description, const Bounds& bounds = {}) {
    visit(name, field, description, bounds, true);
  }
  // Describes a field that may be left out and then keeps its initial value.
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
struct Field;  // how to describe, fill and write a C++ type

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
  // A nested struct needs no default: its members have their own.
  if constexpr (!Described<T>) {
    if (!required) default_value = detail::Field<T>::show(field);
  }
  collect(name, description, bounds, required, detail::Field<T>::type(), std::move(default_value));
}

// The type of the whole struct, for schemas and validation.
template <Described T>
[[nodiscard]] ParamType params_of() {
  return detail::Field<T>::type();
}

// A struct filled from arguments. They must have passed validate() for params_of<T>(); a value of a wrong
// type throws std::bad_variant_access.
template <Described T>
[[nodiscard]] T fill_params(const Json& arguments) {
  T params{};
  detail::Field<T>::fill(params, arguments);
  return params;
}

// The values of all fields as a JSON object.
template <Described T>
[[nodiscard]] Json show_params(const T& params) {
  return detail::Field<T>::show(params);
}

}  // namespace helve
