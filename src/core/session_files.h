// Removes the files of old sessions by age and by the space they use.
#pragma once

#include <string>
#include <string_view>

#include "helve/log.h"
#include "helve/settings.h"

namespace helve {

// Leaves the session `current` and everything that is not a session directory alone.
void remove_old_session_files(const std::string& sessions_directory, const Settings::Results& settings,
                              std::string_view current, Logger& logger);

}  // namespace helve
