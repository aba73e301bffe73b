// Where Helve keeps its own things, after the XDG base directories.
#pragma once

#include <string>

#include "helve/error.h"

namespace helve {

// $XDG_STATE_HOME/helve, else ~/.local/state/helve
[[nodiscard]] Expected<std::string> default_state_directory();
// $XDG_CONFIG_HOME/helve, else ~/.config/helve
[[nodiscard]] Expected<std::string> default_config_directory();
// $XDG_DATA_HOME/helve, else ~/.local/share/helve
[[nodiscard]] Expected<std::string> default_data_directory();

}  // namespace helve
