// The configuration of one MCP server: its name, how to reach it, and which tools to use.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/server_process.h"
#include "helve/error.h"
#include "helve/permissions.h"
#include "helve/settings/mcp_server.h"
#include "sandbox/plan.h"
#include "settings/trusted_programs.h"

namespace helve::gateway {

// Additional settings for a server that is part of a plugin; see plugins/served_plugin.h.
struct PluginServer {
  std::map<std::string, Effect> effects = {};  // of its tools, from the manifest
  bool is_library = false;  // Helve itself with a library: tools keep their names and annotations are trusted
  std::string stamp = {};   // changes with its files
  std::function<Expected<sandbox::Plan>()> make_sandbox = {};  // plans the sandbox at each start; empty: none
};

struct ServerConfig {
  std::string name = {};
  McpServerSettings settings = {};
  std::string origin = {};  // the file that describes it
  std::optional<PluginServer> plugin = {};
  // Its files in the workspace, as the user reviewed them. Null: none were reviewed.
  std::shared_ptr<const settings::ReviewedPrograms> programs = {};

  [[nodiscard]] bool is_http() const { return !settings.url.empty(); }
  [[nodiscard]] bool is_library() const { return plugin && plugin->is_library; }
  // "The MCP server github", for sentences.
  [[nodiscard]] std::string subject() const;
  [[nodiscard]] bool offers(std::string_view tool) const;
  // Identifies the server; changes with everything that can change its tools. Contains no secrets.
  [[nodiscard]] std::string fingerprint() const;
};

// INVALID_ARGUMENT with file and key if the configuration is invalid.
[[nodiscard]] Expected<void> check(const ServerConfig& config);

// Replaces ${NAME} and ${NAME:-default} by environment variables. INVALID_ARGUMENT if a variable is not set
// and has no default.
[[nodiscard]] Expected<std::string> expand_variables(std::string_view text);
// Expands the variables in all strings of the configuration that allow them.
[[nodiscard]] Expected<ServerConfig> expanded(ServerConfig config);

// How to start the server. Its default directory is `workspace`.
[[nodiscard]] Expected<ProcessStart> process_start(const ServerConfig& config, const std::string& workspace,
                                                   const std::string& launcher);

}  // namespace helve::gateway
