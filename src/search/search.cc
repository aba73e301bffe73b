#include "search/search.h"

#include "base/strings.h"
#include "search/builtin_grep.h"
#include "search/ripgrep_grep.h"
#include "search/ripgrep_process.h"

namespace helve::search {
namespace {

// bench/RESULTS.md has the measurements that decide this.
constexpr Engine kAutomaticEngine = Engine::kBuiltin;

}  // namespace

Expected<GrepAnswer> grep(const Root& root, const GrepQuery& query, const EngineChoice& choice,
                          Logger& logger, const ShouldStop& should_stop) {
  const Engine engine = choice.engine == Engine::kAuto ? kAutomaticEngine : choice.engine;
  if (engine == Engine::kBuiltin) return grep_builtin(root, query, should_stop);
  const auto program = find_program(choice.ripgrep);
  if (!program) {
    logger.warning(
        concat("ripgrep (", choice.ripgrep, ") is not installed; the builtin engine searches instead."));
    return grep_builtin(root, query, should_stop);
  }
  auto answer = grep_ripgrep(root, query, *program, should_stop);
  if (answer || answer.error().code != ErrorCode::kUnavailable) return answer;
  logger.warning(
      concat("ripgrep could not search: ", answer.error().message, "; the builtin engine searches instead."));
  return grep_builtin(root, query, should_stop);
}

}  // namespace helve::search
