// The process that loads a plugin's library and serves its tools over MCP to the Helve that started it.
#pragma once

#include <optional>

namespace helve::cli {

// The internal first argument that starts a plugin process.
inline constexpr const char* kPluginProcess = "plugin-process";

// Runs the plugin process and returns its exit code if the arguments ask for it. Call before threads start.
[[nodiscard]] std::optional<int> be_plugin_process_if_asked(int argc, char** argv);

}  // namespace helve::cli
