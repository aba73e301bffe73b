// What would be written to stderr, line by line, while something else is drawn on the terminal.
#pragma once

#include <string>
#include <vector>

#include "base/file_io.h"

namespace helve::cli {

// Takes the place of stderr until it goes. For one thread, but for the writers.
class StderrLines {
 public:
  StderrLines();
  StderrLines(const StderrLines&) = delete;
  StderrLines& operator=(const StderrLines&) = delete;
  // What was not taken is written then.
  ~StderrLines();

  // Readable when there is something; -1 when stderr was left alone.
  [[nodiscard]] int fd() const { return read_.get(); }
  // Whole lines that came since.
  [[nodiscard]] std::vector<std::string> take();

 private:
  UniqueFd before_;
  UniqueFd read_;
  std::string pending_;
};

}  // namespace helve::cli
