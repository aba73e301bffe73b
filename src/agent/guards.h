// What keeps a turn from going on for ever, or for more than it is worth.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "agent/transcript.h"
#include "helve/settings.h"

namespace helve::agent {

// Why a turn is over.
struct Ending {
  std::string reason =
      {};  // done, cancelled, call-limit, no-progress, deadline, budget, …; see docs/agent.md
  std::optional<Error> error = {};

  [[nodiscard]] bool is_done() const { return reason == "done"; }
};

// All of them look at the transcript alone, so that a session that goes on after a crash is held to the same
// limits.
class Guards {
 public:
  using Clock = std::chrono::steady_clock;
  Guards(const Settings::Agent& settings, const Settings::Prices& prices,
         Clock::time_point begun = Clock::now());

  // When the turn must be over.
  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }

  // Before the model is asked again: rounds, time, tokens, money.
  [[nodiscard]] std::optional<Ending> before_reply(const Transcript& transcript) const;
  // Before the calls of the last round are made.
  [[nodiscard]] std::optional<Ending> before_calls(const Transcript& transcript) const;

  // How often, the last round included, the same calls came one after the other to the same results.
  [[nodiscard]] static std::size_t same_rounds(const Transcript& transcript);
  static constexpr std::size_t kNoteAt = 2;
  static constexpr std::size_t kStopAt = 4;

 private:
  const Settings::Agent& settings_;
  const Settings::Prices prices_;
  const Clock::time_point deadline_;
};

}  // namespace helve::agent
