// A multi-line text editor: takes keys, returns the text and its rows on the screen.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/key_reader.h"
#include "terminal/line.h"

namespace helve::terminal {

// Independent of files and terminals. Not thread-safe.
class LineEditor {
 public:
  enum class Outcome {
    kNothing,
    kChanged,    // must be redrawn
    kSubmitted,  // take() returns the text
    kInterrupt,  // Ctrl-C on an empty line
    kLeave,      // Ctrl-D on an empty line
  };

  // Candidates for Tab completion. They replace all text before the cursor.
  using Completer = std::function<std::vector<std::string>(std::string_view text)>;

  explicit LineEditor(Completer completer = {}) : completer_(std::move(completer)) {}

  [[nodiscard]] Outcome press(const Key& key);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t cursor() const { return cursor_; }  // in bytes
  void set_text(std::string text);
  // Returns the text and clears the editor.
  [[nodiscard]] std::string take();

  // Oldest first. Submitted text is not added automatically.
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
  std::size_t place_ = 0;  // in the history; its size means the draft
  std::string draft_;      // the text before the history was opened
  bool searching_ = false;
  std::string sought_;
};

}  // namespace helve::terminal
