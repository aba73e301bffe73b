// Shows on one line of the terminal what a long command does, how far it is and how long it takes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "app/printer.h"
#include "helve/context.h"

namespace helve::app {

// Writes to stderr after a second, and erases the line when it ends. Shows nothing if stderr is not a
// terminal, with TERM=dumb, and with --quiet. All functions may be called from all threads; the printer must
// outlive it.
class ProgressLine {
 public:
  ProgressLine(const Printer& terminal, bool quiet);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { end(); }

  // Starts to measure the time. `what` is shown until there is a report with a message.
  void begin(std::string what);
  void report(const Progress& progress);
  // Erases the line. Nothing is shown afterwards.
  void end();

 private:
  void run(const std::stop_token& stop);
  [[nodiscard]] std::string text() const;

  const Printer& terminal_;
  const bool shows_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::string what_;
  Progress last_;
  std::chrono::steady_clock::time_point begun_;
  bool drawn_ = false;
  std::jthread thread_;
};

// "Reading symbols, 1,200 of 5,000, 3 s"
[[nodiscard]] std::string progress_text(const std::string& what, const Progress& progress,
                                        std::chrono::seconds elapsed);

}  // namespace helve::app
