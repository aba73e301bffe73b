// A plugin's manifest: its name, version, kind and tools.
//
//   name = "jq"
//   version = "1.0.0"
//
//   [[tools]]
//   name = "jq_query"
//   description = "Query a JSON file with jq."
//   effect = "read"
//   command = ["jq", "{filter}", "{path}"]
//   parameters = [
//     {name = "filter", type = "string", description = "The jq filter.", required = true},
//     {name = "path", type = "path", description = "The JSON file.", required = true},
//   ]
//
// Plugins of the other kinds describe their tools themselves; the manifest lists the tools and their effects.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/params.h"
#include "helve/permissions.h"
#include "plugins/manifest.h"

namespace helve::plugins {

// How a plugin runs. All kinds share the manifest format.
enum class PluginKind { kCommand, kLibrary, kMcp };
constexpr auto enum_names(PluginKind) {
  return std::to_array<std::string_view>({"command", "library", "mcp"});
}

enum class ParameterType { kString, kInteger, kNumber, kBoolean, kEnum, kArray, kPath };
constexpr auto enum_names(ParameterType) {
  return std::to_array<std::string_view>({"string", "integer", "number", "boolean", "enum", "array", "path"});
}

// Patterns for strings in a manifest. Errors describe them in words.
inline constexpr const char* kCamelCase = "^[a-z][a-zA-Z0-9]*$";
inline constexpr const char* kSnakeCase = "^[a-z][a-z0-9_]*$";
inline constexpr const char* kPluginName = "^[a-z][a-z0-9_-]*$";
inline constexpr const char* kVersion = "^[0-9]+\\.[0-9]+\\.[0-9]+";
inline constexpr const char* kFileName = "^[^/]+$";

struct PluginParameter {
  std::string name;
  ParameterType type = ParameterType::kString;
  std::string description;
  bool required = false;
  std::optional<Json> default_value;
  std::vector<std::string> choices;
  ParameterType items = ParameterType::kString;
  std::optional<double> min;
  std::optional<double> max;
  std::optional<int> min_length;
  std::optional<int> max_length;
  std::string pattern;
  std::string flag;
  bool allow_dash = false;

  void describe(ParamSpec& p) {
    p.required("name", name, "camelCase.", {.max_length = 64, .pattern = kCamelCase});
    p.required("type", type, "Its type; a path must be inside the workspace.");
    p.required("description", description, "Its purpose, for the model.", {.min_length = 1});
    p.optional("required", required, "Whether every call must set it.");
    p.optional("default", default_value, "Its value if a call does not set it.");
    p.optional("choices", choices, "enum: the allowed values.");
    p.optional("items", items, "array: the type of its elements.");
    p.optional("min", min, "Numbers: the least.");
    p.optional("max", max, "Numbers: the greatest.");
    p.optional("min_length", min_length, "Texts: characters; arrays: elements.", {.min = 0});
    p.optional("max_length", max_length, "Texts: characters; arrays: elements.", {.min = 0});
    p.optional("pattern", pattern, "Texts: a regular expression that must match.");
    p.optional("flag", flag, "boolean: the argument to pass if it is true.");
    p.optional("allow_dash", allow_dash, "Texts: may begin with -, like an option.");
  }
};

enum class OutputForm { kText, kJson };
constexpr auto enum_names(OutputForm) { return std::to_array<std::string_view>({"text", "json"}); }

struct PluginTool {
  std::string name;
  std::string title;
  std::string description;
  Effect effect = Effect::kExecute;
  std::vector<Json> command;
  std::optional<std::string> input;
  int time_limit_ms = 60'000;
  std::vector<int> exit_codes = {0};
  OutputForm output = OutputForm::kText;
  std::vector<PluginParameter> parameters;

  void describe(ParamSpec& p) {
    p.required("name", name, "snake_case.", {.max_length = 64, .pattern = kSnakeCase});
    p.optional("title", title, "Title for users.");
    p.optional("description", description, "The first line says what it does.", {.min_length = 1});
    p.optional("effect", effect, "What it can do: read, write, execute or network.");
    p.optional("command", command, "The program and its arguments, with {parameter} in them.");
    p.optional("stdin", input, "Text for its standard input, with {parameter} in it.");
    p.optional("time_limit_ms", time_limit_ms, "Longest time.", {.min = 1, .max = 3'600'000});
    p.optional("exit_codes", exit_codes, "Exit codes that mean success.");
    p.optional("output", output, "json: parses the output and returns it as data.");
    p.optional("parameters", parameters, "The parameters of a call.");
  }
};

struct Manifest {
  std::string name;
  std::string version;
  int manifest_version = 1;
  std::string description;
  PluginKind kind = PluginKind::kCommand;
  std::string library;
  std::vector<std::string> command;
  std::map<std::string, std::string> env;
  std::vector<PluginTool> tools;

  void describe(ParamSpec& p) {
    p.required("name", name, "The plugin's name; its directory or file must have the same name.",
               {.max_length = 64, .pattern = kPluginName});
    p.required("version", version, "1.2.3", {.pattern = kVersion});
    p.optional("manifest_version", manifest_version, "Version of the manifest format; 1.");
    p.optional("description", description, "What it is for.");
    p.optional("kind", kind, "How it runs.");
    p.optional("library", library, "library: its file in the plugin's directory.", {.pattern = kFileName});
    p.optional("command", command, "mcp: the program and its arguments; ./ is the plugin's directory.");
    p.optional("env", env, "mcp: variables to set for it; ${NAME} is replaced by ours.");
    p.required("tools", tools, "The tools it provides.", {.min_length = 1, .max_length = 100});
  }
};

// The error lists all problems and names `file`.
[[nodiscard]] Expected<Manifest> parse_manifest(std::string_view text, const std::string& file);

// The parameters that callers see.
[[nodiscard]] ParamType parameters_of(const PluginTool& tool);

// An installed plugin: its manifest and its files.
struct Plugin {
  Manifest manifest = {};
  std::string file = {};       // the manifest: NAME/plugin.toml or NAME.toml
  std::string directory = {};  // the directory of its files
  std::string stamp = {};      // changes with the manifest and the plugin's files that it names
  bool of_project = false;
};

// Reads and checks one manifest.
[[nodiscard]] Expected<Plugin> read_plugin(const std::string& file);

}  // namespace helve::plugins
