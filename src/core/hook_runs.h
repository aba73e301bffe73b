// Runs the user's hooks before and after calls.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/engines.h"
#include "helve/session.h"
#include "policy/hooks.h"
#include "process/jobs.h"

namespace helve::core {

// The hooks in the settings. An invalid one is an error.
[[nodiscard]] Expected<std::vector<policy::Hook>> hooks_of(const HookSettings& settings);

// The hook programs of one session. They belong to the user, so they run without a sandbox and with the
// user's environment, within their time limit. Owned by the session's state; may be used from all threads.
class HookRuns {
 public:
  [[nodiscard]] policy::HookOutcome run(Engines& engines, const Session& session, policy::Hook::Moment moment,
                                        const policy::RequestedCall& call,
                                        const policy::HookSubject& subject);

 private:
  [[nodiscard]] Expected<process::Jobs*> sessions(const Engines& engines, const Session& session);
  [[nodiscard]] policy::HookRun run_one(const Engines& engines, const Session& session,
                                        const policy::Hook& hook, const std::string& input);

  std::mutex mutex_;
  std::unique_ptr<process::Jobs> sessions_;  // made when first needed
};

}  // namespace helve::core
