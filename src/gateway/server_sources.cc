#include "gateway/server_sources.h"

#include <unistd.h>

#include <algorithm>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"

namespace helve::gateway {
namespace {

// Reads one server of a JSON file and ignores unknown members.
class DescriptionReader {
 public:
  DescriptionReader(const std::string& file, std::string key, const std::string& workspace)
      : file_(file), key_(std::move(key)), workspace_(workspace) {}

  Expected<ServerConfig> read(const std::string& name, const Json& description) {
    if (!description.is_object()) return wrong("", "must be an object.");
    ServerConfig config{.name = name, .origin = file_};
    McpServerSettings& settings = config.settings;
    text(description, "command", settings.command);
    text(description, "cwd", settings.cwd);
    text(description, "url", settings.url);
    if (settings.url.empty()) text(description, "serverUrl", settings.url);
    texts(description, "args", settings.args);
    map(description, "env", settings.env);
    map(description, "headers", settings.headers);
    if (const Json* disabled = description.find("disabled"); disabled != nullptr && disabled->is_bool())
      settings.enabled = !disabled->as_bool();
    if (const Json* enabled = description.find("enabled"); enabled != nullptr && enabled->is_bool())
      settings.enabled = enabled->as_bool();
    if (problem_) return fail(*std::move(problem_));
    if (settings.command.empty() == settings.url.empty())
      return wrong("",
                   settings.url.empty() ? "has neither a command nor a url." : "has a command and a url.");
    return config;
  }

 private:
  std::unexpected<Error> wrong(std::string_view member, std::string_view what) const {
    return fail(ErrorCode::kInvalidArgument,
                concat(file_, ": ", key_, member.empty() ? "" : ".", member, " ", what));
  }
  void complain(std::string_view member, std::string_view what) {
    if (!problem_) problem_ = wrong(member, what).error();
  }

  // Converts VS Code's variables to ours.
  std::string translated(std::string_view value, std::string_view member) {
    std::string out = replace_all(value, "${workspaceFolder}", workspace_);
    out = replace_all(out, "${userHome}", environment_variable("HOME"));
    out = replace_all(out, "${env:", "${");
    if (out.find("${input:") != std::string::npos)
      complain(member, "uses ${input:…}, which only VS Code supports. Use an environment variable instead.");
    return out;
  }

  void text(const Json& description, std::string_view member, std::string& out) {
    const Json* value = description.find(member);
    if (value == nullptr || value->is_null()) return;
    if (!value->is_string()) return complain(member, "must be a string.");
    out = translated(value->as_string(), member);
  }
  void texts(const Json& description, std::string_view member, std::vector<std::string>& out) {
    const Json* value = description.find(member);
    if (value == nullptr || value->is_null()) return;
    if (!value->is_array()) return complain(member, "must be a list of strings.");
    for (const Json& element : value->as_array()) {
      if (!element.is_string()) return complain(member, "must be a list of strings.");
      out.push_back(translated(element.as_string(), member));
    }
  }
  void map(const Json& description, std::string_view member, std::map<std::string, std::string>& out) {
    const Json* value = description.find(member);
    if (value == nullptr || value->is_null()) return;
    if (!value->is_object()) return complain(member, "must be an object of strings.");
    for (const auto& [name, element] : value->as_object()) {
      if (!element.is_string() && !element.is_number() && !element.is_bool())
        return complain(concat(member, ".", name), "must be a string.");
      out[name] =
          element.is_string() ? translated(element.as_string(), concat(member, ".", name)) : to_text(element);
    }
  }

  const std::string& file_;
  const std::string key_;
  const std::string& workspace_;
  std::optional<Error> problem_;
};

void add(FoundServers& all, ServerConfig config) {
  const bool known =
      std::ranges::any_of(all.servers, [&](const ServerConfig& other) { return other.name == config.name; });
  if (!known) all.servers.push_back(std::move(config));
}

void read_map(const Json* servers, const std::string& key, const std::string& file,
              const std::string& workspace, FoundServers& found) {
  if (servers == nullptr) return;
  if (!servers->is_object()) {
    found.warnings.push_back(concat(file, ": ", key, " must be an object of servers."));
    return;
  }
  for (const auto& [name, description] : servers->as_object()) {
    auto config = DescriptionReader(file, concat(key, ".", name), workspace).read(name, description);
    if (config)
      add(found, *std::move(config));
    else
      found.warnings.push_back(config.error().message);
  }
}

}  // namespace

std::string without_comments(std::string_view text) {
  std::string out;
  std::size_t comma = std::string::npos;  // the last comma if only blanks follow it
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t begin = i++;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      out += text.substr(begin, i - begin + 1);
      comma = std::string::npos;
    } else if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t end = std::min(text.find("*/", i + 2), text.size());
      out += std::string(static_cast<std::size_t>(std::ranges::count(text.substr(i, end - i), '\n')), '\n');
      i = end + 1;
    } else {
      if ((c == '}' || c == ']') && comma != std::string::npos) out[comma] = ' ';
      if (c == ',')
        comma = out.size();
      else if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
        comma = std::string::npos;
      out += c;
    }
  }
  return out;
}

Expected<FoundServers> read_servers(std::string_view text, const std::string& file,
                                    const std::string& workspace) {
  const auto json = parse_json(without_comments(text));
  if (!json) return fail(json.error().code, concat(file, ": ", json.error().message), "Correct the file.");
  FoundServers found;
  if (const Json* projects = json->find("projects"))
    if (const Json* project = projects->find(workspace))
      read_map(project->find("mcpServers"), "mcpServers", file, workspace, found);
  read_map(json->find("mcpServers"), "mcpServers", file, workspace, found);
  read_map(json->find("servers"), "servers", file, workspace, found);
  return found;
}

FoundServers find_servers(const settings::Groups& settings, const std::string& settings_origin,
                          const std::string& workspace, const settings::ProjectTrust& project) {
  FoundServers all;
  if (!environment_variable(kInsideGateway).empty()) return all;
  for (const auto& [name, description] : settings.mcp_servers)
    all.servers.push_back({.name = name, .settings = description, .origin = settings_origin});
  for (const std::string_view name : {".mcp.json", ".vscode/mcp.json"}) {
    const std::string file = concat(workspace, "/", name);
    if (::access(file.c_str(), F_OK) != 0) continue;
    if (!project.is_trusted()) {
      all.warnings.push_back(concat(file, " is ignored because ", project.reason));
      continue;
    }
    // The text that was checked, not the file, which may have changed since.
    const settings::GrantedFile* reviewed = project.grants->find(name);
    if (reviewed == nullptr || !reviewed->text) {
      all.warnings.push_back(concat(file, " is ignored because it is not a short text file"));
      continue;
    }
    auto found = read_servers(*reviewed->text, file, workspace);
    if (!found) {
      all.warnings.push_back(found.error().message);
      continue;
    }
    for (ServerConfig& config : found->servers) add(all, std::move(config));
    for (std::string& warning : found->warnings) all.warnings.push_back(std::move(warning));
  }
  if (project.is_trusted()) {
    const settings::ReviewedFiles reviewed = settings::reviewed_files(*project.grants);
    for (ServerConfig& config : all.servers)
      config.programs = std::make_shared<const settings::ReviewedPrograms>(
          workspace, settings::words_of(config.settings), reviewed);
  }
  return all;
}

}  // namespace helve::gateway
