// Keeps a conversation within what its model can read: estimates its size and shortens old results.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/journal.h"
#include "helve/settings.h"
#include "model/model.h"

namespace helve::agent {

// Tokens of a conversation by a rule of thumb: about four bytes each.
[[nodiscard]] std::int64_t rough_tokens(const model::Conversation& conversation);

// For one turn, used by its thread.
class ContextKeeper {
 public:
  ContextKeeper(const Settings::Agent& settings, const model::Model& model);

  [[nodiscard]] std::optional<std::int64_t> window() const { return window_; }

  // The rule of thumb, corrected by how far off it was for what the server counted last.
  [[nodiscard]] static std::int64_t estimate(const model::Conversation& conversation,
                                             const Transcript& transcript);

  // Shortens the oldest results, never those of the last round, when the window is nearly full, until it is
  // half full; the conversation is made again from the transcript then. UNAVAILABLE when even that is too
  // much for the window.
  [[nodiscard]] Expected<void> make_room(Journal& journal, model::Conversation& conversation) const;
  // The server says that it is full: shortens all it can. False when there was nothing left to shorten.
  [[nodiscard]] static Expected<bool> make_all_room(Journal& journal, model::Conversation& conversation);

 private:
  [[nodiscard]] Error too_small(std::int64_t needed) const;

  const int trim_percent_;
  const std::optional<std::int64_t> window_;
};

}  // namespace helve::agent
