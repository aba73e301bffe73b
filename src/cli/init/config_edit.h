// Adds or removes a server in the user's configuration file and leaves everything else unchanged.
#pragma once

#include <string>
#include <string_view>

#include "gateway/server_config.h"
#include "helve/error.h"

namespace helve::cli {

// Appends a table for the server. CONFLICT if the name exists.
[[nodiscard]] Expected<std::string> with_server(const std::string& text, const std::string& file,
                                                const gateway::ServerConfig& server);

// Removes the server's tables. NOT_FOUND if there is none; CONFLICT if they cannot be removed safely.
[[nodiscard]] Expected<std::string> without_server(const std::string& text, const std::string& file,
                                                   const std::string& name);

}  // namespace helve::cli
