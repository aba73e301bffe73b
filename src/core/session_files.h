// Removes the files of old sessions by age and by the space they use.
#pragma once

#include <string>
#include <string_view>

#include "helve/log.h"
#include "helve/settings.h"

namespace helve {

// Of the session `current` only old outputs go, of those that somebody uses nothing.
void remove_old_session_files(const std::string& sessions_directory, const Settings::Results& settings,
                              std::string_view current, Logger& logger);

}  // namespace helve
