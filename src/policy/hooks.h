// Programs of the user that look at calls before and after they run: which hook a call is for, what the
// program gets to read, and what its end means. Who starts the program is handed in.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "policy/decide.h"

namespace helve::policy {

// Tool names joined by `|`, each ours or Claude Code's, with stars: `exec|write`, `mcp__github__*`. Empty or
// `*`: all. A value; may be used from all threads.
class HookMatcher {
 public:
  [[nodiscard]] static Expected<HookMatcher> parse(std::string_view text);
  [[nodiscard]] bool matches(std::string_view tool) const;

 private:
  std::vector<std::string> names_;  // none: all tools
};

struct Hook {
  enum class Moment { kBefore, kAfter };
  // What a hook that fails means for a call that has not run yet.
  enum class OnFailure { kGoOn, kBlock };

  std::string command = {};  // a shell command line
  HookMatcher matcher = {};
  Moment moment = Moment::kBefore;
  std::chrono::milliseconds timeout{60'000};
  OnFailure on_failure = OnFailure::kGoOn;
};

// How the program ended.
struct HookRun {
  int exit_code = 0;         // 128 + signal when one ended it
  std::string output = {};   // stdout, bounded by whoever ran it
  std::string errors = {};   // stderr, likewise
  std::string problem = {};  // why there is no exit code: it could not be started, or the time was up
};

// Runs the command with `input` on its stdin and waits for its end or the timeout.
using HookRunner = std::function<HookRun(const Hook& hook, const std::string& input)>;

// What a hook knows of a call: {event, sessionId, callId, workspace, tool, effect, arguments, explanation}
// and, after it ran, {ok, result}.
struct HookSubject {
  std::string session_id = {};
  std::string call_id = {};
  std::string workspace = {};
  std::string explanation = {};
  Json result = {};  // the envelope; null before the call
};
[[nodiscard]] Json hook_input(Hook::Moment moment, const Call& call, const HookSubject& subject);

struct HookOutcome {
  enum class Kind {
    kGoOn,   // nothing to say
    kAllow,  // {"decision": "allow"}: need not be asked about; rules that deny still do
    kAsk,    // {"decision": "ask"}
    kBlock,  // exit code 2, or {"decision": "deny"} or "block"
  };
  Kind kind = Kind::kGoOn;
  std::string reason = {};   // for the model when it blocks, for the person when it asks
  std::string warning = {};  // for the log: what was wrong with the hook
};

// Exit code 0: the output may be an object {decision, reason}; any other text is ignored. Exit code 2 blocks
// with stderr as the reason. Everything else is a failure of the hook.
[[nodiscard]] HookOutcome read_outcome(const Hook& hook, const HookRun& run);

// Runs the hooks that are meant for the moment and the call, in order. The first that blocks ends it; of the
// others the strictest counts. Warnings of all are joined.
[[nodiscard]] HookOutcome run_hooks(std::span<const Hook> hooks, Hook::Moment moment, const Call& call,
                                    const HookSubject& subject, const HookRunner& runner);

}  // namespace helve::policy
