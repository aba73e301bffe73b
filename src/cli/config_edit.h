// Adds a server to the person's configuration file or takes one away, and leaves everything else as it is.
#pragma once

#include <string>
#include <string_view>

#include "gateway/server_config.h"
#include "helve/error.h"

namespace helve::cli {

// The text with one more table at its end. CONFLICT when there is a server of that name.
[[nodiscard]] Expected<std::string> with_server(const std::string& text, const std::string& file,
                                                const gateway::ServerConfig& server);

// The text without the server's tables. NOT_FOUND when there is none; CONFLICT when it is written in a way
// that only a person should touch.
[[nodiscard]] Expected<std::string> without_server(const std::string& text, const std::string& file,
                                                   const std::string& name);

}  // namespace helve::cli
