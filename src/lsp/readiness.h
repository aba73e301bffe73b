// Follows what a server says about its own work, to know whether its answers are complete.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

#include "lsp/connection.h"

namespace helve::lsp {

// Owned by a server; may be used from all threads.
class Readiness {
 public:
  // `$/progress` and its kin.
  void begin(const std::string& token, std::string title);
  void end(const std::string& token);
  // Something was told that may make it work: it gets this long to say so.
  void expect_work(std::chrono::milliseconds time);

  // True when it is not at work.
  [[nodiscard]] bool wait(const Patience& patience);
  [[nodiscard]] bool is_busy() const;
  [[nodiscard]] std::string work() const;  // "Indexing"; empty when it is not at work

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::string> works_;
  Clock::time_point quiet_from_ = {};  // before this, silence means nothing
};

}  // namespace helve::lsp
