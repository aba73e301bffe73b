// One configured server: what it is called, how it is reached, and what of it is wanted.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/server_process.h"
#include "helve/error.h"
#include "helve/permissions.h"
#include "helve/settings.h"
#include "sandbox/plan.h"

namespace helve::gateway {

// What is different about a server that a plugin brings along; see plugins/served_plugin.h.
struct PluginServer {
  std::map<std::string, Effect> effects = {};  // of its tools, as the manifest has them
  bool is_library =
      false;  // Helve itself, around a library: its tools have their own names, and its word counts
  std::string stamp = {};                          // changes with its files
  std::function<sandbox::Plan()> make_walls = {};  // around its process, for each start; empty: none
};

struct ServerConfig {
  std::string name = {};
  Settings::McpServer settings = {};
  std::string origin = {};  // the file that describes it
  std::optional<PluginServer> plugin = {};

  [[nodiscard]] bool is_http() const { return !settings.url.empty(); }
  [[nodiscard]] bool is_library() const { return plugin && plugin->is_library; }
  // "The MCP server github", for sentences.
  [[nodiscard]] std::string subject() const;
  [[nodiscard]] bool offers(std::string_view tool) const;
  // What makes it this server and no other; changes with everything that can change its tools. No secrets.
  [[nodiscard]] std::string fingerprint() const;
};

// INVALID_ARGUMENT with file and key when it describes no server that can be reached.
[[nodiscard]] Expected<void> check(const ServerConfig& config);

// ${NAME} and ${NAME:-default} become what the environment says. INVALID_ARGUMENT names a variable that is
// not set and has no default.
[[nodiscard]] Expected<std::string> expand_variables(std::string_view text);
// The same in every text of the description where people expect it.
[[nodiscard]] Expected<ServerConfig> expanded(ServerConfig config);

// How to start it, with its texts expanded. `workspace` is where it runs unless it says otherwise.
[[nodiscard]] Expected<ProcessStart> process_start(const ServerConfig& config, const std::string& workspace,
                                                   const std::string& launcher);

}  // namespace helve::gateway
