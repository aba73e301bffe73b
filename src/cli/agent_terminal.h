// The agent at a terminal: a prompt below what was said and done, cards to decide on, keys that interrupt.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/file_io.h"
#include "cli/agent_chat.h"
#include "cli/agent_run.h"
#include "cli/agent_view.h"
#include "cli/resize_signals.h"
#include "cli/stderr_lines.h"
#include "terminal/history.h"
#include "terminal/keys.h"
#include "terminal/line_editor.h"
#include "terminal/raw_mode.h"
#include "terminal/screen.h"

namespace helve::cli {

// Draws from one thread, the one that calls run(). A terminal that cannot move its cursor (TERM=dumb) gets
// lines and is asked for lines.
class AgentTerminal {
 public:
  // All must outlive it.
  AgentTerminal(AgentSetup& setup, const ResizeSignals& resizes, std::stop_token interrupted);

  // Until the person leaves; returns the exit code.
  [[nodiscard]] int run(const AgentOrder& order);

 private:
  using Clock = AgentView::Clock;

  void greet();
  void begin(const AgentOrder& order);
  // One wait and what came of it. False when the input has ended.
  bool turn_once();
  [[nodiscard]] int patience() const;
  bool read_input();
  void take_keys(const std::vector<terminal::Key>& keys);
  void take_line(const std::string& line);

  void press(const terminal::Key& key);
  void press_prompt(const terminal::Key& key);
  void press_card(const terminal::Key& key);
  void press_question(const terminal::Key& key);
  void submit(const std::string& text);
  void interrupt();
  void leave();
  // False when there is nothing to warn of.
  [[nodiscard]] bool warn_of_commands();
  void suspend();

  // Shows what is asked when it changes.
  void look_for_questions();
  void answer(Approval approval, std::string_view words);
  void answer_question(std::string_view line);
  void show_whole_card();

  void draw();
  void draw_prompt();  // on a terminal that cannot move
  [[nodiscard]] terminal::Line prompt_line() const;

  AgentSetup& setup_;
  const ResizeSignals& resizes_;
  const std::stop_token interrupted_;
  UniqueFd wake_;
  terminal::Screen screen_;
  AgentView view_;
  StderrLines stderr_;
  std::optional<terminal::RawMode> raw_;
  terminal::History history_;
  terminal::KeyReader keys_;
  terminal::LineEditor editor_;
  terminal::LineEditor answer_editor_;  // for reasons and answers
  std::string typed_;                   // an unfinished line, where lines are asked for
  std::shared_ptr<const Asked> asked_;
  bool giving_reason_ = false;
  bool prompted_ = false;    // the prompt is there, where it cannot be drawn again
  bool leave_next_ = false;  // the next Ctrl-C or Ctrl-D leaves
  bool left_ = false;
  Clock::time_point last_typed_;     // at the prompt
  Clock::time_point deaf_until_;     // to keys that were meant for something else
  std::unique_ptr<AgentChat> chat_;  // ends first
};

}  // namespace helve::cli
