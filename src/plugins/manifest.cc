#include "plugins/manifest.h"

#include <algorithm>

#include "base/strings.h"
#include "core/toml.h"
#include "plugins/command_template.h"

namespace helve::plugins {
namespace {

using Kind = ParamType::Kind;

Kind kind_of(ParameterType type) {
  switch (type) {
    case ParameterType::kString:
    case ParameterType::kEnum:
    case ParameterType::kPath: return Kind::kString;
    case ParameterType::kInteger: return Kind::kInteger;
    case ParameterType::kNumber: return Kind::kNumber;
    case ParameterType::kBoolean: return Kind::kBoolean;
    case ParameterType::kArray: return Kind::kArray;
  }
  return Kind::kAny;
}

Param param_of(const PluginParameter& parameter) {
  ParamType type = ParamType::of(kind_of(parameter.type));
  type.min = parameter.min;
  type.max = parameter.max;
  if (parameter.min_length) type.min_length = static_cast<std::size_t>(*parameter.min_length);
  if (parameter.max_length) type.max_length = static_cast<std::size_t>(*parameter.max_length);
  type.pattern = parameter.pattern;
  if (parameter.type == ParameterType::kEnum) type.choices = parameter.choices;
  if (parameter.type == ParameterType::kPath && !type.min_length) type.min_length = 1;
  if (parameter.type == ParameterType::kArray) {
    ParamType element = ParamType::of(kind_of(parameter.items));
    if (parameter.items == ParameterType::kEnum) element.choices = parameter.choices;
    type.element.push_back(std::move(element));
  }
  return {.name = parameter.name,
          .description = parameter.description,
          .required = parameter.required,
          .default_value = parameter.default_value,
          .type = std::move(type)};
}

using Complaints = std::vector<Complaint>;

void check_parameter(const PluginParameter& parameter, const std::string& where, Complaints& complaints) {
  const bool chooses = parameter.type == ParameterType::kEnum ||
                       (parameter.type == ParameterType::kArray && parameter.items == ParameterType::kEnum);
  if (chooses && parameter.choices.empty()) complaints.push_back({where, "is an enum without choices"});
  if (parameter.type == ParameterType::kArray &&
      (parameter.items == ParameterType::kArray || parameter.items == ParameterType::kBoolean))
    complaints.push_back({where, "is an array of arrays or booleans, which no command line can have"});
  if (!parameter.flag.empty() && parameter.type != ParameterType::kBoolean)
    complaints.push_back({where, "has a flag, which is for booleans"});
  if (parameter.name == "explanation" || parameter.name == "dryRun")
    complaints.push_back({where, "has a name that every tool has already"});
  if (parameter.required && parameter.default_value)
    complaints.push_back({where, "is required and has a default; one of the two"});
  if (parameter.default_value)
    for (const Complaint& complaint : validate(param_of(parameter).type, *parameter.default_value))
      complaints.push_back({concat(where, ".default"), complaint.problem});
}

void check_tool(const PluginTool& tool, PluginKind kind, const std::string& where, Complaints& complaints) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tool.parameters.size(); ++i) {
    const std::string place = concat(where, ".parameters[", i, "]");
    check_parameter(tool.parameters[i], place, complaints);
    if (std::ranges::find(names, tool.parameters[i].name) != names.end())
      complaints.push_back({place, concat("repeats the name ", tool.parameters[i].name)});
    names.push_back(tool.parameters[i].name);
  }
  if (kind != PluginKind::kCommand) {
    if (!tool.parameters.empty() || !tool.command.empty() || tool.input)
      complaints.push_back(
          {where, "has a command or parameters, which are for the kind command; this one describes its own"});
    return;
  }
  if (tool.description.empty()) complaints.push_back({concat(where, ".description"), "is missing"});
  if (tool.command.empty()) return complaints.push_back({concat(where, ".command"), "is missing"});
  const auto parsed = CommandTemplate::parse(tool);
  if (!parsed) complaints.push_back({where, parsed.error().message});
}

// The effect ask is for Helve's own tools.
ParamType manifest_type() {
  ParamType type = params_of<Manifest>();
  std::vector<Param>& tool =
      std::ranges::find(type.members, "tools", &Param::name)->type.element.front().members;
  std::erase(std::ranges::find(tool, "effect", &Param::name)->type.choices, name_of(Effect::kAsk));
  return type;
}

std::string in_words(const std::string& problem) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {kCamelCase, "must be letters and digits like maxLength"},
      {kSnakeCase, "must be small letters, digits and _ like count_words"},
      {kPluginName, "must be small letters, digits, _ and - like my-plugin"},
      {kVersion, "must be a version like 1.2.3"},
      {kFileName, "must be the name of a file, without a /"}};
  for (const auto& [pattern, words] : kWords)
    if (const std::string start = concat("must match ", pattern, ","); problem.starts_with(start))
      return concat(words, ",", problem.substr(start.size()));
  return problem;
}

Error invalid_manifest(const std::string& file, const Complaints& complaints) {
  std::vector<std::string> problems;
  for (const Complaint& complaint : complaints)
    problems.push_back(concat(complaint.path, " ", in_words(complaint.problem)));
  return {ErrorCode::kInvalidArgument,
          problems.size() == 1
              ? concat(file, ": ", problems.front())
              : concat(file, ": ", count_of(problems.size(), "problem"), "\n- ", join(problems, "\n- ")),
          "helve plugin new command NAME writes a manifest that is right, to compare with."};
}

// Each kind has a key of its own.
void check_kind(const Manifest& manifest, Complaints& complaints) {
  const bool is_library = manifest.kind == PluginKind::kLibrary;
  const bool is_mcp = manifest.kind == PluginKind::kMcp;
  if (is_library && (manifest.library.empty() || manifest.library.starts_with('.')))
    complaints.push_back({"library", "is missing: the file of the library in the plugin's folder"});
  if (!is_library && !manifest.library.empty())
    complaints.push_back({"library", "is for plugins of the kind library"});
  if (is_mcp && (manifest.command.empty() || manifest.command.front().empty()))
    complaints.push_back({"command", "is missing: the program that speaks MCP, and its arguments"});
  if (!is_mcp && !manifest.command.empty())
    complaints.push_back(
        {"command", "is for plugins of the kind mcp; that of a tool stands below its [[tools]]"});
  if (!is_mcp && !manifest.env.empty()) complaints.push_back({"env", "is for plugins of the kind mcp"});
}

}  // namespace

ParamType parameters_of(const PluginTool& tool) {
  ParamType type = ParamType::of(Kind::kObject);
  for (const PluginParameter& parameter : tool.parameters) type.members.push_back(param_of(parameter));
  return type;
}

Expected<Manifest> parse_manifest(std::string_view text, const std::string& file) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) return fail(parsed.error());
  // Rules of later manifests are not known here, so nothing else about such a one is either.
  if (const Json* version = parsed->find("manifest_version"); version != nullptr && *version != Json(1))
    return fail(ErrorCode::kUnavailable,
                concat(file, ": manifest_version is ", to_text(*version), "; this Helve knows 1."),
                "Use a newer Helve, or an older version of the plugin.");
  Complaints complaints = validate(manifest_type(), *parsed, "key");
  Manifest manifest;
  if (complaints.empty()) {
    manifest = fill_params<Manifest>(*parsed);
    check_kind(manifest, complaints);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < manifest.tools.size(); ++i) {
      const std::string where = concat("tools[", i, "]");
      check_tool(manifest.tools[i], manifest.kind, where, complaints);
      if (std::ranges::find(names, manifest.tools[i].name) != names.end())
        complaints.push_back({where, concat("repeats the name ", manifest.tools[i].name)});
      names.push_back(manifest.tools[i].name);
    }
  }
  if (complaints.empty()) return manifest;
  return fail(invalid_manifest(file, complaints));
}

}  // namespace helve::plugins
