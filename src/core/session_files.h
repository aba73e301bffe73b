// Removes the files of old sessions by age and by the space they use.
#pragma once

#include <string>
#include <string_view>

#include "helve/error.h"
#include "helve/log.h"
#include "helve/settings.h"

namespace helve {

// Where sessions have their directories, each under its id.
[[nodiscard]] std::string sessions_directory(const std::string& state_directory);

// All that a session keeps for its results and commands. CONFLICT when somebody uses it.
[[nodiscard]] Expected<void> remove_session_files(const std::string& session_directory);

// Of the session `current` only old outputs go, of those that somebody uses nothing.
void remove_old_session_files(const std::string& sessions_directory, const Settings::Results& settings,
                              std::string_view current, Logger& logger);

}  // namespace helve
