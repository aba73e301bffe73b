// The interactive chat: the prompt below the conversation, cards for approvals, keys.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/signals.h"
#include "base/file_io.h"
#include "chat/chat.h"
#include "chat/chat_view.h"
#include "chat/run_agent.h"
#include "chat/stderr_lines.h"
#include "terminal/history.h"
#include "terminal/key_reader.h"
#include "terminal/line_editor.h"
#include "terminal/screen.h"

namespace helve::chat {

// Draws only from the thread that calls run(). On a terminal that cannot move its cursor (TERM=dumb) it
// prints and reads whole lines.
class ChatTerminal {
 public:
  // Both references must outlive it.
  ChatTerminal(AgentSetup& setup, const app::ResizeSignals& resizes, std::stop_token interrupted);

  // Runs until the user quits; returns the exit code.
  [[nodiscard]] int run(const AgentOptions& options);

 private:
  using Clock = ChatView::Clock;

  void greet();
  void begin(const AgentOptions& options);
  // Waits once and handles what happened. False when the input has ended.
  bool wait_once();
  [[nodiscard]] int poll_timeout() const;
  bool read_input();
  void take_keys(const std::vector<terminal::Key>& keys);
  void take_line(const std::string& line);

  void press(const terminal::Key& key);
  void press_prompt(const terminal::Key& key);
  void press_card(const terminal::Key& key);
  void press_question(const terminal::Key& key);
  void submit(const std::string& text);
  void interrupt();
  void quit();
  // False when no background command is running.
  [[nodiscard]] bool warn_about_commands();
  void suspend();

  // Shows the current question when it changes.
  void update_question();
  void answer(Approval approval, std::string_view words);
  void answer_question(std::string_view line);
  void show_whole_card();

  void draw();
  void draw_prompt();  // for line mode
  [[nodiscard]] terminal::Line prompt_line() const;

  AgentSetup& setup_;
  const app::ResizeSignals& resizes_;
  const std::stop_token interrupted_;
  UniqueFd wake_;
  terminal::Screen screen_;
  ChatView view_;
  StderrLines stderr_;
  std::optional<terminal::RawMode> raw_;
  terminal::History history_;
  terminal::KeyReader keys_;
  terminal::LineEditor editor_;
  terminal::LineEditor answer_editor_;  // for reasons and answers
  std::string typed_;                   // line mode: the unfinished line
  std::shared_ptr<const OpenQuestion> open_;
  bool giving_reason_ = false;
  bool prompted_ = false;   // line mode: the prompt is shown
  bool quit_next_ = false;  // the next Ctrl-C or Ctrl-D quits
  bool done_ = false;
  Clock::time_point last_typed_;         // at the prompt
  Clock::time_point ignore_keys_until_;  // keys typed before the card was seen
  std::unique_ptr<Chat> chat_;           // last: destroyed first
};

}  // namespace helve::chat
