// The settings file that `helve init` writes: what people change most, commented out, with its defaults.
#pragma once

#include <string>

#include "core/config.h"

namespace helve::cli {

// `defaults` has every setting as it is when nothing is set.
[[nodiscard]] std::string settings_template(const Config& defaults);

}  // namespace helve::cli
