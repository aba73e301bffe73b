// Shows a person what an agent does, from its events alone.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "helve/events.h"
#include "terminal/markdown.h"
#include "terminal/screen.h"

namespace helve::cli {

// What is finished goes to the screen at once, what is not comes with rows(). For the thread that draws.
class AgentView {
 public:
  using Clock = std::chrono::steady_clock;

  // The screen must outlive it.
  explicit AgentView(terminal::Screen& screen);

  // What the person said, as it stays on the screen.
  void show_said(std::string_view text);
  // Lines of Helve's own.
  void show(const std::vector<terminal::Line>& lines);
  void show(const terminal::Line& line) { show(std::vector{line}); }
  void show_note(std::string_view text);
  // What is asked, and below it what the person decided.
  void show_card(const std::vector<terminal::Line>& lines);
  void show_decision(const terminal::Line& line);
  void show_problem(const Error& error);

  void take(const Event& event);
  // What was going on is over, in whatever way.
  void end_turn();
  // The change that this call makes was shown before it was made.
  void note_shown_change(const std::string& call_id) { shown_changes_.insert(call_id); }
  // The result of the last call, whole.
  void show_last_result();

  // What goes on, for the live area: text that is not finished, calls that run; at most so many rows.
  [[nodiscard]] std::vector<terminal::Line> rows(Clock::time_point now, std::size_t most) const;
  // A sign of life, another one every tenth of a second.
  [[nodiscard]] static std::string_view spinner(Clock::time_point now);

 private:
  struct RunningCall {
    std::string id = {};
    std::string tool = {};
    std::string subject = {};
    Clock::time_point began = {};
    std::string last_line = {};
    bool running = false;  // not only decided about
  };
  struct LastResult {
    std::string title = {};
    std::string text = {};
    bool is_diff = false;
  };
  enum class Block { kNothing, kText, kCalls, kSaid, kNote, kCard };

  void take_text(const TextEvent& event);
  void take_call(const ToolEvent& event);
  void end_call(const ToolEvent& event);
  void end_reasoning();
  void end_text();
  // Prints, with an empty line between things of different kinds.
  void print(Block block, const std::vector<terminal::Line>& lines);
  [[nodiscard]] RunningCall* find(const std::string& id);
  [[nodiscard]] terminal::MarkdownStream::Look look() const;

  terminal::Screen& screen_;
  terminal::MarkdownStream text_;
  bool spoke_ = false;  // since the model was asked
  std::string reasoning_;
  std::vector<RunningCall> calls_;
  std::set<std::string> shown_changes_;
  LastResult last_;
  Block block_ = Block::kNothing;
  bool ends_empty_ = false;  // what was printed last is an empty line
};

}  // namespace helve::cli
