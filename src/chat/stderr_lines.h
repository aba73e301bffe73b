// Collects stderr line by line while the terminal is drawn.
#pragma once

#include <string>
#include <vector>

#include "base/file_io.h"

namespace helve::chat {

// Replaces stderr while it exists. Any thread may write to stderr; the functions are for one thread.
class StderrLines {
 public:
  StderrLines();
  StderrLines(const StderrLines&) = delete;
  StderrLines& operator=(const StderrLines&) = delete;
  // Restores stderr and writes the lines that were not taken.
  ~StderrLines();

  // Readable when there is output; -1 if stderr is not a terminal.
  [[nodiscard]] int fd() const { return read_.get(); }
  // The complete lines since the last call.
  [[nodiscard]] std::vector<std::string> take();

 private:
  UniqueFd before_;
  UniqueFd read_;
  std::string pending_;
};

}  // namespace helve::chat
