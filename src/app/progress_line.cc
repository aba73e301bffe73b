#include "app/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/environment.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::app {
namespace {

constexpr std::chrono::seconds kBeforeFirst{1};
constexpr std::chrono::milliseconds kBetween{200};
constexpr std::string_view kErase = "\r\x1b[K";

bool can_show(bool quiet) {
  const std::string terminal = environment_variable("TERM");
  return !quiet && ::isatty(STDERR_FILENO) != 0 && !terminal.empty() && terminal != "dumb";
}

std::string count_text(double count) {
  return with_thousands(count > 0 ? static_cast<std::size_t>(count) : std::size_t{0});
}

}  // namespace

ProgressLine::ProgressLine(const Printer& terminal, bool quiet)
    : terminal_(terminal), shows_(can_show(quiet)) {}

void ProgressLine::begin(std::string what) {
  if (!shows_ || thread_.joinable()) return;
  what_ = std::move(what);
  begun_ = std::chrono::steady_clock::now();
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // Without the thread, nothing is shown.
  }
}

void ProgressLine::report(const Progress& progress) {
  if (!shows_) return;
  const std::lock_guard lock(mutex_);
  last_ = progress;
}

void ProgressLine::end() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  if (std::exchange(drawn_, false)) terminal_.err(kErase);
}

void ProgressLine::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, stop, kBeforeFirst, [] { return false; });
  while (!stop.stop_requested()) {
    drawn_ = true;
    terminal_.err(concat(kErase, terminal_.paint_err(Colour::kDim, text())));
    ended_.wait_for(lock, stop, kBetween, [] { return false; });
  }
}

std::string ProgressLine::text() const {
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun_);
  const auto width = static_cast<std::size_t>(std::max(terminal_.columns() - 1, 10));
  return shortened(printable_line(progress_text(what_, last_, elapsed)), width);
}

std::string progress_text(const std::string& what, const Progress& progress, std::chrono::seconds elapsed) {
  std::string text = progress.message.empty() ? what : progress.message;
  if (progress.total)
    text += concat(", ", count_text(progress.done), " of ", count_text(*progress.total));
  else if (progress.done > 0)
    text += concat(", ", count_text(progress.done));
  return concat(text, ", ", elapsed.count(), " s");
}

}  // namespace helve::app
