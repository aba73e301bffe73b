// Cuts a stream of bytes into lines, of which none may be too long.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace helve::gateway {

// Used by one thread. The memory it takes is bounded by the longest line.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t longest) : longest_(longest) {}

  // A line comes without its end (LF or CRLF); of one that is too long, only that it was.
  void feed(std::string_view bytes, const std::function<void(std::string_view line)>& on_line,
            const std::function<void()>& on_long_line) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view piece = bytes.substr(0, end);
      if (!skips_ && line_.size() + piece.size() > longest_) {
        skips_ = true;
        line_ = std::string();  // its memory too
        on_long_line();
      }
      if (end == std::string_view::npos) {
        if (!skips_) line_ += piece;
        return;
      }
      if (!skips_) hand_on(piece, on_line);
      skips_ = false;
      bytes.remove_prefix(end + 1);
    }
  }

 private:
  void hand_on(std::string_view piece, const std::function<void(std::string_view)>& on_line) {
    std::string_view line = piece;
    if (!line_.empty()) {
      line_ += piece;
      line = line_;
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    on_line(line);
    line_.clear();
  }

  const std::size_t longest_;
  std::string line_;
  bool skips_ = false;
};

}  // namespace helve::gateway
