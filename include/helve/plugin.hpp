// Tools for a plugin that is a shared library, declared as structs like Helve's own tools. Header-only C++20;
// there is no library to link.
//
//   #include <helve/plugin.hpp>
//   using namespace helve::plugin;
//
//   struct WordCount {
//     static constexpr std::string_view kDescription = "Count the words of a text.";
//     static constexpr Effect kEffect = Effect::kRead;
//     struct Params {
//       std::string text;
//       void describe(ParamSpec& p) { p.required("text", text, "The text."); }
//     };
//     Result execute(Context&, const Params& params) const {
//       int words = 0;
//       bool inside = false;
//       for (const char c : params.text) words += !std::exchange(inside, c != ' ') && inside;
//       return Output{.summary = std::to_string(words) + " words"};
//     }
//   };
//   HELVE_PLUGIN("words", "1.0.0", WordCount)  // the tool is named word_count
//
// Helve creates a new object of the struct for each call, and may make several calls at once on different
// threads: keep state in statics with a lock. An exception becomes EXECUTION_FAILED.
#pragma once

#include <array>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <type_traits>

#include "helve/plugin.h"
#include "helve/plugin_json.hpp"

namespace helve::plugin {

// The most that a tool can do. Permissions use the effect in the plugin's manifest.
enum class Effect { kRead, kWrite, kExecute, kNetwork };

// The result of a call that succeeded.
struct Output {
  std::string summary = {};                      // one line for the user
  std::string content = {};                      // what the model reads
  Json data = {};                                // the same facts for programs: an object, or null
  std::vector<std::string> affected_paths = {};  // what changed, relative to the workspace
};

// A failure, written for the model that will act on it.
struct Error {
  std::string code = "EXECUTION_FAILED";  // a code of helve/error.h
  std::string message = {};               // what failed, and with which value
  std::string hint = {};                  // what to do next; may be empty
};

using Result = std::variant<Output, Error>;

// Creates an error: return fail("No file x.", "Use find.", "NOT_FOUND");
[[nodiscard]] inline Error fail(std::string message, std::string hint = {},
                                std::string code = "EXECUTION_FAILED") {
  return {std::move(code), std::move(message), std::move(hint)};
}

// The services for a tool while it runs one call. Do not keep a reference to it after execute() returns. The
// functions may be used from all threads until then.
class Context {
 public:
  explicit Context(const helve_call& call) : call_(call) {}

  // The absolute path of the workspace; also the working directory of the process.
  [[nodiscard]] std::string workspace() const { return {call_.workspace.bytes, call_.workspace.length}; }
  // True when the call must change nothing. Only tools with kDryRuns = true see true here.
  [[nodiscard]] bool dry_run() const { return call_.dry_run != 0; }
  // True when the call was cancelled or its time limit has passed. Check it in long loops, and return soon.
  [[nodiscard]] bool should_stop() const { return call_.should_stop(call_.host) != 0; }
  // Reports progress. Without `total`, the amount of work is not known.
  void report(double done, std::optional<double> total = {}, std::string_view message = {}) const {
    call_.progress(call_.host, done, total.value_or(-1), {message.data(), message.size()});
  }

 private:
  const helve_call& call_;
};

// Limits for the values of a field. Limits that do not apply to its type are ignored.
struct Bounds {
  std::optional<double> min = {};
  std::optional<double> max = {};
  std::optional<std::size_t> min_length = {};
  std::optional<std::size_t> max_length = {};
  std::string_view pattern = {};
};

class ParamSpec;

// A struct that can be used as parameters: it has a default constructor and describe(ParamSpec&).
template <class T>
concept Described = std::default_initializable<T> && requires(T value, ParamSpec& p) { value.describe(p); };

// An enum that can be used as a string parameter. Declare its names, in order, in the enum's namespace:
// constexpr auto enum_names(Order) { return std::to_array<std::string_view>({"path", "newest"}); }
template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) { enum_names(value).size(); };

namespace detail {
template <class T>
struct Field;  // how to describe, fill and write a C++ type
}

// Visits the fields of one struct in describe(): collects their JSON Schemas, or fills them from arguments.
// Fields can have the same types as in helve/params.h.
class ParamSpec {
 public:
  // Both are called by HELVE_PLUGIN; tools do not need them.
  static ParamSpec collecting(JsonObject& properties, JsonArray& required) {
    return ParamSpec(&properties, &required, nullptr);
  }
  static ParamSpec filling_from(const Json& arguments) { return ParamSpec(nullptr, nullptr, &arguments); }

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
  ParamSpec(JsonObject* properties, JsonArray* required, const Json* source)
      : properties_(properties), required_(required), source_(source) {}

  template <class T>
  void visit(std::string_view name, T& field, std::string_view description, const Bounds& bounds,
             bool required);

  JsonObject* properties_;
  JsonArray* required_;
  const Json* source_;
};

namespace detail {

inline void add_number_bounds(JsonObject& schema, const Bounds& bounds) {
  if (bounds.min) schema.append("minimum", *bounds.min);
  if (bounds.max) schema.append("maximum", *bounds.max);
}

template <>
struct Field<std::string> {
  static JsonObject schema(const Bounds& bounds) {
    JsonObject schema{{"type", "string"}};
    if (bounds.min_length) schema.append("minLength", *bounds.min_length);
    if (bounds.max_length) schema.append("maxLength", *bounds.max_length);
    if (!bounds.pattern.empty()) schema.append("pattern", bounds.pattern);
    return schema;
  }
  static void fill(std::string& out, const Json& value) { out = value.as_string(); }
  static Json show(const std::string& value) { return value; }
};

template <>
struct Field<bool> {
  static JsonObject schema(const Bounds&) { return {{"type", "boolean"}}; }
  static void fill(bool& out, const Json& value) { out = value.as_bool(); }
  static Json show(bool value) { return value; }
};

template <std::integral T>
struct Field<T> {
  static JsonObject schema(Bounds bounds) {
    JsonObject schema{{"type", "integer"}};
    // Helve refuses values outside of these bounds, so fill() never receives a number that the type cannot
    // hold.
    if (!bounds.min && sizeof(T) < 8) bounds.min = static_cast<double>(std::numeric_limits<T>::min());
    if (!bounds.min && std::is_unsigned_v<T>) bounds.min = 0;
    if (!bounds.max && sizeof(T) < 8) bounds.max = static_cast<double>(std::numeric_limits<T>::max());
    add_number_bounds(schema, bounds);
    return schema;
  }
  static void fill(T& out, const Json& value) { out = static_cast<T>(value.as_integer()); }
  static Json show(T value) { return value; }
};

template <>
struct Field<double> {
  static JsonObject schema(const Bounds& bounds) {
    JsonObject schema{{"type", "number"}};
    add_number_bounds(schema, bounds);
    return schema;
  }
  static void fill(double& out, const Json& value) { out = value.as_double(); }
  static Json show(double value) { return value; }
};

template <>
struct Field<Json> {
  static JsonObject schema(const Bounds&) { return {}; }
  static void fill(Json& out, const Json& value) { out = value; }
  static Json show(const Json& value) { return value; }
};

template <NamedEnum T>
struct Field<T> {
  static JsonObject schema(const Bounds&) {
    JsonArray names;
    for (const std::string_view name : enum_names(T{})) names.emplace_back(name);
    return {{"type", "string"}, {"enum", std::move(names)}};
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
  static JsonObject schema(const Bounds& bounds) { return Field<T>::schema(bounds); }
  static void fill(std::optional<T>& out, const Json& value) { Field<T>::fill(out.emplace(), value); }
  static Json show(const std::optional<T>& value) { return value ? Field<T>::show(*value) : Json(); }
};

template <class T>
struct Field<std::vector<T>> {
  static JsonObject schema(const Bounds& bounds) {
    JsonObject schema{{"type", "array"}, {"items", Field<T>::schema({})}};
    if (bounds.min_length) schema.append("minItems", *bounds.min_length);
    if (bounds.max_length) schema.append("maxItems", *bounds.max_length);
    return schema;
  }
  static void fill(std::vector<T>& out, const Json& value) {
    out.clear();
    if (const auto* array = value.get_if<JsonArray>())
      for (const Json& element : *array) {
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
  static JsonObject schema(const Bounds&) {
    return {{"type", "object"}, {"additionalProperties", Field<T>::schema({})}};
  }
  static void fill(std::map<std::string, T>& out, const Json& value) {
    out.clear();
    if (const auto* object = value.get_if<JsonObject>())
      for (const auto& [key, element] : object->members()) Field<T>::fill(out[key], element);
  }
  static Json show(const std::map<std::string, T>& value) {
    JsonObject object;
    for (const auto& [key, element] : value) object.append(key, Field<T>::show(element));
    return object;
  }
};

template <Described T>
struct Field<T> {
  static JsonObject schema(const Bounds&) {
    JsonObject properties;
    JsonArray required;
    T example{};
    ParamSpec spec = ParamSpec::collecting(properties, required);
    example.describe(spec);
    JsonObject schema{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema.append("required", std::move(required));
    schema.append("additionalProperties", false);
    return schema;
  }
  static void fill(T& out, const Json& value) {
    ParamSpec spec = ParamSpec::filling_from(value);
    out.describe(spec);
  }
  static Json show(const T&) { return {}; }
};

// "helve::plugin::detail::tool_name() [with T = my::ReadFile; …]" → "read_file"
inline std::string name_from_type(std::string_view pretty) {
  std::size_t begin = pretty.find("T = ");
  begin = begin == std::string_view::npos ? 0 : begin + 4;
  std::string_view type = pretty.substr(begin, pretty.find_first_of(";]", begin) - begin);
  if (const std::size_t colon = type.rfind(':'); colon != std::string_view::npos)
    type.remove_prefix(colon + 1);
  std::string name;
  for (const char c : type) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !name.empty()) name += '_';
    name += upper ? static_cast<char>(c + 32) : c;
  }
  return name;
}

template <class T>
std::string tool_name() {
  if constexpr (requires { T::kName; })
    return std::string(T::kName);
  else
    return name_from_type(__PRETTY_FUNCTION__);
}

template <class T>
Json describe_tool() {
  constexpr auto kEffects = std::to_array<std::string_view>({"read", "write", "execute", "network"});
  JsonObject tool{{"name", tool_name<T>()},
                  {"description", T::kDescription},
                  {"effect", kEffects[static_cast<std::size_t>(T::kEffect)]},
                  {"inputSchema", Field<typename T::Params>::schema({})}};
  if constexpr (requires { T::kTitle; }) tool.append("title", T::kTitle);
  if constexpr (requires { T::kDestructive; }) tool.append("destructive", T::kDestructive);
  if constexpr (requires { T::kIdempotent; }) tool.append("idempotent", T::kIdempotent);
  if constexpr (requires { T::kDryRuns; }) tool.append("dryRuns", T::kDryRuns);
  return tool;
}

inline Json to_json(const Result& result) {
  if (const auto* error = std::get_if<Error>(&result))
    return JsonObject{
        {"error", JsonObject{{"code", error->code}, {"message", error->message}, {"hint", error->hint}}}};
  const Output& output = std::get<Output>(result);
  return JsonObject{{"summary", output.summary},
                    {"content", output.content},
                    {"data", output.data},
                    {"affectedPaths", Field<std::vector<std::string>>::show(output.affected_paths)}};
}

// A copy of the text that release_text frees. Empty when there is no memory.
inline helve_text give(const std::string& text) {
  auto* bytes = static_cast<char*>(std::malloc(text.size() + 1));
  if (bytes == nullptr) return {nullptr, 0};
  std::memcpy(bytes, text.c_str(), text.size() + 1);
  return {bytes, text.size()};
}
inline void release_text(helve_text text) { std::free(const_cast<char*>(text.bytes)); }

template <class T>
bool call_if_named(std::string_view name, const helve_call& call, Result& result) {
  if (name != tool_name<T>()) return false;
  const auto arguments = parse_json({call.arguments.bytes, call.arguments.length});
  if (!arguments) return result = fail("The arguments are not valid JSON.", {}, "INVALID_ARGUMENT"), true;
  typename T::Params params{};
  Field<typename T::Params>::fill(params, *arguments);
  Context context(call);
  result = T{}.execute(context, params);
  return true;
}

// Catches everything: an exception must not leave the library.
template <class... Tools>
helve_text call_tool(const helve_call* call) {
  Result result = fail("There is no such tool.", {}, "UNKNOWN_TOOL");
  try {
    const std::string_view name(call->tool.bytes, call->tool.length);
    (call_if_named<Tools>(name, *call, result) || ...);
    return give(to_text(to_json(result)));
  } catch (const std::exception& thrown) {
    return give(to_text(to_json(fail(std::string("It threw: ") + thrown.what()))));
  } catch (...) {
    return give(R"({"error":{"code":"EXECUTION_FAILED","message":"It threw something."}})");
  }
}

template <class... Tools>
helve_text describe_tools(std::string_view name, std::string_view version) {
  return give(to_text(
      JsonObject{{"name", name}, {"version", version}, {"tools", JsonArray{describe_tool<Tools>()...}}}));
}

}  // namespace detail

template <class T>
void ParamSpec::visit(std::string_view name, T& field, std::string_view description, const Bounds& bounds,
                      bool required) {
  if (source_ != nullptr) {
    if (const Json* value = source_->find(name)) detail::Field<T>::fill(field, *value);
    return;
  }
  JsonObject schema = detail::Field<T>::schema(bounds);
  schema.append("description", description);
  if constexpr (!Described<T>)
    if (const Json value = detail::Field<T>::show(field); !required && !value.is_null())
      schema.append("default", value);
  properties_->append(std::string(name), std::move(schema));
  if (required) required_->emplace_back(name);
}

}  // namespace helve::plugin

// Defines helve_plugin_open for a plugin with this name, this version and these tool structs. Use it once per
// library, outside of all namespaces.
#define HELVE_PLUGIN(name, version, ...)                                                              \
  extern "C" HELVE_PLUGIN_EXPORT const helve_plugin* helve_plugin_open(uint32_t abi) {                \
    static const helve_plugin plugin = {                                                              \
        HELVE_PLUGIN_ABI,                                                                             \
        sizeof(helve_plugin),                                                                         \
        [] { return ::helve::plugin::detail::describe_tools<__VA_ARGS__>((name), (version)); },       \
        [](const helve_call* call) { return ::helve::plugin::detail::call_tool<__VA_ARGS__>(call); }, \
        [](helve_text text) { ::helve::plugin::detail::release_text(text); },                         \
        nullptr};                                                                                     \
    return abi == HELVE_PLUGIN_ABI ? &plugin : nullptr;                                               \
  }
