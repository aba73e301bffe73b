// A plugin tool that runs a command, like exec but without a shell.
#pragma once

#include <memory>
#include <string>

#include "helve/tool.h"
#include "plugins/manifest.h"
#include "settings/groups.h"

namespace helve::plugins {

// `directory` is the base of a program that begins with ./. The sandbox enforces the tool's declared effect;
// without a sandbox its effect counts as execute.
[[nodiscard]] Expected<std::unique_ptr<Tool>> make_command_tool(const PluginTool& tool,
                                                                const std::string& plugin,
                                                                const std::string& directory,
                                                                const settings::Groups& settings);

// The path of the program; UNAVAILABLE if it does not exist.
[[nodiscard]] Expected<std::string> find_tool_program(const std::string& program,
                                                      const std::string& directory);

}  // namespace helve::plugins
