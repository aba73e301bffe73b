// Hooks: user programs that check calls before and after they run. This file selects hooks, writes their
// input and interprets their results; the caller supplies the function that starts them.
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

// Tool names joined by `|`, Helve's or Claude Code's, with stars: `exec|write`, `mcp__github__*`. Empty or
// `*` matches all tools.
class HookMatcher {
 public:
  [[nodiscard]] static Expected<HookMatcher> parse(std::string_view text);
  [[nodiscard]] bool matches(std::string_view tool) const;

 private:
  std::vector<std::string> names_;  // empty: all tools
};

struct Hook {
  enum class Moment { kBefore, kAfter };
  // Decides about a call when its hook fails before the call ran.
  enum class OnFailure { kGoOn, kBlock };

  std::string command = {};  // a shell command line
  HookMatcher matcher = {};
  Moment moment = Moment::kBefore;
  std::chrono::milliseconds timeout{60'000};
  OnFailure on_failure = OnFailure::kGoOn;
};

inline constexpr int kHookBlocks = 2;  // the exit code

struct HookRun {
  int exit_code = 0;         // 128 + signal when a signal ended it
  std::string output = {};   // stdout, limited by the runner
  std::string errors = {};   // stderr, limited by the runner
  std::string problem = {};  // why there is no exit code: the program did not start, or it timed out
};

// Runs the command with `input` on its stdin and waits until it exits or times out.
using HookRunner = std::function<HookRun(const Hook& hook, const std::string& input)>;

// The context of a call. A hook receives {event, sessionId, callId, workspace, tool, effect, arguments,
// explanation} and, after the call, also {ok, result}.
struct HookSubject {
  std::string session_id = {};
  std::string call_id = {};
  std::string workspace = {};
  std::string explanation = {};
  Json result = {};  // the envelope; null before the call
};
[[nodiscard]] Json hook_input(Hook::Moment moment, const RequestedCall& call, const HookSubject& subject);

struct HookOutcome {
  enum class Kind {
    kGoOn,   // no decision
    kAllow,  // {"decision": "allow"}: runs without asking, unless a rule denies it
    kAsk,    // {"decision": "ask"}
    kBlock,  // exit code 2, or {"decision": "deny"} or "block"
  };
  Kind kind = Kind::kGoOn;
  std::string reason = {};   // for the model when it blocks, for the user when it asks
  std::string warning = {};  // for the log: what is wrong with the hook
};

// Exit code 0: the output may be an object {decision, reason}; other text is ignored. Exit code 2: blocks,
// with stderr as the reason. Any other exit code: the hook failed.
[[nodiscard]] HookOutcome read_outcome(const Hook& hook, const HookRun& run);

// Runs the hooks that match the moment and the call, in order, until one blocks. The strictest outcome wins;
// all warnings are joined.
[[nodiscard]] HookOutcome run_hooks(std::span<const Hook> hooks, Hook::Moment moment,
                                    const RequestedCall& call, const HookSubject& subject,
                                    const HookRunner& runner);

}  // namespace helve::policy
