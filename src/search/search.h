// Search of contents by the engine that the settings want, with the builtin one to fall back on.
#pragma once

#include <string>

#include "helve/log.h"
#include "search/grep.h"
#include "workspace/root.h"

namespace helve::search {

enum class Engine { kAuto, kRipgrep, kBuiltin };

struct EngineChoice {
  Engine engine = Engine::kAuto;
  std::string ripgrep = "rg";  // a name to look up in PATH, or an absolute path
};

// The same answer whichever engine gives it. When ripgrep is wanted but missing, fails or is killed half-way,
// that is logged and the builtin engine answers.
[[nodiscard]] Expected<GrepAnswer> grep(const Root& root, const GrepQuery& query, const EngineChoice& choice,
                                        Logger& logger, const ShouldStop& should_stop);

}  // namespace helve::search
