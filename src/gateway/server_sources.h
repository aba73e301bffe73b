// Where descriptions of servers come from: our settings, and the JSON files that people already have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/server_config.h"

namespace helve::gateway {

struct FoundServers {
  std::vector<ServerConfig> servers = {};
  std::vector<std::string> warnings = {};  // for the person: what is wrong in which file, what is not trusted
};

// Set for every server that is started, so that a Helve among them does not start them all again.
inline constexpr const char* kInsideGateway = "MCP_SERVER_OF_HELVE";

// The settings' servers, then those of .mcp.json and .vscode/mcp.json in the workspace if that is trusted.
// Of two with the same name the first counts.
[[nodiscard]] FoundServers find_servers(const Settings& settings, const std::string& settings_origin,
                                        const std::string& workspace, bool workspace_trusted);

// A file with "mcpServers" (as Claude has it, also for the workspace among its projects) or "servers" (as VS
// Code has it); comments and commas at the end are tolerated. What is wrong with one server leaves the
// others.
[[nodiscard]] Expected<FoundServers> read_servers(std::string_view text, const std::string& file,
                                                  const std::string& workspace);

// The text without // and /* */ comments and without commas before a closing bracket, as far as they are
// outside of strings; all else keeps its place.
[[nodiscard]] std::string without_comments(std::string_view text);

}  // namespace helve::gateway
