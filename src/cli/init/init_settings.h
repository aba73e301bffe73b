// The settings file that `helve init` writes: common settings with their defaults, commented out.
#pragma once

#include <string>

#include "settings/config.h"

namespace helve::cli {

// `defaults` has the default of every setting.
[[nodiscard]] std::string settings_template(const settings::Config& defaults);

}  // namespace helve::cli
