// Markdown as it comes in, word by word, as lines for a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terminal/line.h"

namespace helve::terminal {

// Line by line: what is finished never changes again. For one thread.
class MarkdownStream {
 public:
  struct Look {
    bool styles = true;        // otherwise headings, emphasis and code keep their marks
    std::size_t columns = 80;  // tables that are wider stay as they were written
  };
  explicit MarkdownStream(Look look) : look_(look) {}

  // The lines that are finished by it.
  [[nodiscard]] std::vector<Line> feed(std::string_view text);
  // What was not finished yet; then everything begins anew.
  [[nodiscard]] std::vector<Line> finish();
  // The same as it looks by now, without finishing it.
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
  bool began_ = false;      // something was said, so that an empty line means something
  bool blank_ = false;      // the last line was empty
  std::string fence_;       // that ends the code; empty: no code
  std::string language_;
  std::string code_;  // of this fence, so far
  std::vector<std::string> table_;
};

}  // namespace helve::terminal
