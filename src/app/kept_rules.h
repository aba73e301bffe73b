// Stores the rules from "always" answers in one file per workspace beside the configuration.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"

namespace helve::app {

// The rules file of a workspace, given its real path.
[[nodiscard]] std::string kept_rules_path(const std::string& config_directory, const std::string& workspace);

// Adds rules to the allow list in the workspace's file. Creates the file, readable only by the user.
[[nodiscard]] Expected<void> keep_rules(const std::string& config_directory, const std::string& workspace,
                                        const std::vector<std::string>& rules);

}  // namespace helve::app
