// What was said and done in a session, put together from its entries.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/entries.h"

namespace helve::agent {

// How far a call has come.
struct CallState {
  PlannedCall planned = {};
  bool asked = false;  // a person was
  std::optional<Approval> approval = {};
  bool started = false;
  bool changes = false;  // known when it has started
  std::optional<ResultEntry> result = {};
};

// A reply of the model and what came of its calls.
struct Round {
  ReplyEntry reply = {};
  std::vector<CallState> calls = {};

  [[nodiscard]] bool is_open() const;  // a call has no result yet
};

// A value; for one thread at a time.
class Transcript {
 public:
  using Item = std::variant<UserEntry, Round>;

  void add(const Entry& entry);

  [[nodiscard]] const std::string& system() const { return system_; }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] bool empty() const { return items_.empty(); }

  // The round whose calls wait for their results; null when there is none.
  [[nodiscard]] const Round* open_round() const;
  // The reason why the last turn ended; empty while it is under way, or when it was cut off.
  [[nodiscard]] const std::string& ending() const { return ending_; }
  // Whether the model has to speak next, or calls have to be made: the turn is not through.
  [[nodiscard]] bool is_unfinished() const;
  // The rounds since the person spoke last, oldest first.
  [[nodiscard]] std::vector<const Round*> rounds_of_turn() const;
  [[nodiscard]] const Round* last_round() const;
  // Of all replies together.
  [[nodiscard]] const model::Usage& usage() const { return usage_; }
  [[nodiscard]] bool has_call(std::string_view id) const;

  // Rounds whose results are sent as stubs.
  [[nodiscard]] std::size_t trimmed_rounds() const { return trimmed_rounds_; }
  [[nodiscard]] std::size_t round_count() const;

  // As the model gets it. Of an open round only what is complete may be sent, so there must be none.
  [[nodiscard]] std::vector<model::Turn> to_turns() const;

 private:
  CallState* find_call(std::string_view id);

  std::string system_;
  std::vector<Item> items_;
  model::Usage usage_;
  std::string ending_;
  std::size_t trimmed_rounds_ = 0;
};

// What a trimmed result looks like; the content itself when it is short.
[[nodiscard]] std::string trimmed_content(const std::string& tool, const std::string& content);

}  // namespace helve::agent
