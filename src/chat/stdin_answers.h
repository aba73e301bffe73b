// Approvals and questions for a program that drives `helve agent --json --answers`: events ask, lines of JSON
// on stdin answer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "helve/events.h"
#include "helve/permissions.h"
#include "helve/questions.h"

namespace helve::chat {

// {"tool_call_id": "…", "granted": true, "scope": "once|session|always"}
// {"tool_call_id": "…", "granted": false, "reason": "…"}
// {"tool_call_id": "…", "answers": ["…"]}
// Any other line, or an answer that no call waits for, publishes an ErrorEvent; the question stays open.
// After the end of stdin, approvals are denied and questions fail. Thread-safe.
class StdinAnswers final : public Approver, public Asker {
 public:
  explicit StdinAnswers(int fd) : fd_(fd) {}

  // Starts the thread that reads stdin until it is stopped. Call it before the first question; `events` must
  // outlive the thread.
  [[nodiscard]] Expected<std::jthread> listen(EventStream& events);

  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;
  [[nodiscard]] bool asks_together() const override { return true; }
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;

 private:
  void read_lines(const std::stop_token& done);
  void take(std::string_view line);  // needs the lock, as all functions below
  // The first answer that `read` accepts; empty when stdin has ended, `stop` is requested or `until` is over.
  using Until = std::optional<std::chrono::steady_clock::time_point>;
  template <class Read>
  [[nodiscard]] auto first_valid_answer(const std::string& call_id, const std::stop_token& stop, Until until,
                                        Read read)
      -> std::optional<typename decltype(read(Json()))::value_type>;
  void follow_events();
  void follow(const ToolEvent& call);
  void follow(const TextEvent& text);
  [[nodiscard]] bool may_be_expected(const std::string& call_id) const;
  void reject_unexpected();
  void publish_error(std::string message, std::string hint);

  const int fd_;
  EventStream* events_ = nullptr;
  std::mutex mutex_;  // guards all members below
  std::condition_variable_any answered_;
  std::uint64_t seen_ = 0;         // seq of the last event that was followed
  std::set<std::string> running_;  // calls that have not ended
  // Calls with an open question, once per question: the event announces it, then ask() asks it.
  std::multiset<std::string> announced_;
  std::multiset<std::string> asking_;
  std::set<std::string> answered_calls_;  // calls that had a question
  bool begun_ = false;                    // running_ has all calls of the current round
  bool missed_ = false;                   // events were missed, so running_ may lack calls
  bool turn_ended_ = false;
  std::multimap<std::string, Json> answers_;
  bool ended_ = false;
};

}  // namespace helve::chat
