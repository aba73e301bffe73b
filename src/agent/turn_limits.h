// Limits on a turn: calls, rounds, time, tokens, money, repetition, and the size of the model's context
// window.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/journal.h"
#include "agent/transcript.h"
#include "helve/settings/agent.h"
#include "helve/settings/model.h"
#include "model/model.h"

namespace helve::agent {

// Why a turn ended.
struct Ending {
  std::string reason =
      {};  // done, cancelled, call-limit, no-progress, deadline, budget, …; see docs/agent.md
  std::optional<Error> error = {};

  [[nodiscard]] bool is_done() const { return reason == "done"; }
};

// Counts from the transcript alone, so that a session resumed after a crash keeps the same limits.
class TurnLimits {
 public:
  using Clock = std::chrono::steady_clock;
  TurnLimits(const AgentSettings& settings, const ModelPrices& prices,
             Clock::time_point begun = Clock::now());

  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }

  // Checks rounds, time, tokens and money before the next request to the model.
  [[nodiscard]] std::optional<Ending> before_reply(const Transcript& transcript) const;
  // Checks the number of calls before the calls of the last round run.
  [[nodiscard]] std::optional<Ending> before_calls(const Transcript& transcript) const;

  // How many rounds in a row, including the last, made the same calls and got the same results.
  [[nodiscard]] static std::size_t repeated_rounds(const Transcript& transcript);
  static constexpr std::size_t kWarnAt = 2;
  static constexpr std::size_t kStopAt = 4;

 private:
  const AgentSettings& settings_;
  const ModelPrices prices_;
  const Clock::time_point deadline_;
};

// Estimates the tokens of a conversation: about four bytes per token.
[[nodiscard]] std::int64_t rough_tokens(const model::Conversation& conversation);

// Keeps a conversation within the model's context window by shortening old results.
// Lives for one turn; used from the turn's thread.
class ContextWindow {
 public:
  ContextWindow(const AgentSettings& settings, const model::Model& model);

  [[nodiscard]] std::optional<std::int64_t> window() const { return window_; }

  // rough_tokens(), scaled by how far it was off from the server's last count.
  [[nodiscard]] static std::int64_t estimate(const model::Conversation& conversation,
                                             const Transcript& transcript);

  // When the window is nearly full, shortens the oldest results until it is half full and rebuilds the
  // conversation from the transcript. Never shortens the last round. Fails with UNAVAILABLE when the
  // conversation still does not fit.
  [[nodiscard]] Expected<void> trim_to_fit(Journal& journal, model::Conversation& conversation) const;
  // For when the server reports a full window: shortens everything but the last round. Returns false when
  // nothing was left to shorten.
  [[nodiscard]] static Expected<bool> trim_all(Journal& journal, model::Conversation& conversation);

 private:
  [[nodiscard]] Error too_small(std::int64_t needed) const;

  const int trim_percent_;
  const std::optional<std::int64_t> window_;
};

}  // namespace helve::agent
