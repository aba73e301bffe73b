// The state of a session, rebuilt from its entries: messages, replies, calls and results.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/entries.h"

namespace helve::agent {

// The progress of a call.
struct CallState {
  PlannedCall planned = {};
  bool asked = false;  // the user was asked
  std::optional<Approval> approval = {};
  bool started = false;
  bool changes = false;  // valid once started
  std::optional<ResultEntry> result = {};
};

// A reply of the model and the state of its calls.
struct Round {
  ReplyEntry reply = {};
  std::vector<CallState> calls = {};

  [[nodiscard]] bool is_open() const;  // a call has no result yet
};

// A value type; used from one thread at a time.
class Transcript {
 public:
  using Item = std::variant<UserEntry, Round>;

  void add(const Entry& entry);

  [[nodiscard]] const std::string& system() const { return system_; }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] bool empty() const { return items_.empty(); }

  // The round whose calls wait for their results; null when there is none.
  [[nodiscard]] const Round* open_round() const;
  // Why the last turn ended; empty while it runs or when it was cut off.
  [[nodiscard]] const std::string& ending() const { return ending_; }
  // Whether the turn still needs a reply of the model or has calls to run.
  [[nodiscard]] bool is_unfinished() const;
  // The rounds since the last user message, oldest first.
  [[nodiscard]] std::vector<const Round*> rounds_of_turn() const;
  [[nodiscard]] const Round* last_round() const;
  // Total of all replies.
  [[nodiscard]] const model::Usage& usage() const { return usage_; }
  [[nodiscard]] bool has_call(std::string_view id) const;

  // Rounds whose results are sent as stubs.
  [[nodiscard]] std::size_t trimmed_rounds() const { return trimmed_rounds_; }
  [[nodiscard]] std::size_t round_count() const;

  // The conversation as sent to the model. There must be no open round, because every call needs a result.
  [[nodiscard]] std::vector<model::Turn> to_turns() const;

 private:
  CallState* find_call(std::string_view id);

  std::string system_;
  std::vector<Item> items_;
  model::Usage usage_;
  std::string ending_;
  std::size_t trimmed_rounds_ = 0;
};

// The stub for a trimmed result; short content is returned unchanged.
[[nodiscard]] std::string trimmed_content(const std::string& tool, const std::string& content);

}  // namespace helve::agent
