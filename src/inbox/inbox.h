// Where other processes of the user find the questions of this one, and answer them.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/file_io.h"
#include "helve/log.h"
#include "http/server.h"
#include "inbox/waiting_questions.h"

namespace helve::inbox {

// About this process, for the user.
struct Asking {
  std::string program = {};    // "helve mcp"
  std::string workspace = {};  // empty: each question says its own
};

// Serves the questions at a socket in a private directory, from the first question on. Thread-safe. Owned by
// the program; outlives the sessions.
class Inbox {
 public:
  // The logger must outlive it.
  Inbox(std::string directory, Asking asking, Logger& logger)
      : directory_(std::move(directory)), asking_(std::move(asking)), logger_(logger) {}

  [[nodiscard]] WaitingQuestions& questions() { return questions_; }
  // Makes the questions visible. Logs a warning, once, if that is impossible.
  void open();
  // Whether a process watches for questions; see WatchMark.
  [[nodiscard]] bool is_watched() const;

 private:
  void serve(http::Exchange& exchange);
  void list(http::Exchange& exchange);
  void answer(http::Exchange& exchange, std::string_view id);

  const std::string directory_;
  const Asking asking_;
  Logger& logger_;
  WaitingQuestions questions_;
  std::mutex opening_;
  bool tried_ = false;
  std::unique_ptr<http::Server> server_;  // ends before the questions
};

// Shows the processes that ask that someone is looking, until it is destroyed or the process ends.
class WatchMark {
 public:
  [[nodiscard]] static Expected<WatchMark> set(const std::string& directory);
  WatchMark(WatchMark&&) noexcept = default;
  WatchMark& operator=(WatchMark&&) = delete;
  ~WatchMark();

 private:
  explicit WatchMark(LifeMark mark) : mark_(std::move(mark)) {}

  LifeMark mark_;
};

}  // namespace helve::inbox
