// The approvals that a Helve process waits for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "helve/permissions.h"

namespace helve::inbox {

struct WaitingQuestion {
  std::string id = {};
  PermissionRequest request = {};
  std::string hash = {};  // of the request: an answer names the question that was shown
  std::chrono::system_clock::time_point since = {};
};

// Thread-safe. The first answer to a question counts.
class WaitingQuestions {
 public:
  enum class Outcome {
    kTaken,
    kTooLate,  // it was answered or withdrawn before
    kUnknown,
    kOther,  // the hash is of another question
  };

  // A question on the list, until this is destroyed. Used from one thread.
  class Listed {
   public:
    Listed(WaitingQuestions& questions, const PermissionRequest& request);
    ~Listed();
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;

    // Stops when the question is answered from outside.
    [[nodiscard]] std::stop_token answered() const;
    // Waits for an answer until the time or the stop.
    [[nodiscard]] std::optional<Approval> wait(std::chrono::steady_clock::time_point until,
                                               const std::stop_token& stop) const;
    // Takes no more answers. Returns one that came before.
    [[nodiscard]] std::optional<Approval> close();

   private:
    WaitingQuestions& questions_;
    std::string id_;
  };

  [[nodiscard]] Outcome answer(std::string_view id, std::string_view hash, Approval approval);
  // Oldest first.
  [[nodiscard]] std::vector<WaitingQuestion> list() const;
  // The number of changes of the list; waits until it differs from `seen`, the time or the stop.
  [[nodiscard]] std::uint64_t wait_for_change(std::uint64_t seen, std::chrono::steady_clock::time_point until,
                                              const std::stop_token& stop) const;

 private:
  struct Open {
    WaitingQuestion question = {};
    std::optional<Approval> approval = {};
    std::stop_source answered = {};
    bool closed = false;
  };

  void change();

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::uint64_t changes_ = 1;
  std::map<std::string, std::shared_ptr<Open>, std::less<>> open_;
  std::deque<std::string> ended_;  // ids, to tell "too late" from "unknown"
};

}  // namespace helve::inbox
