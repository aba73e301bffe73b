#include "inbox/question_feed.h"

#include <set>
#include <utility>

#include "base/threads.h"

namespace helve::inbox {

QuestionFeed::QuestionFeed(const OtherInboxes& inboxes, Handlers handlers)
    : inboxes_(inboxes), handlers_(std::move(handlers)) {
  watch_ = std::make_unique<PathWatch>(
      PathWatch::Parts{.paths = [this] { return std::vector<std::string>{inboxes_.directory()}; },
                       .on_change = [this] { find_processes(); }});
}

QuestionFeed::~QuestionFeed() { watch_.reset(); }

void QuestionFeed::find_processes() {
  const std::lock_guard lock(mutex_);
  std::erase_if(followed_, [](const auto& each) { return each.second->over.load(); });
  for (const std::string& socket : inboxes_.sockets()) {
    if (followed_.contains(socket)) continue;
    auto followed = std::make_unique<Followed>();
    Followed& its = *followed;
    if (try_start_thread(its.thread, [this, socket, &its](const std::stop_token& stop) {
          follow(socket, stop);
          its.over = true;
        }))
      followed_.emplace(socket, std::move(followed));
  }
}

void QuestionFeed::follow(const std::string& socket, const std::stop_token& stop) const {
  std::set<std::string> shown;
  for (std::uint64_t changes = 0; !stop.stop_requested();) {
    const auto process = inboxes_.next(socket, changes, stop);
    if (!process) break;
    changes = process->changes;
    std::set<std::string> open;
    for (const WaitingQuestion& question : process->questions) {
      open.insert(question.id);
      if (shown.insert(question.id).second) handlers_.on_asked(*process, question);
    }
    std::erase_if(shown, [&](const std::string& id) {
      if (open.contains(id)) return false;
      handlers_.on_settled(id);
      return true;
    });
  }
  for (const std::string& id : shown) handlers_.on_settled(id);
}

}  // namespace helve::inbox
