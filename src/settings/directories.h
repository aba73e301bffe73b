// The directories for Helve's own files, after the XDG base directory specification.
#pragma once

#include <string>

#include "helve/error.h"

namespace helve::settings {

// $HOME, else the home directory in the user database; empty when neither is set.
[[nodiscard]] std::string home_directory();
// $XDG_STATE_HOME/helve, else ~/.local/state/helve
[[nodiscard]] Expected<std::string> default_state_directory();
// $XDG_CONFIG_HOME/helve, else ~/.config/helve
[[nodiscard]] Expected<std::string> default_config_directory();
// $XDG_DATA_HOME/helve, else ~/.local/share/helve
[[nodiscard]] Expected<std::string> default_data_directory();

}  // namespace helve::settings
