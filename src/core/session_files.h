// Removes the files of old sessions by age and by the space they use.
#pragma once

#include <string>
#include <string_view>

#include "helve/error.h"
#include "helve/log.h"
#include "helve/settings/results.h"

namespace helve::core {

// The directory that holds each session's directory under its id.
[[nodiscard]] std::string sessions_directory(const std::string& state_directory);

// Removes all files of a session. CONFLICT when the session is in use.
[[nodiscard]] Expected<void> remove_session_files(const std::string& session_directory);

// Removes only old outputs of the session `current`, and nothing of other sessions in use.
void remove_old_session_files(const std::string& sessions_directory, const ResultSettings& settings,
                              std::string_view current, Logger& logger);

}  // namespace helve::core
