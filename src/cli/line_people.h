// Approvals and questions for a program that drives `helve agent --json --answers`: asked by events, answered
// by lines of JSON on stdin.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "helve/permissions.h"
#include "helve/questions.h"

namespace helve::cli {

// {"tool_call_id": "…", "granted": true, "scope": "once|session|always"}
// {"tool_call_id": "…", "granted": false, "reason": "…"}
// {"tool_call_id": "…", "answers": ["…"]}
// May be used from all threads. After the end of stdin nobody is there.
class LinePeople final : public Approver, public Asker {
 public:
  explicit LinePeople(int fd);
  LinePeople(const LinePeople&) = delete;
  LinePeople& operator=(const LinePeople&) = delete;
  ~LinePeople() override;

  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;

 private:
  void read_lines(const std::stop_token& done);
  void take(std::string_view line);
  // Null when nobody answers any more.
  [[nodiscard]] Json wait_for(const std::string& call_id, const std::stop_token& stop);

  const int fd_;
  std::mutex mutex_;
  std::condition_variable_any answered_;
  std::map<std::string, Json> answers_;
  bool ended_ = false;
  std::jthread reader_;
};

}  // namespace helve::cli
