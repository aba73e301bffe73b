// A tool of a plugin that is a command: runs it as exec runs commands, without a shell.
#pragma once

#include <memory>
#include <string>

#include "helve/settings.h"
#include "helve/tool.h"
#include "plugins/manifest.h"

namespace helve::plugins {

// `directory` is where a program that begins with ./ lies. What a tool says about its effect is held by the
// sandbox; without one, it counts as able to do anything.
[[nodiscard]] Expected<std::unique_ptr<Tool>> make_command_tool(const PluginTool& tool,
                                                                const std::string& plugin,
                                                                const std::string& directory,
                                                                const Settings& settings);

// Where the program is; UNAVAILABLE when it is not there.
[[nodiscard]] Expected<std::string> find_tool_program(const std::string& program,
                                                      const std::string& directory);

}  // namespace helve::plugins
