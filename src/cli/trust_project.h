// helve config trust: shows what a project's own configuration grants, and records that the user reviewed it.
#pragma once

#include <string>

#include "app/invocation.h"
#include "settings/trust.h"

namespace helve::cli {

// Shows every file from which Helve takes rights, as a diff from what was reviewed before, and asks at a
// terminal. Elsewhere only `yes` agrees. It records exactly the content that it showed.
[[nodiscard]] int trust_project(const app::Invocation& shell, settings::TrustedFolders& trusted,
                                const std::string& folder, bool yes);

}  // namespace helve::cli
