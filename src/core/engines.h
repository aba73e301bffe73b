// The machinery that built-in tools use, made once by the runtime and shared by all calls.
#pragma once

#include "core/session_state.h"
#include "helve/log.h"
#include "helve/settings.h"
#include "workspace/root.h"

namespace helve {

struct Engines {
  Engines(Root the_root, const Settings& the_settings)
      : root(std::move(the_root)),
        settings(the_settings),
        logger(the_settings.log.level, the_settings.log.format) {}

  const Root root;  // the workspace
  const Settings settings;
  Logger logger;
  SessionStates session_states;
};

// Opens the workspace as the settings want it.
[[nodiscard]] Expected<Root> open_workspace(const std::string& path, const Settings::Workspace& settings);

}  // namespace helve
