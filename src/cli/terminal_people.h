// Brings approvals and questions from the threads of a turn to the one that draws the terminal.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "helve/permissions.h"
#include "helve/questions.h"

namespace helve::cli {

// Something that a person is asked. Its members but the answer do not change.
struct Asked {
  std::variant<PermissionRequest, Question> what;

  [[nodiscard]] const PermissionRequest* request() const { return std::get_if<PermissionRequest>(&what); }
  [[nodiscard]] const Question* question() const { return std::get_if<Question>(&what); }

 private:
  friend class TerminalPeople;
  std::optional<Approval> approval_ = {};
  std::optional<Expected<Reply>> reply_ = {};
};

// Shared by the session and the terminal; may be used from all threads.
class TerminalPeople final : public Approver, public Asker {
 public:
  // `wake` is called when there is something new to ask, or something no longer.
  explicit TerminalPeople(std::function<void()> wake) : wake_(std::move(wake)) {}

  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;

  // What the person should see now; one thing at a time, in the order in which it came.
  [[nodiscard]] std::shared_ptr<const Asked> current() const;
  void answer(const std::shared_ptr<const Asked>& asked, Approval approval);
  void answer(const std::shared_ptr<const Asked>& asked, Expected<Reply> reply);

 private:
  // Until it is answered, withdrawn or too late.
  void wait_for_answer(const std::shared_ptr<Asked>& asked, const std::stop_token& stop,
                       std::chrono::steady_clock::time_point until);

  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any answered_;
  std::deque<std::shared_ptr<Asked>> waiting_;
};

}  // namespace helve::cli
