// What a plugin says about itself: name, version, kind, and the tools it brings.
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
// The tools of the other kinds describe themselves; their manifest says which of them there are, and what
// they can do.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/params.h"
#include "helve/permissions.h"

namespace helve::plugins {

// How a plugin does its work. All kinds have the same manifest.
enum class PluginKind { kCommand, kLibrary, kMcp };
constexpr auto enum_names(PluginKind) {
  return std::to_array<std::string_view>({"command", "library", "mcp"});
}

enum class ParameterType { kString, kInteger, kNumber, kBoolean, kEnum, kArray, kPath };
constexpr auto enum_names(ParameterType) {
  return std::to_array<std::string_view>({"string", "integer", "number", "boolean", "enum", "array", "path"});
}

// What texts of a manifest must match; whoever writes another is told in words.
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
    p.required("type", type, "What it holds; a path lies inside of the workspace.");
    p.required("description", description, "What it is for.", {.min_length = 1});
    p.optional("required", required, "Whether every call has to give it.");
    p.optional("default", default_value, "Its value when a call does not give it.");
    p.optional("choices", choices, "enum: the only values.");
    p.optional("items", items, "array: what its elements are.");
    p.optional("min", min, "Numbers: the least.");
    p.optional("max", max, "Numbers: the greatest.");
    p.optional("min_length", min_length, "Texts: characters; arrays: elements.", {.min = 0});
    p.optional("max_length", max_length, "Texts: characters; arrays: elements.", {.min = 0});
    p.optional("pattern", pattern, "Texts: a regular expression that must be found in it.");
    p.optional("flag", flag, "boolean: what stands in its place when it is true; nothing when it is false.");
    p.optional("allow_dash", allow_dash, "Texts: may begin with - and so be taken for an option.");
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
    p.optional("title", title, "For people.");
    p.optional("description", description, "The first line says what it does.", {.min_length = 1});
    p.optional("effect", effect, "What it can do: read, write, execute or network.");
    p.optional("command", command, "The program and its arguments, with {parameter} in them.");
    p.optional("stdin", input, "Text for its standard input, with {parameter} in it.");
    p.optional("time_limit_ms", time_limit_ms, "Longest time.", {.min = 1, .max = 3'600'000});
    p.optional("exit_codes", exit_codes, "Exit codes that are a success.");
    p.optional("output", output, "json: what it prints is parsed and given to programs as data.");
    p.optional("parameters", parameters, "What a call gives.");
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
    p.required("name", name, "The plugin's name, that of its folder or file.",
               {.max_length = 64, .pattern = kPluginName});
    p.required("version", version, "1.2.3", {.pattern = kVersion});
    p.optional("manifest_version", manifest_version, "Which rules the manifest follows; 1.");
    p.optional("description", description, "What it is for.");
    p.optional("kind", kind, "How it works.");
    p.optional("library", library, "library: its file in the plugin's folder.", {.pattern = kFileName});
    p.optional("command", command, "mcp: the program and its arguments; ./ is the plugin's folder.");
    p.optional("env", env, "mcp: variables to set for it; ${NAME} stands for one of ours.");
    p.required("tools", tools, "The tools it brings.", {.min_length = 1, .max_length = 100});
  }
};

// All that is wrong with it at once; `file` is named in the error.
[[nodiscard]] Expected<Manifest> parse_manifest(std::string_view text, const std::string& file);

// The parameters of a tool as callers see them.
[[nodiscard]] ParamType parameters_of(const PluginTool& tool);

}  // namespace helve::plugins
