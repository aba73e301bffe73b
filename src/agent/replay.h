// Repeats the calls of a recorded session and compares the results, which turns a session into a test.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "agent/entries.h"
#include "helve/runtime_class.h"

namespace helve::agent {

struct ReplayedCall {
  std::string tool = {};
  std::string arguments = {};
  ResultEntry recorded = {};
  ResultEntry now = {};
  bool same = false;  // ignoring ids, times and durations
};

struct ReplayReport {
  std::vector<ReplayedCall> calls = {};
  // Calls that did not run when recorded: denied, interrupted, unknown outcome, questions.
  std::size_t left_out = 0;

  [[nodiscard]] std::size_t differing() const;
};

// Runs round by round in `session` without a model. A stop takes effect between rounds.
[[nodiscard]] ReplayReport replay(std::span<const Entry> entries, Runtime& runtime,
                                  const std::shared_ptr<Session>& session, const std::stop_token& stop = {});

}  // namespace helve::agent
