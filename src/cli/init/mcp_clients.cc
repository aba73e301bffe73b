#include "cli/init/mcp_clients.h"

#include <unistd.h>

#include <algorithm>

#include "base/environment.h"
#include "base/find_program.h"
#include "cli/init/config_edit.h"
#include "cli/init/json_edit.h"
#include "settings/toml.h"

namespace helve::cli {
namespace {

constexpr const char* kName = "helve";
constexpr const char* kTomlKey = "mcp_servers";

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Json words(const std::vector<std::string>& all) {
  JsonArray list;
  for (const std::string& word : all) list.emplace_back(word);
  return list;
}

// The object with the servers; opencode has used two places.
std::vector<std::string> key_in(const McpClient& client, const Json& root) {
  std::vector<std::string> key = client.key;
  if (client.name != "opencode") return key;
  const Json* mcp = root.find("mcp");
  const Json* servers = mcp == nullptr ? nullptr : mcp->find("servers");
  if (servers != nullptr && servers->is_object() && servers->find("type") == nullptr)
    key.emplace_back("servers");
  return key;
}

// Whether an entry, of any of the forms, starts `helve mcp`.
bool starts_helve(const Json& entry) {
  std::vector<std::string> line;
  if (!entry.is_object()) return false;
  const auto take = [&](const Json* value) {
    if (value == nullptr) return;
    if (value->is_string()) line.push_back(value->as_string());
    if (value->is_array())
      for (const Json& word : value->as_array())
        if (word.is_string()) line.push_back(word.as_string());
  };
  take(entry.find("command"));
  take(entry.find("args"));
  if (line.size() < 2) return false;
  const std::string program = line.front().substr(line.front().rfind('/') + 1);
  return program == kName && std::ranges::find(line, "mcp") != line.end();
}

std::unexpected<Error> other_entry(const std::string& file) {
  return fail(ErrorCode::kConflict, concat(file, " has a server ", kName, " that does not start helve mcp."),
              "Check it and remove it if it is not needed.");
}

Expected<std::optional<Splice>> add_to_toml(const McpClient& client, std::string_view text,
                                            const std::string& file) {
  const auto before = settings::parse_toml(text, file);
  if (!before) return fail(before.error());
  if (const Json* servers = before->find(kTomlKey); servers != nullptr)
    if (const Json* entry = servers->find(kName); entry != nullptr) {
      if (starts_helve(*entry)) return std::nullopt;
      return other_entry(file);
    }
  gateway::ServerConfig server{.name = kName, .origin = file};
  server.settings.command = client.entry_in(file).find("command")->as_string();
  for (const Json& word : client.entry_in(file).find("args")->as_array())
    server.settings.args.push_back(word.as_string());
  const auto after = with_server(std::string(text), file, server);
  if (!after) return fail(after.error());
  Splice splice{text.size(), "", after->substr(text.size())};
  if (text.find("\r\n") != std::string_view::npos)
    splice.inserted = replace_all(splice.inserted, "\n", "\r\n");
  return splice;
}

Expected<std::optional<Splice>> remove_from_toml(std::string_view text, const std::string& file) {
  const auto before = settings::parse_toml(text, file);
  if (!before) return fail(before.error());
  const Json* servers = before->find(kTomlKey);
  const Json* entry = servers == nullptr ? nullptr : servers->find(kName);
  if (entry == nullptr) return std::nullopt;
  if (!starts_helve(*entry)) return other_entry(file);
  const auto after = without_server(std::string(text), file, kName);
  if (!after) return fail(after.error());
  // One splice: the common prefix and suffix stay.
  std::size_t head = 0;
  while (head < after->size() && head < text.size() && (*after)[head] == text[head]) ++head;
  std::size_t tail = 0;
  while (tail < after->size() - head && tail < text.size() - head &&
         (*after)[after->size() - tail - 1] == text[text.size() - tail - 1])
    ++tail;
  return Splice{head, std::string(text.substr(head, text.size() - head - tail)),
                after->substr(head, after->size() - head - tail)};
}

}  // namespace

bool McpClient::is_here() const {
  return exists(user_file) || std::ranges::any_of(directories, exists) ||
         std::ranges::any_of(programs,
                             [](const std::string& program) { return find_program(program).has_value(); });
}

std::vector<McpClient> known_clients(const Places& places) {
  using Format = McpClient::Format;
  const auto in_home = [&](std::string_view path) { return concat(places.home, "/", path); };
  const auto in_config = [&](std::string_view path) { return concat(places.config_home, "/", path); };
  const auto in_workspace = [&](std::string_view path) { return concat(places.workspace, "/", path); };
  const Json plain = JsonObject{{"command", places.helve}, {"args", words({"mcp"})}};
  // Editors start servers in any directory and pass the workspace.
  const Json of_folder = JsonObject{{"type", "stdio"},
                                    {"command", places.helve},
                                    {"args", words({"mcp", "--workspace", "${workspaceFolder}"})}};
  const Json typed = JsonObject{{"type", "stdio"}, {"command", places.helve}, {"args", words({"mcp"})}};
  const Json local =
      JsonObject{{"type", "local"}, {"command", words({places.helve, "mcp"})}, {"enabled", true}};
  const Json from_folder =
      JsonObject{{"command", places.helve}, {"args", words({"mcp", "--workspace", "${workspaceFolder}"})}};
  const std::string codex_home = environment_variable("CODEX_HOME");
  const std::string codex = codex_home.empty() ? in_home(".codex") : codex_home;
  // Use whichever of the two files exists.
  const auto opencode = [&](const std::string& directory) {
    const std::string with_comments = directory + "/opencode.jsonc";
    return exists(with_comments) ? with_comments : directory + "/opencode.json";
  };

  std::vector<McpClient> all;
  all.push_back({.name = "claude",
                 .title = "Claude Code",
                 .user_file = in_home(".claude.json"),
                 .project_file = in_workspace(".mcp.json"),
                 .programs = {"claude"},
                 .directories = {in_home(".claude")},
                 .key = {"mcpServers"},
                 .entry = typed});
  all.push_back({.name = "codex",
                 .title = "Codex",
                 .user_file = codex + "/config.toml",
                 .project_file = in_workspace(".codex/config.toml"),
                 .programs = {"codex"},
                 .directories = {codex},
                 .format = Format::kToml,
                 .key = {kTomlKey},
                 .entry = plain});
  all.push_back({.name = "gemini",
                 .title = "Gemini CLI",
                 .user_file = in_home(".gemini/settings.json"),
                 .project_file = in_workspace(".gemini/settings.json"),
                 .programs = {"gemini"},
                 .directories = {in_home(".gemini")},
                 .key = {"mcpServers"},
                 .entry = plain,
                 .can_be_asked = false});
  all.push_back({.name = "vscode",
                 .title = "VS Code",
                 .user_file = in_config("Code/User/mcp.json"),
                 .project_file = in_workspace(".vscode/mcp.json"),
                 .prefers_project = true,
                 .programs = {"code"},
                 .directories = {in_config("Code"), in_workspace(".vscode")},
                 .key = {"servers"},
                 .entry = of_folder});
  all.push_back({.name = "cursor",
                 .title = "Cursor",
                 .user_file = in_home(".cursor/mcp.json"),
                 .project_file = in_workspace(".cursor/mcp.json"),
                 .programs = {"cursor", "cursor-agent"},
                 .directories = {in_home(".cursor")},
                 .key = {"mcpServers"},
                 .entry = plain,
                 .project_entry = from_folder});
  all.push_back({.name = "opencode",
                 .title = "opencode",
                 .user_file = opencode(in_config("opencode")),
                 .project_file = opencode(places.workspace),
                 .programs = {"opencode"},
                 .directories = {in_config("opencode")},
                 .key = {"mcp"},
                 .entry = local,
                 .can_be_asked = false});
  all.push_back({.name = "zed",
                 .title = "Zed",
                 .user_file = in_config("zed/settings.json"),
                 .project_file = in_workspace(".zed/settings.json"),
                 .programs = {"zed", "zeditor"},
                 .directories = {in_config("zed")},
                 .key = {"context_servers"},
                 .entry = plain});
  return all;
}

void start_in_mode(McpClient& client, Mode mode) {
  for (Json* const entry : {&client.entry, &client.project_entry})
    for (const std::string_view key : {"args", "command"}) {
      const Json* const line = entry->find(key);
      if (line == nullptr || !line->is_array()) continue;
      JsonArray words = line->as_array();
      for (const std::string_view word : {std::string_view("--mode"), name_of(mode)})
        words.emplace_back(word);
      (*entry)[key] = std::move(words);
    }
}

Expected<std::optional<Splice>> add_helve(const McpClient& client, std::string_view text,
                                          const std::string& file) {
  if (client.format == McpClient::Format::kToml) return add_to_toml(client, text, file);
  const auto root = parse_settings_json(text, file);
  if (!root) return fail(root.error());
  const std::vector<std::string> key = key_in(client, *root);
  const Json* servers = &*root;
  for (const std::string& step : key)
    if (servers != nullptr) servers = servers->find(step);
  if (servers != nullptr)
    if (const Json* entry = servers->find(kName); entry != nullptr) {
      if (starts_helve(*entry)) return std::nullopt;
      return other_entry(file);
    }
  auto splice = add_member(text, file, key, kName, client.entry_in(file));
  if (!splice) return fail(splice.error());
  return *std::move(splice);
}

Expected<std::optional<Splice>> remove_helve(const McpClient& client, std::string_view text,
                                             const std::string& file) {
  if (client.format == McpClient::Format::kToml) return remove_from_toml(text, file);
  const auto root = parse_settings_json(text, file);
  if (!root) return fail(root.error());
  const std::vector<std::string> key = key_in(client, *root);
  const Json* servers = &*root;
  for (const std::string& step : key)
    if (servers != nullptr) servers = servers->find(step);
  const Json* entry = servers == nullptr ? nullptr : servers->find(kName);
  if (entry == nullptr) return std::nullopt;
  if (!starts_helve(*entry)) return other_entry(file);
  auto splice = remove_member(text, file, key, kName);
  if (!splice) return fail(splice.error());
  return *std::move(splice);
}

bool say_the_same(const McpClient& client, std::string_view one, std::string_view other) {
  const auto meaning = [&](std::string_view text) -> Expected<Json> {
    auto json = client.format == McpClient::Format::kToml ? settings::parse_toml(text, "")
                                                          : parse_settings_json(text, "");
    if (!json) return json;
    // An empty object equals a missing one.
    std::vector<std::string> key = key_in(client, *json);
    while (!key.empty()) {
      Json* holder = &*json;
      for (std::size_t i = 0; i + 1 < key.size() && holder != nullptr; ++i)
        holder = holder->is_object() ? holder->as_object().find(key[i]) : nullptr;
      if (holder != nullptr && holder->is_object())
        if (const Json* last = holder->find(key.back());
            last != nullptr && last->is_object() && last->as_object().empty())
          holder->as_object().erase(key.back());
      key.pop_back();
    }
    return json;
  };
  const auto first = meaning(one);
  const auto second = meaning(other);
  return first && second && *first == *second;
}

}  // namespace helve::cli
