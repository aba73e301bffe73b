// Runs ripgrep as a child process and parses the messages that it prints with --json.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "base/find_program.h"
#include "helve/error.h"
#include "search/grep.h"

namespace helve::search {

// Owns the child process; the destructor kills and reaps it. Not thread-safe.
class RipgrepProcess {
 public:
  struct Start {
    std::string program;
    std::vector<std::string> arguments;
    int directory = -1;  // working directory
    int input = -1;      // its stdin; -1: /dev/null
  };
  [[nodiscard]] static Expected<RipgrepProcess> start(const Start& start);
  RipgrepProcess(RipgrepProcess&& other) noexcept;
  RipgrepProcess& operator=(RipgrepProcess&&) = delete;
  ~RipgrepProcess();

  enum class Read { kLine, kEnd, kStopped, kTooLong };
  // Reads the next line without its line break. The view is valid until the next call.
  [[nodiscard]] Read next_line(std::string_view& line, const ShouldStop& should_stop);

 private:
  RipgrepProcess(pid_t pid, UniqueFd output) : pid_(pid), output_(std::move(output)) {}

  pid_t pid_;
  UniqueFd output_;
  std::string buffer_;
  std::size_t begin_ = 0;     // of the next line
  std::size_t searched_ = 0;  // no line break before this offset
};

struct RipgrepMessage {
  enum class Kind { kBegin, kMatch, kContext, kEnd, kSummary, kOther };

  Kind kind = Kind::kOther;
  std::string path = {};               // as raw bytes, relative to where ripgrep runs
  std::string lines = {};              // raw bytes of a match or context, with line breaks
  std::size_t line_number = 0;         // of the first line in `lines`
  std::vector<Submatch> matches = {};  // offsets in `lines`
  bool binary = false;                 // kEnd: the file is binary
};

// Returns nullopt if the line is not a ripgrep message.
[[nodiscard]] std::optional<RipgrepMessage> parse_message(std::string_view line);

}  // namespace helve::search
