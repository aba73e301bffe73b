#include "chat/stderr_lines.h"

#include <fcntl.h>
#include <unistd.h>

namespace helve::chat {

StderrLines::StderrLines() {
  int ends[2];
  // Only output to the terminal has to be collected. Neither end blocks: writers must not wait for the
  // screen, and what does not fit into the pipe is lost.
  if (::isatty(STDERR_FILENO) == 0 || ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  read_ = UniqueFd(ends[0]);
  const UniqueFd write(ends[1]);
  before_ = UniqueFd(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
  ::dup2(write.get(), STDERR_FILENO);
}

StderrLines::~StderrLines() {
  if (!before_) return;
  ::dup2(before_.get(), STDERR_FILENO);
  std::string rest;
  for (const std::string& line : take()) rest += line + "\n";
  rest += pending_;
  [[maybe_unused]] const auto written = write_all(STDERR_FILENO, rest);
}

std::vector<std::string> StderrLines::take() {
  char piece[4096];
  for (ssize_t count = ::read(read_.get(), piece, sizeof piece); count > 0;
       count = ::read(read_.get(), piece, sizeof piece))
    pending_.append(piece, static_cast<std::size_t>(count));
  std::vector<std::string> lines;
  for (std::size_t end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
    lines.push_back(pending_.substr(0, end));
    pending_.erase(0, end + 1);
  }
  return lines;
}

}  // namespace helve::chat
