// Approvals and questions for a program that drives `helve agent --json --answers`: asked by events, answered
// by lines of JSON on stdin.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "helve/events.h"
#include "helve/permissions.h"
#include "helve/questions.h"

namespace helve::cli {

// {"tool_call_id": "…", "granted": true, "scope": "once|session|always"}
// {"tool_call_id": "…", "granted": false, "reason": "…"}
// {"tool_call_id": "…", "answers": ["…"]}
// A line that is none of these, or answers nothing that is asked, is an error in the events, and what was
// asked stays open. May be used from all threads. After the end of stdin nobody is there.
class LinePeople final : public Approver, public Asker {
 public:
  explicit LinePeople(int fd) : fd_(fd) {}

  // Reads until the thread is asked to stop. Before the first question; the events must outlive the thread.
  [[nodiscard]] std::jthread listen(EventStream& events);

  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;

 private:
  void read_lines(const std::stop_token& done);
  void take(std::string_view line);
  // What `read` makes of the first answer that it can make something of; none when nobody answers any more.
  template <class Read>
  [[nodiscard]] auto first_good_answer(const std::string& call_id, const std::stop_token& stop, Read read)
      -> std::optional<typename decltype(read(Json()))::value_type>;
  void look_at_events();
  void look_at(const ToolEvent& call);
  void look_at(const TextEvent& text);
  [[nodiscard]] bool may_be_wanted(const std::string& call_id) const;
  void refuse_strangers();
  void complain(std::string message, std::string hint);

  const int fd_;
  EventStream* events_ = nullptr;
  std::mutex mutex_;  // for what follows
  std::condition_variable_any answered_;
  std::uint64_t seen_ = 0;           // the last event that was looked at
  std::set<std::string> under_way_;  // calls
  // Those of them with an open question, once for each. A question is told before it is asked.
  std::multiset<std::string> told_;
  std::multiset<std::string> asking_;
  std::set<std::string> asked_;  // those that had a question
  bool begun_ = false;           // all calls that could ask have been told
  bool missed_ = false;          // events, so that calls may be under way that are not known here
  bool over_ = false;            // the turn
  std::multimap<std::string, Json> answers_;
  bool ended_ = false;
};

}  // namespace helve::cli
