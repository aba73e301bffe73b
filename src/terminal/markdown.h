// Renders streamed Markdown as lines for a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terminal/line.h"

namespace helve::terminal {

// Finished lines never change. Not thread-safe.
class MarkdownStream {
 public:
  struct Look {
    bool styles = true;        // otherwise the Markdown marks stay
    std::size_t columns = 80;  // wider tables are not laid out
  };
  explicit MarkdownStream(Look look) : look_(look) {}

  // Returns the lines that this text completes.
  [[nodiscard]] std::vector<Line> feed(std::string_view text);
  // Returns the remaining lines and resets the stream.
  [[nodiscard]] std::vector<Line> finish();
  // A preview of the unfinished lines.
  [[nodiscard]] std::vector<Line> pending() const;
  [[nodiscard]] bool empty() const { return unfinished_.empty() && table_.empty() && !began_; }

 private:
  void take(std::string_view source, std::vector<Line>& lines);
  bool take_fence(std::string_view source, std::vector<Line>& lines);
  void take_text(std::string_view source, std::vector<Line>& lines);
  void end_table(std::vector<Line>& lines);
  [[nodiscard]] std::vector<Line> table_lines() const;
  [[nodiscard]] Line code_line(std::string_view source) const;
  [[nodiscard]] Line text_line(std::string_view source) const;

  Look look_;
  std::string unfinished_;  // the last line
  bool began_ = false;      // there was text before, so empty lines count
  bool blank_ = false;      // the last line was empty
  std::string fence_;       // the mark that ends the code block; empty outside of one
  std::string language_;
  std::string code_;  // of this block so far
  std::vector<std::string> table_;
};

}  // namespace helve::terminal
