// Manual pages for man(1), from the same descriptions as the help and the completion.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "helve/registry.h"
#include "settings/config.h"

namespace helve::cli {

struct ManPage {
  std::string name;  // "helve-call"
  int section = 1;
  std::string text;  // roff with the man macros; the same for the same descriptions

  [[nodiscard]] std::string file_name() const { return name + "." + std::to_string(section); }
};

// helve(1), one of section 1 for every command and every tool, and the settings in section 5.
[[nodiscard]] std::vector<ManPage> manual_pages(
    const std::vector<std::unique_ptr<Command>>& commands,
    const std::vector<std::shared_ptr<const RegisteredTool>>& tools, const settings::Config& defaults);

}  // namespace helve::cli
