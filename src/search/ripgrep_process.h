// ripgrep as a child process whose output is read line by line.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "base/find_program.h"
#include "helve/error.h"
#include "search/grep.h"

namespace helve::search {

// Owns the child, which is killed and waited for at the end at the latest. One thread at a time.
class RipgrepProcess {
 public:
  struct Start {
    std::string program;
    std::vector<std::string> arguments;
    int directory = -1;  // where it runs
    int input = -1;      // its stdin; -1: nothing
  };
  [[nodiscard]] static Expected<RipgrepProcess> start(const Start& start);
  RipgrepProcess(RipgrepProcess&& other) noexcept;
  RipgrepProcess& operator=(RipgrepProcess&&) = delete;
  ~RipgrepProcess();

  enum class Read { kLine, kEnd, kStopped, kTooLong };
  // The next line without its break; the view is good until the next call.
  [[nodiscard]] Read next_line(std::string_view& line, const ShouldStop& should_stop);

 private:
  RipgrepProcess(pid_t pid, UniqueFd output) : pid_(pid), output_(std::move(output)) {}

  pid_t pid_;
  UniqueFd output_;
  std::string buffer_;
  std::size_t begin_ = 0;     // of the next line
  std::size_t searched_ = 0;  // there is no line break before this
};

}  // namespace helve::search
