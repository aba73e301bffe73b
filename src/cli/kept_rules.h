// The rules that a person answered "always" with: for each workspace a file beside the configuration.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"

namespace helve::cli {

// The file of a workspace, of which the real path is given.
[[nodiscard]] std::string kept_rules_path(const std::string& config_directory, const std::string& workspace);

// Adds to the allow list of the workspace's file, which is made when it is not there. Readable by the user
// alone.
[[nodiscard]] Expected<void> keep_rules(const std::string& config_directory, const std::string& workspace,
                                        const std::vector<std::string>& rules);

}  // namespace helve::cli
