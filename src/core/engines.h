// The machinery that built-in tools use, made once by the runtime and shared by all calls.
#pragma once

#include <string>

#include "helve/log.h"
#include "helve/settings.h"

namespace helve {

struct Engines {
  Engines(std::string workspace_path, const Settings& the_settings)
      : workspace(std::move(workspace_path)),
        settings(the_settings),
        logger(the_settings.log.level, the_settings.log.format) {}

  const std::string workspace;  // real path
  const Settings settings;
  Logger logger;
};

}  // namespace helve
