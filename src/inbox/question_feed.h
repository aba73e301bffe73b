// Follows the questions of all Helve processes of the user.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/path_watch.h"
#include "inbox/other_inboxes.h"

namespace helve::inbox {

// Follows until it is destroyed. The inboxes must outlive it.
class QuestionFeed {
 public:
  // Called from several threads; one at a time for each question.
  struct Handlers {
    std::function<void(const AskingProcess& process, const WaitingQuestion& question)> on_asked = {};
    std::function<void(const std::string& id)> on_settled = {};  // answered, withdrawn or without a process
  };

  QuestionFeed(const OtherInboxes& inboxes, Handlers handlers);
  ~QuestionFeed();
  QuestionFeed(const QuestionFeed&) = delete;
  QuestionFeed& operator=(const QuestionFeed&) = delete;

 private:
  void find_processes();
  void follow(const std::string& socket, const std::stop_token& stop) const;

  const OtherInboxes& inboxes_;
  const Handlers handlers_;
  std::mutex mutex_;
  struct Followed {
    std::atomic<bool> over = false;
    std::jthread thread = {};
  };
  std::map<std::string, std::unique_ptr<Followed>> followed_;  // by socket
  std::unique_ptr<PathWatch> watch_;
};

}  // namespace helve::inbox
