#include "plugins/manifest.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/file_io.h"
#include "base/file_trust.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "plugins/command_template.h"
#include "settings/toml.h"

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
    complaints.push_back({where, "is an array of arrays or booleans, which command lines do not support"});
  if (!parameter.flag.empty() && parameter.type != ParameterType::kBoolean)
    complaints.push_back({where, "has a flag, which only booleans may have"});
  if (parameter.name == "explanation" || parameter.name == "dryRun")
    complaints.push_back({where, "has a reserved name"});
  if (parameter.required && parameter.default_value)
    complaints.push_back({where, "is required and has a default; remove one"});
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
      complaints.push_back({where, "has a command or parameters, which are only for the kind command"});
    return;
  }
  if (tool.description.empty()) complaints.push_back({concat(where, ".description"), "is missing"});
  if (tool.command.empty()) return complaints.push_back({concat(where, ".command"), "is missing"});
  const auto parsed = CommandTemplate::parse(tool);
  if (!parsed) complaints.push_back({where, parsed.error().message});
}

// Only builtin tools may have the effect ask.
ParamType manifest_type() {
  ParamType type = params_of<Manifest>();
  std::vector<Param>& tool =
      std::ranges::find(type.members, "tools", &Param::name)->type.element.front().members;
  std::erase(std::ranges::find(tool, "effect", &Param::name)->type.choices, name_of(Effect::kAsk));
  return type;
}

std::string readable(const std::string& problem) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {kCamelCase, "must be letters and digits like maxLength"},
      {kSnakeCase, "must be lowercase letters, digits and _ like count_words"},
      {kPluginName, "must be lowercase letters, digits, _ and - like my-plugin"},
      {kVersion, "must be a version like 1.2.3"},
      {kFileName, "must be a file name without a /"}};
  for (const auto& [pattern, words] : kWords)
    if (const std::string start = concat("must match ", pattern, ","); problem.starts_with(start))
      return concat(words, ",", problem.substr(start.size()));
  return problem;
}

Error invalid_manifest(const std::string& file, const Complaints& complaints) {
  std::vector<std::string> problems;
  for (const Complaint& complaint : complaints)
    problems.push_back(concat(complaint.path, " ", readable(complaint.problem)));
  return {ErrorCode::kInvalidArgument,
          problems.size() == 1
              ? concat(file, ": ", problems.front())
              : concat(file, ": ", count_of(problems.size(), "problem"), "\n- ", join(problems, "\n- ")),
          "Run `helve plugin new command NAME` to get a valid manifest."};
}

// Some keys belong to one kind only.
void check_kind(const Manifest& manifest, Complaints& complaints) {
  const bool is_library = manifest.kind == PluginKind::kLibrary;
  const bool is_mcp = manifest.kind == PluginKind::kMcp;
  if (is_library && (manifest.library.empty() || manifest.library.starts_with('.')))
    complaints.push_back({"library", "is missing: the library file in the plugin's directory"});
  if (!is_library && !manifest.library.empty())
    complaints.push_back({"library", "is for plugins of the kind library"});
  if (is_mcp && (manifest.command.empty() || manifest.command.front().empty()))
    complaints.push_back({"command", "is missing: the MCP server's program and its arguments"});
  if (!is_mcp && !manifest.command.empty())
    complaints.push_back({"command", "is for plugins of the kind mcp; set a tool's command below [[tools]]"});
  if (!is_mcp && !manifest.env.empty()) complaints.push_back({"env", "is for plugins of the kind mcp"});
}

}  // namespace

ParamType parameters_of(const PluginTool& tool) {
  ParamType type = ParamType::of(Kind::kObject);
  for (const PluginParameter& parameter : tool.parameters) type.members.push_back(param_of(parameter));
  return type;
}

Expected<Manifest> parse_manifest(std::string_view text, const std::string& file) {
  const auto parsed = settings::parse_toml(text, file);
  if (!parsed) return fail(parsed.error());
  // Other checks would be wrong for a later manifest version.
  if (const Json* version = parsed->find("manifest_version"); version != nullptr && *version != Json(1))
    return fail(ErrorCode::kUnavailable,
                concat(file, ": manifest_version is ", to_text(*version), "; only 1 is supported."),
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

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxManifest = std::size_t{256} << 10;

// Users who can write these files could run code as this user.
Expected<void> check_owner(const std::string& path) {
  auto safe = check_writers(path);
  if (!safe && safe.error().code != ErrorCode::kSecurity && safe.error().hint.empty())
    safe.error().hint = "Pass a manifest, or a directory with a plugin.toml.";
  return safe;
}

// The files of the plugin that the manifest names.
std::vector<std::string> own_files(const Plugin& plugin) {
  std::vector<std::string> files;
  if (plugin.manifest.kind == PluginKind::kLibrary)
    files.push_back(concat(plugin.directory, "/", plugin.manifest.library));
  for (const std::string& word : plugin.manifest.command)
    if (word.starts_with("./")) files.push_back(concat(plugin.directory, word.substr(1)));
  return files;
}

}  // namespace

Expected<Plugin> read_plugin(const std::string& file) {
  const fs::path path(file);
  Plugin plugin{.file = file, .directory = path.parent_path().string()};
  for (const std::string& each : {file, plugin.directory})
    if (auto safe = check_owner(each); !safe) return fail(std::move(safe).error());
  const auto text = read_file(file, kMaxManifest);
  if (!text) return fail(text.error());
  auto manifest = parse_manifest(*text, file);
  if (!manifest) return fail(std::move(manifest).error());
  const bool has_folder = path.filename() == "plugin.toml";
  const std::string expected = has_folder ? path.parent_path().filename().string() : path.stem().string();
  if (manifest->name != expected)
    return fail(ErrorCode::kInvalidArgument,
                concat(file, ": the plugin is named ", manifest->name, ", but its ",
                       has_folder ? "directory" : "file", " is named ", expected, "."),
                "Use the same name for both.");
  if (!has_folder && manifest->kind != PluginKind::kCommand)
    return fail(ErrorCode::kInvalidArgument,
                concat(file, ": a plugin of the kind ", name_of(manifest->kind), " needs its own directory."),
                concat("Move it to ", expected, "/plugin.toml, next to its files."));
  plugin.manifest = *std::move(manifest);
  std::string facts = *text;
  for (const std::string& own : own_files(plugin)) {
    struct stat status{};
    if (::stat(own.c_str(), &status) != 0)
      return fail(ErrorCode::kNotFound, concat(file, ": there is no file ", own, "."),
                  plugin.manifest.kind == PluginKind::kLibrary ? "Build the plugin first."
                                                               : "Put it next to the manifest.");
    if (auto safe = check_owner(own); !safe) return fail(std::move(safe).error());
    facts += concat("\n", own, " ", status.st_ino, " ", status.st_size, " ", status.st_mtim.tv_sec, ".",
                    status.st_mtim.tv_nsec);
  }
  plugin.stamp = sha256_hex(facts);
  return plugin;
}

}  // namespace helve::plugins
