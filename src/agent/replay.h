// Makes the calls of a recorded session again and compares what they give: a session as a test of the tools.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "agent/entries.h"
#include "helve/runtime.h"

namespace helve::agent {

struct ReplayedCall {
  std::string tool = {};
  std::string arguments = {};
  ResultEntry recorded = {};
  ResultEntry now = {};
  bool same = false;  // but for ids, times and durations
};

struct ReplayReport {
  std::vector<ReplayedCall> calls = {};
  std::size_t left_out =
      0;  // calls that had not run then: denied, interrupted, of unknown outcome, questions

  [[nodiscard]] std::size_t differing() const;
};

// Round by round, in the session; nothing is asked of a model. Stops between rounds.
[[nodiscard]] ReplayReport replay(std::span<const Entry> entries, Runtime& runtime,
                                  const std::shared_ptr<Session>& session, const std::stop_token& stop = {});

}  // namespace helve::agent
