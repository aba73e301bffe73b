// Declares a tool: its parameters, its documentation and its function, in one struct.
//
//   #include <helve/tool.h>
//   #include <algorithm>
//   struct CountLines {
//     static constexpr std::string_view kDescription = "Count the lines of a file.";
//     static constexpr helve::Effect kEffect = helve::Effect::kRead;
//     struct Params {
//       std::string path;
//       void describe(helve::ParamSpec& p) { p.required("path", path, "File in the workspace."); }
//     };
//     helve::Result execute(helve::Context& context, const Params& params) const {
//       const auto text = context.files().read(params.path);
//       if (!text) return helve::fail(text.error());
//       const auto lines = std::count(text->begin(), text->end(), '\n');
//       return helve::Output{.summary = std::to_string(lines) + " lines"};
//     }
//   };
//   const auto tool = helve::make_tool<CountLines>();  // named count_lines; pass it to Runtime::add
//
// Optional members of such a struct: the constants that set ToolDefinition's members of the same meaning
// (kName, kTitle, kGroup, kOptIn, kDestructive, kIdempotent, kDryRuns, kHonoursStop, kUnrecorded, kTimeLimit,
// kResultLimit, kData), and the functions of class Tool with Params in place of Json: resources(params),
// effect(params), time_limit(params), foresee(context, params).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/api.h"
#include "helve/context.h"
#include "helve/params.h"
#include "helve/permissions.h"
#include "helve/result.h"
#include "helve/session.h"

namespace HELVE_API helve {

// Something that a call uses. Two calls with a common resource run one after the other, unless both use it
// shared. A key that starts with "file:" is a path in the workspace, and a directory covers everything in it.
// A key that starts with "session:" stands for something of the session; other sessions have their own. The
// empty key covers everything.
struct Resource {
  enum class Use { kShared, kExclusive };
  std::string key = {};
  Use use = Use::kExclusive;
};

// The description of a tool for its callers. A plain value; the registry keeps a copy of it.
struct ToolDefinition {
  std::string name = {};          // letters, digits, _ and -, 128 at most; snake_case by convention
  std::string title = {};         // for the user interface; made from the name when empty
  std::string description = {};   // the first line says what it does, the rest how to use it well
  Effect effect = Effect::kRead;  // the most that a call can do
  std::string group = "base";     // tools.enabled can name it
  std::string server = {};        // the MCP server that it comes from; empty for Helve's own
  ParamType params = ParamType::of(ParamType::Kind::kObject);
  // The JSON Schema of a tool from elsewhere. It is shown unchanged; Registry::add derives `params` from it.
  Json foreign_schema = {};
  // The members of Output::data: "{path: string, lines: integer, nextOffset?: integer}". Empty when they are
  // not declared. The text must outlive the tool.
  std::string_view data_shape = {};
  Json output_schema = {};   // the same as JSON Schema, for tools from elsewhere
  Json foreign_extras = {};  // annotations, icons and _meta of a tool from elsewhere; shown unchanged
  bool destructive = true;   // may overwrite or remove something; ignored for read-only tools
  bool opt_in = false;       // offered only when tools.enabled names this tool
  bool idempotent = false;   // a second identical call changes nothing more
  // The tool changes nothing when Context::dry_run() is true. Its calls then accept dryRun, and a dry run
  // needs only permission to read.
  bool dry_runs = false;
  bool foresees = false;  // the tool overrides foresee()
  // The tool checks Context::should_stop() often, so it can run on the caller's thread. Other tools run on a
  // worker thread, which is abandoned when the tool does not return in time.
  bool honours_stop = false;
  std::vector<std::string> unrecorded = {};  // parameters of which the audit records only the length
  std::optional<std::chrono::milliseconds> time_limit = {};  // replaces tools.time_limit_ms
  std::optional<std::size_t> result_limit = {};  // characters for the model; replaces results.limit

  // True when no call of the tool can change anything.
  [[nodiscard]] bool read_only() const { return effect == Effect::kRead || effect == Effect::kAsk; }
  // The first line of the description. Valid as long as this definition.
  [[nodiscard]] std::string_view summary() const {
    return std::string_view(description).substr(0, description.find('\n'));
  }
  // The JSON Schema of the arguments.
  [[nodiscard]] Json input_schema() const {
    return foreign_schema.is_null() ? params.to_schema() : foreign_schema;
  }
  // The same, shorter, for a model's context: optional parameters that every tool has (dryRun, explanation)
  // are not described again in each tool.
  [[nodiscard]] Json model_schema() const;
  // The JSON Schema of Output::data; null when it is not declared.
  [[nodiscard]] Json data_schema() const;
};

// One call of a tool with parsed arguments. Tool::prepare creates it once per call, and every step of the
// call uses it. It owns everything that it needs except the tool, which outlives it. It is used by one thread
// at a time. The functions are those of Tool.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  [[nodiscard]] virtual std::vector<Resource> resources() const = 0;
  [[nodiscard]] virtual Effect effect() const = 0;
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> time_limit() const = 0;
  [[nodiscard]] virtual Result foresee(Context& context) const = 0;
  [[nodiscard]] virtual Result execute(Context& context) const = 0;
};

// The interface between a tool and the runtime. Most tools are structs for make_tool<T>; derive from Tool
// only if the parameters are not known at compile time.
//
// Registry::add takes ownership. All functions are const and may be called from several threads at once, so a
// tool with its own state must lock it. An exception becomes EXECUTION_FAILED for that call.
class Tool {
 public:
  virtual ~Tool() = default;
  [[nodiscard]] virtual const ToolDefinition& definition() const = 0;
  // The resources of a call with these arguments. The default is the empty key (everything), shared for
  // read-only tools, exclusive for others. Override it so that independent calls of a batch run in parallel.
  [[nodiscard]] virtual std::vector<Resource> resources(const Json& arguments) const;
  // The effect of this call, if it depends on its arguments. Never return more than the definition's effect.
  [[nodiscard]] virtual Effect effect(const Json& arguments) const;
  // The time limit of this call, for tools with a parameter for it. The default is the definition's.
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> time_limit(const Json& arguments) const;
  // Runs before the user is asked, and returns what the approval card shows: the diff in Output::data, or the
  // summary in place of the arguments if Output::diff_is_whole is set. It may read, but must change nothing.
  // After an error the user is not asked and the call ends with that error. By default, tools with dry_runs
  // make a dry run, and others show their arguments.
  [[nodiscard]] virtual Result foresee(Context& context, const Json& arguments) const;
  // Does the work. The arguments have passed validation. `context` is valid until this returns. Return
  // expected failures with fail().
  [[nodiscard]] virtual Result execute(Context& context, const Json& arguments) const = 0;
  // Prepares one call. By default it keeps a copy of the arguments and calls the functions above;
  // make_tool<T> overrides it to fill T::Params once.
  [[nodiscard]] virtual std::unique_ptr<const PreparedCall> prepare(const Json& arguments) const;
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
  Result execute(Context& context, const Json& arguments) const override {
    return prepare(arguments)->execute(context);
  }
  std::unique_ptr<const PreparedCall> prepare(const Json& arguments) const override {
    return std::make_unique<Prepared>(*this, arguments);
  }

 private:
  class Prepared final : public PreparedCall {
   public:
    using Params = typename T::Params;
    Prepared(const TypedTool& tool, const Json& arguments)
        : tool_(tool), params_(fill_params<Params>(arguments)) {}

    std::vector<Resource> resources() const override {
      if constexpr (requires(const T& t, const Params& p) { t.resources(p); })
        return tool_.tool_.resources(params_);
      return tool_.Tool::resources(Json());
    }
    Effect effect() const override {
      if constexpr (requires(const T& t, const Params& p) { t.effect(p); })
        return tool_.tool_.effect(params_);
      return tool_.definition_.effect;
    }
    std::optional<std::chrono::milliseconds> time_limit() const override {
      if constexpr (requires(const T& t, const Params& p) { t.time_limit(p); })
        return tool_.tool_.time_limit(params_);
      return tool_.definition_.time_limit;
    }
    Result foresee(Context& context) const override {
      if constexpr (requires { &T::foresee; }) return tool_.tool_.foresee(context, params_);
      if (tool_.definition_.dry_runs && context.dry_run()) return execute(context);
      return Output();
    }
    Result execute(Context& context) const override { return tool_.tool_.execute(context, params_); }

   private:
    const TypedTool& tool_;
    const Params params_;
  };

  T tool_;
  ToolDefinition definition_;
};

}  // namespace detail

// Creates the tool that the struct T describes. The tool owns `tool`, so T may have members. Its name is T's
// name in snake_case unless T::kName is set.
template <class T>
[[nodiscard]] std::unique_ptr<Tool> make_tool(T tool = {}) {
  return std::make_unique<detail::TypedTool<T>>(std::move(tool));
}

// Creates a tool at run time, from its definition and a function. `execute` may be called from several
// threads at once; what it captures by reference must outlive the tool.
[[nodiscard]] std::unique_ptr<Tool> make_tool(ToolDefinition definition,
                                              std::function<Result(Context&, const Json& arguments)> execute);

}  // namespace helve
