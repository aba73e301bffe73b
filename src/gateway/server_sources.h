// Finds configured MCP servers: in the settings and in the JSON files of other programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/server_config.h"
#include "settings/groups.h"
#include "settings/trust.h"

namespace helve::gateway {

struct FoundServers {
  std::vector<ServerConfig> servers = {};
  std::vector<std::string> warnings = {};  // for the user: errors in files, and untrusted files
};

// Set in the environment of every server, so that a Helve among them does not start all servers again.
inline constexpr const char* kInsideGateway = "MCP_SERVER_OF_HELVE";

// The servers of the settings, then those of .mcp.json and .vscode/mcp.json if the workspace is trusted. The
// first of several servers with the same name counts.
[[nodiscard]] FoundServers find_servers(const settings::Groups& settings, const std::string& settings_origin,
                                        const std::string& workspace, const settings::ProjectTrust& project);

// Reads a file with "mcpServers" (Claude, also per project) or "servers" (VS Code). Comments and trailing
// commas are allowed. An invalid server does not affect the others.
[[nodiscard]] Expected<FoundServers> read_servers(std::string_view text, const std::string& file,
                                                  const std::string& workspace);

// Removes // and /* */ comments and trailing commas outside of strings. Line numbers stay the same.
[[nodiscard]] std::string without_comments(std::string_view text);

}  // namespace helve::gateway
