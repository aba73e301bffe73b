// Renders an agent's events for the terminal: text, calls, diffs, notes and cards.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "helve/events.h"
#include "terminal/markdown.h"
#include "terminal/screen.h"

namespace helve::chat {

// The most telling argument of a call: "src/add.py", "npm test", "\"add\" in src".
[[nodiscard]] std::string call_subject(std::string_view tool, std::string_view params);

// "0.3 s", "12 s", "3:05"
[[nodiscard]] std::string duration_text(std::chrono::milliseconds time);

// One line for a running call.
[[nodiscard]] terminal::Line running_line(std::string_view spinner, std::string_view tool,
                                          std::string_view subject, std::chrono::milliseconds time,
                                          std::size_t columns);
// One line for a finished call; `event` is of kind end or error.
[[nodiscard]] terminal::Line ended_line(const ToolEvent& event, std::string_view subject,
                                        std::size_t columns);

// Finished output is printed to the screen at once; unfinished output comes from rows(). Only for the thread
// that draws.
class ChatView {
 public:
  using Clock = std::chrono::steady_clock;

  // The screen must outlive it.
  explicit ChatView(terminal::Screen& screen);

  // The user's message.
  void show_user_text(std::string_view text);
  // Lines from Helve itself.
  void show(const std::vector<terminal::Line>& lines);
  void show(const terminal::Line& line) { show(std::vector{line}); }
  void show_note(std::string_view text);
  // A question, and below it the user's decision.
  void show_card(const std::vector<terminal::Line>& lines);
  void show_decision(const terminal::Line& line);
  void show_problem(const Error& error);

  void take(const Event& event);
  // Finishes everything that is still open.
  void end_turn();
  // The approval card already showed this call's diff; do not show it again.
  void note_shown_change(const std::string& call_id) { shown_changes_.insert(call_id); }
  // The whole result of the last call.
  void show_last_result();

  // The live area: unfinished text and running calls, at most `most` rows.
  [[nodiscard]] std::vector<terminal::Line> rows(Clock::time_point now, std::size_t most) const;
  // The frame for this moment; ten per second.
  [[nodiscard]] static std::string_view spinner(Clock::time_point now);

 private:
  struct RunningCall {
    std::string id = {};
    std::string tool = {};
    std::string subject = {};
    Clock::time_point began = {};
    std::string last_line = {};
    bool running = false;  // false while its approval is pending
  };
  struct LastResult {
    std::string title = {};
    std::string text = {};
    bool is_diff = false;
  };
  enum class Block { kNothing, kText, kCalls, kUser, kNote, kCard };

  void take_text(const TextEvent& event);
  void take_call(const ToolEvent& event);
  void end_call(const ToolEvent& event);
  void end_reasoning();
  void end_text();
  // Puts an empty line between different kinds of blocks.
  void print(Block block, const std::vector<terminal::Line>& lines);
  [[nodiscard]] RunningCall* find(const std::string& id);
  [[nodiscard]] terminal::MarkdownStream::Look look() const;

  terminal::Screen& screen_;
  terminal::MarkdownStream text_;
  bool replied_ = false;  // the current reply has text
  std::string reasoning_;
  std::vector<RunningCall> calls_;
  std::set<std::string> shown_changes_;
  LastResult last_;
  Block block_ = Block::kNothing;
  bool ends_empty_ = false;  // the last printed line is empty
};

}  // namespace helve::chat
