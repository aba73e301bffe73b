// The rules that a person answered "always" with, in a file of their own beside the configuration.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"

namespace helve::cli {

// Adds to the allow list of the file, which is made when it is not there. Readable by the user alone.
[[nodiscard]] Expected<void> keep_rules(const std::string& path, const std::vector<std::string>& rules);

}  // namespace helve::cli
