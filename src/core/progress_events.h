// Turns a tool's progress into events of the session, not more than a few a second.
#pragma once

#include <functional>
#include <mutex>

#include "core/passage.h"

namespace helve {

// Owns all it uses, because a tool that was left behind may go on reporting. Also calls the caller's own
// callback.
[[nodiscard]] std::function<void(const Progress&)> progress_events(const Passage& passage);

// The same, made when the first report comes, since most calls report nothing. Lives as long as the call
// does; may be used from all threads.
class ProgressOnDemand {
 public:
  explicit ProgressOnDemand(const Passage& passage) : passage_(passage) {}

  void report(const Progress& progress) {
    std::call_once(made_, [&] { events_ = progress_events(passage_); });
    events_(progress);
  }

 private:
  const Passage& passage_;
  std::once_flag made_;
  std::function<void(const Progress&)> events_;
};

}  // namespace helve
