// The text that a person is typing: keys go in, the text and how it looks on the screen come out.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/keys.h"
#include "terminal/line.h"

namespace helve::terminal {

// Knows nothing of files and terminals. For one thread.
class LineEditor {
 public:
  enum class Outcome {
    kNothing,
    kChanged,    // draw it again
    kSubmitted,  // take() has what the person said
    kInterrupt,  // Ctrl-C on an empty line
    kLeave,      // Ctrl-D on an empty line
  };

  // What Tab may make of the text before the cursor; candidates replace all of it.
  using Completer = std::function<std::vector<std::string>(std::string_view text)>;

  explicit LineEditor(Completer completer = {}) : completer_(std::move(completer)) {}

  [[nodiscard]] Outcome press(const Key& key);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t cursor() const { return cursor_; }  // in bytes
  void set_text(std::string text);
  // The text; the editor is empty after it.
  [[nodiscard]] std::string take();

  // Oldest first. What is submitted is not added by itself.
  void set_history(std::vector<std::string> history);
  void remember(const std::string& text);

  struct View {
    std::vector<Line> rows = {};
    std::size_t cursor_row = 0;
    std::size_t cursor_column = 0;
  };
  // At most `most_rows` rows around the cursor, each narrower than `columns`.
  [[nodiscard]] View view(const Line& prompt, std::size_t columns, std::size_t most_rows) const;

 private:
  Outcome edit(const Key& key);
  Outcome insert(std::string_view text);
  Outcome erase(std::size_t begin, std::size_t end, bool keep);
  Outcome move_to(std::size_t at);
  Outcome move_row(bool up);
  Outcome complete();
  Outcome recall(bool older);
  Outcome search(const Key& key);
  void find_older(std::size_t before);
  [[nodiscard]] std::size_t line_start() const;
  [[nodiscard]] std::size_t line_end() const;
  [[nodiscard]] std::size_t word_left() const;
  [[nodiscard]] std::size_t word_right() const;

  Completer completer_;
  std::string text_;
  std::size_t cursor_ = 0;
  std::string erased_;  // for Ctrl-Y
  std::vector<std::string> history_;
  std::size_t place_ = 0;  // in the history; its size: the draft
  std::string draft_;      // what was being typed before the history was looked at
  bool searching_ = false;
  std::string sought_;
};

}  // namespace helve::terminal
