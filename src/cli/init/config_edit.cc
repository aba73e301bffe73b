#include "cli/init/config_edit.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "settings/toml.h"

namespace helve::cli {
namespace {

std::string key_text(std::string_view key) {
  const bool bare =
      !key.empty() && std::ranges::all_of(key, [](char c) { return is_word_character(c) || c == '-'; });
  return bare ? std::string(key) : to_text(Json(key));
}

std::string list_text(const std::vector<std::string>& values) {
  std::string out = "[";
  for (const std::string& value : values) out += concat(out.size() == 1 ? "" : ", ", to_text(Json(value)));
  return out + "]";
}

std::string map_text(const std::map<std::string, std::string>& values) {
  std::string out = "{";
  for (const auto& [key, value] : values)
    out += concat(out.size() == 1 ? " " : ", ", key_text(key), " = ", to_text(Json(value)));
  return out + " }";
}

std::string table_text(const gateway::ServerConfig& server) {
  const McpServerSettings& settings = server.settings;
  std::string out = concat("[mcp_servers.", key_text(server.name), "]\n");
  const auto add = [&](std::string_view key, const std::string& value) {
    out += concat(key, " = ", value, "\n");
  };
  if (!settings.command.empty()) add("command", to_text(Json(settings.command)));
  if (!settings.args.empty()) add("args", list_text(settings.args));
  if (!settings.env.empty()) add("env", map_text(settings.env));
  if (!settings.cwd.empty()) add("cwd", to_text(Json(settings.cwd)));
  if (!settings.url.empty()) add("url", to_text(Json(settings.url)));
  if (!settings.headers.empty()) add("headers", map_text(settings.headers));
  if (!settings.bearer_token_variable.empty())
    add("bearer_token_variable", to_text(Json(settings.bearer_token_variable)));
  if (!settings.enabled) add("enabled", "false");
  return out;
}

const Json* find_server(const Json& values, const std::string& name) {
  const Json* servers = values.find("mcp_servers");
  return servers == nullptr ? nullptr : servers->find(name);
}

std::unexpected<Error> by_hand(const std::string& file, const std::string& name) {
  return fail(ErrorCode::kConflict,
              concat(file, " describes the server ", name, " in a form that cannot be changed safely."),
              "Edit the file by hand.");
}

}  // namespace

Expected<std::string> with_server(const std::string& text, const std::string& file,
                                  const gateway::ServerConfig& server) {
  const auto before = settings::parse_toml(text, file);
  if (!before) return fail(before.error());
  if (find_server(*before, server.name) != nullptr)
    return fail(ErrorCode::kConflict, concat("There is already a server ", server.name, " in ", file, "."),
                concat("Choose another name, or run helve mcp remove ", server.name, " first."));
  std::string out = text;
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  if (!out.empty()) out += '\n';
  out += table_text(server);
  const auto after = settings::parse_toml(out, file);
  // For example, mcp_servers may be an inline table.
  if (!after || find_server(*after, server.name) == nullptr) return by_hand(file, server.name);
  return out;
}

Expected<std::string> without_server(const std::string& text, const std::string& file,
                                     const std::string& name) {
  auto before = settings::parse_toml(text, file);
  if (!before) return fail(before.error());
  if (find_server(*before, name) == nullptr)
    return fail(ErrorCode::kNotFound, concat("There is no server ", name, " in ", file, "."),
                "helve mcp list shows the servers and their files.");
  const std::vector<settings::TomlHeader> headers = settings::toml_headers(text);
  const std::vector<std::string_view> lines = split(text, '\n');
  std::vector<bool> goes(lines.size(), false);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::vector<std::string>& path = headers[i].path;
    if (path.size() < 2 || path[0] != "mcp_servers" || path[1] != name) continue;
    const auto next = std::ranges::find_if(
        headers, [&](const settings::TomlHeader& header) { return header.line > headers[i].line; });
    std::size_t end = next == headers.end() ? lines.size() : next->line - 1;
    // Comments right above the next header belong to it.
    if (next != headers.end())
      while (end > headers[i].line && trim(lines[end - 1]).starts_with('#')) --end;
    for (std::size_t line = headers[i].line - 1; line < end; ++line) goes[line] = true;
  }
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!goes[i]) out += concat(lines[i], i + 1 < lines.size() ? "\n" : "");
  while (out.ends_with("\n\n")) out.pop_back();
  // Check that nothing else has changed.
  const auto after = settings::parse_toml(out, file);
  Json& servers = (*before)["mcp_servers"];
  servers.as_object().erase(name);
  if (servers.as_object().empty()) before->as_object().erase("mcp_servers");
  Json now = after ? *after : Json();
  if (const Json* left = now.find("mcp_servers");
      left != nullptr && left->is_object() && left->as_object().empty())
    now.as_object().erase("mcp_servers");
  if (!after || now != *before) return by_hand(file, name);
  return out;
}

}  // namespace helve::cli
