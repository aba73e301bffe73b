// One configured server: what it is called, how it is reached, and what of it is wanted.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/server_process.h"
#include "helve/error.h"
#include "helve/settings.h"

namespace helve::gateway {

struct ServerConfig {
  std::string name = {};
  Settings::McpServer settings = {};
  std::string origin = {};  // the file that describes it

  [[nodiscard]] bool is_http() const { return !settings.url.empty(); }
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
