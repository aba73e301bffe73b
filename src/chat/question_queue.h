// Passes approval requests and questions from the threads of a turn to the thread that draws the terminal.
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

namespace helve::chat {

// One approval request or question that waits for the user. Only the answer changes, under the queue's lock.
struct OpenQuestion {
  std::variant<PermissionRequest, Question> subject;

  [[nodiscard]] const PermissionRequest* request() const { return std::get_if<PermissionRequest>(&subject); }
  [[nodiscard]] const Question* question() const { return std::get_if<Question>(&subject); }

 private:
  friend class QuestionQueue;
  std::optional<Approval> approval_ = {};
  std::optional<Expected<Reply>> reply_ = {};
};

// Shared by the session and the terminal. Thread-safe.
class QuestionQueue final : public Approver, public Asker {
 public:
  // `wake` is called whenever current() may have changed.
  explicit QuestionQueue(std::function<void()> wake) : wake_(std::move(wake)) {}

  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;

  // The oldest unanswered question, or null.
  [[nodiscard]] std::shared_ptr<const OpenQuestion> current() const;
  void answer(const std::shared_ptr<const OpenQuestion>& open, Approval approval);
  void answer(const std::shared_ptr<const OpenQuestion>& open, Expected<Reply> reply);

 private:
  // Returns when it is answered, cancelled or out of time.
  void wait_for_answer(const std::shared_ptr<OpenQuestion>& open, const std::stop_token& stop,
                       std::chrono::steady_clock::time_point until);

  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any answered_;
  std::deque<std::shared_ptr<OpenQuestion>> waiting_;
};

}  // namespace helve::chat
