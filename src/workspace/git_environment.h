// The settings that git takes from the environment.
#pragma once

#include <vector>

#include "workspace/git_config.h"

namespace helve::workspace {

// GIT_CONFIG_COUNT, GIT_CONFIG_PARAMETERS, and variables that name a program, such as GIT_EDITOR.
[[nodiscard]] std::vector<GitSetting> git_settings_of_environment();

}  // namespace helve::workspace
