// Declaring a tool: parameters, documentation and function together, in one place.
//
//   struct WordCount {
//     static constexpr std::string_view kDescription = "Count the words of a text.";
//     static constexpr Effect kEffect = Effect::kRead;
//     struct Params {
//       std::string text;
//       void describe(ParamSpec& p) { p.required("text", text, "The text."); }
//     };
//     Result execute(Context& context, const Params& params) const;
//   };
//   runtime.add(make_tool<WordCount>());   // its name is word_count
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/context.h"
#include "helve/params.h"
#include "helve/permissions.h"
#include "helve/result.h"
#include "helve/session.h"

namespace helve {

// Something that two calls must not use at once unless both only look at it. Keys that start with "file:" are
// paths in the workspace, and a directory covers what is in it; the empty key covers everything.
struct Resource {
  enum class Use { kShared, kExclusive };
  std::string key = {};
  Use use = Use::kExclusive;
};

struct ToolDefinition {
  std::string name = {};         // snake_case
  std::string title = {};        // for people; made from the name when empty
  std::string description = {};  // the first line says what it does, the rest how to use it well
  Effect effect = Effect::kRead;
  std::string group = "base";
  std::string server = {};  // the MCP server it comes from; empty for our own
  ParamType params = ParamType::of(ParamType::Kind::kObject);
  // For tools whose schema comes from elsewhere: shown as it is, while `params` is read from it on
  // registration.
  Json foreign_schema = {};
  // What Output::data holds: "{path: string, lines: integer, nextOffset?: integer}"; empty when not declared.
  std::string_view data_shape = {};
  Json output_schema = {};  // the same for tools whose schema comes from elsewhere
  bool destructive = true;  // for tools that are not read-only: may overwrite or remove
  bool opt_in = false;      // offered only when tools.enabled names the tool itself
  bool idempotent = false;  // a second identical call changes nothing more
  // With context.dry_run() it changes nothing; then every call may ask for that, and needs only leave to
  // read.
  bool dry_runs = false;
  bool foresees = false;  // the tool has a foresee() of its own
  // The tool looks at should_stop() often, so that it can run on the caller's thread. Others run on a thread
  // of their own, which is left behind when it does not come back in time.
  bool honours_stop = false;
  std::vector<std::string> unrecorded =
      {};  // parameters whose values stay out of the audit, only their length goes in
  std::optional<std::chrono::milliseconds> time_limit = {};  // instead of the setting's
  std::optional<std::size_t> result_limit = {};  // characters before offloading, instead of the setting's

  [[nodiscard]] bool read_only() const { return effect == Effect::kRead || effect == Effect::kAsk; }
  [[nodiscard]] std::string_view summary() const {
    return std::string_view(description).substr(0, description.find('\n'));
  }
  [[nodiscard]] Json input_schema() const {
    return foreign_schema.is_null() ? params.to_schema() : foreign_schema;
  }
  // Null when nothing is declared.
  [[nodiscard]] Json data_schema() const;
};

// The interface that all tools have for the runtime. Used from many threads at once.
class Tool {
 public:
  virtual ~Tool() = default;
  [[nodiscard]] virtual const ToolDefinition& definition() const = 0;
  // What a call with these validated arguments uses. Without a better answer: everything, shared when
  // read-only.
  [[nodiscard]] virtual std::vector<Resource> resources(const Json& arguments) const;
  // What this call can do, when that depends on its arguments; never more than the definition's effect.
  [[nodiscard]] virtual Effect effect(const Json& arguments) const;
  // For a call that brings a time limit of its own in its arguments.
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> time_limit(const Json& arguments) const;
  // What a person should know before agreeing to the call: its summary stands in place of the arguments when
  // the output says that this is all. An error: the call could not work. It may look, and changes nothing.
  [[nodiscard]] virtual Result foresee(Context& context, const Json& arguments) const;
  // The arguments were validated against the definition.
  [[nodiscard]] virtual Result execute(Context& context, const Json& arguments) const = 0;
};

namespace detail {

// "helve::tools::ReadFile" → "read_file"
[[nodiscard]] std::string tool_name_from_type(std::string_view pretty_function);

template <class T>
[[nodiscard]] std::string tool_name() {
  return tool_name_from_type(__PRETTY_FUNCTION__);
}

template <class T>
ToolDefinition definition_of() {
  ToolDefinition definition;
  definition.name = tool_name<T>();
  definition.description = T::kDescription;
  definition.effect = T::kEffect;
  definition.params = params_of<typename T::Params>();
  if constexpr (requires { T::kName; }) definition.name = T::kName;
  if constexpr (requires { T::kTitle; }) definition.title = T::kTitle;
  if constexpr (requires { T::kGroup; }) definition.group = T::kGroup;
  if constexpr (requires { T::kOptIn; }) definition.opt_in = T::kOptIn;
  if constexpr (requires { T::kDestructive; }) definition.destructive = T::kDestructive;
  if constexpr (requires { T::kIdempotent; }) definition.idempotent = T::kIdempotent;
  if constexpr (requires { T::kDryRuns; }) definition.dry_runs = T::kDryRuns;
  definition.foresees = requires { &T::foresee; };
  if constexpr (requires { T::kHonoursStop; }) definition.honours_stop = T::kHonoursStop;
  if constexpr (requires { T::kUnrecorded; })
    for (const std::string_view name : T::kUnrecorded) definition.unrecorded.emplace_back(name);
  if constexpr (requires { T::kTimeLimit; }) definition.time_limit = T::kTimeLimit;
  if constexpr (requires { T::kResultLimit; }) definition.result_limit = T::kResultLimit;
  if constexpr (requires { T::kData; }) definition.data_shape = T::kData;
  return definition;
}

template <class T>
class TypedTool final : public Tool {
 public:
  explicit TypedTool(T tool) : tool_(std::move(tool)), definition_(definition_of<T>()) {}

  const ToolDefinition& definition() const override { return definition_; }
  std::vector<Resource> resources(const Json& arguments) const override {
    if constexpr (requires(const T& t, const typename T::Params& p) { t.resources(p); })
      return tool_.resources(fill_params<typename T::Params>(arguments));
    return Tool::resources(arguments);
  }
  Effect effect(const Json& arguments) const override {
    if constexpr (requires(const T& t, const typename T::Params& p) { t.effect(p); })
      return tool_.effect(fill_params<typename T::Params>(arguments));
    return Tool::effect(arguments);
  }
  std::optional<std::chrono::milliseconds> time_limit(const Json& arguments) const override {
    if constexpr (requires(const T& t, const typename T::Params& p) { t.time_limit(p); })
      return tool_.time_limit(fill_params<typename T::Params>(arguments));
    return Tool::time_limit(arguments);
  }
  Result foresee(Context& context, const Json& arguments) const override {
    if constexpr (requires { &T::foresee; })
      return tool_.foresee(context, fill_params<typename T::Params>(arguments));
    return Tool::foresee(context, arguments);
  }
  Result execute(Context& context, const Json& arguments) const override {
    return tool_.execute(context, fill_params<typename T::Params>(arguments));
  }

 private:
  T tool_;
  ToolDefinition definition_;
};

}  // namespace detail

// The tool that a type describes.
template <class T>
[[nodiscard]] std::unique_ptr<Tool> make_tool(T tool = {}) {
  return std::make_unique<detail::TypedTool<T>>(std::move(tool));
}

// A tool that is known only at run time: its definition as data, its work as a function.
[[nodiscard]] std::unique_ptr<Tool> make_tool(ToolDefinition definition,
                                              std::function<Result(Context&, const Json& arguments)> execute);

}  // namespace helve
