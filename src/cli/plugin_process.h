// The process around a library of a plugin: loads it, and offers its tools over MCP to the Helve that started
// it.
#pragma once

#include <optional>

namespace helve::cli {

// The word after the program's name that makes it such a process; not for people.
inline constexpr const char* kPluginProcess = "plugin-process";

// The exit code when this process is one. Comes early in main, before threads are started.
[[nodiscard]] std::optional<int> be_plugin_process_if_asked(int argc, char** argv);

}  // namespace helve::cli
