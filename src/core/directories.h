// Where Helve keeps its own things, after the XDG base directories.
#pragma once

#include <string>

#include "helve/error.h"

namespace helve {

// $HOME, else what the user database says; empty when neither knows.
[[nodiscard]] std::string home_directory();
// $XDG_STATE_HOME/helve, else ~/.local/state/helve
[[nodiscard]] Expected<std::string> default_state_directory();
// $XDG_CONFIG_HOME/helve, else ~/.config/helve
[[nodiscard]] Expected<std::string> default_config_directory();
// $XDG_DATA_HOME/helve, else ~/.local/share/helve
[[nodiscard]] Expected<std::string> default_data_directory();

}  // namespace helve
