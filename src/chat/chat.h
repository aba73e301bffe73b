// A conversation between a user and an agent: turns, and slash commands in between.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "chat/agent_setup.h"
#include "chat/background_commands.h"
#include "chat/chat_view.h"
#include "chat/question_queue.h"
#include "chat/slash_commands.h"

namespace helve::chat {

// Turns run on their own thread. All functions are for the thread that draws; none waits for the model.
class Chat {
 public:
  // Both must outlive it. `wake` is called from other threads when catch_up() has work.
  Chat(AgentSetup& setup, ChatView& view, std::function<void()> wake);
  Chat(const Chat&) = delete;
  Chat& operator=(const Chat&) = delete;
  // Interrupts the running turn.
  ~Chat();

  [[nodiscard]] QuestionQueue& questions() { return *questions_; }
  [[nodiscard]] bool is_running() const { return turn_.joinable(); }
  [[nodiscard]] bool is_interrupting() const { return is_running() && stop_.stop_requested(); }
  [[nodiscard]] ChatView::Clock::time_point turn_began() const { return turn_began_; }
  [[nodiscard]] const std::deque<std::string>& queued() const { return queued_; }
  // Removes the queued messages and returns them as one text.
  [[nodiscard]] std::string take_queued();
  [[nodiscard]] std::vector<std::string> skills() const;

  // Starts a turn, or queues the message until the running turn ends.
  void say(const std::string& text);
  // Opens an earlier session and finishes its interrupted turn. An empty id is the workspace's newest
  // session.
  void resume(const std::string& id, const std::string& text = {});
  void interrupt();
  // Shows new events and, after a turn, sends the next queued message.
  void catch_up();

  void run(const SlashLine& line);
  [[nodiscard]] bool wants_to_quit() const { return wants_to_quit_; }
  // The running ones; they end with the session.
  [[nodiscard]] std::vector<BackgroundCommand> background_commands();

  // Model, mode, context, tokens and cost.
  [[nodiscard]] std::string status() const;
  // Empty before the first message.
  [[nodiscard]] std::string session_id() const { return agent_ ? agent_->id() : std::string(); }

 private:
  friend struct SlashTable;
  using Words = std::vector<std::string>;

  [[nodiscard]] AgentSetup::Responders responders() const { return {questions_, questions_}; }
  [[nodiscard]] bool begin_session(const std::string& title);
  void adopt(std::unique_ptr<agent::Agent> agent);
  void drop_agent();
  void start_turn(std::string text);  // empty: continues the interrupted turn
  void end_turn();
  void show_events();
  void show_past();
  void note_usage();

  // Calls a tool on behalf of the user: without approval.
  [[nodiscard]] Answer call(std::string tool, JsonObject arguments);
  void show_answer(const Answer& answer);
  void show_outcome(const UndoOutcome& outcome, std::string_view verb);
  void show_sessions();

  // The handlers of the slash commands (slash_commands.cc).
  void show_help(const Words& words);
  void quit(const Words& words);
  void show_status(const Words& words);
  void show_tools(const Words& words);
  void show_cost(const Words& words);
  void show_background_commands(const Words& words);
  void tail(const Words& words);
  void stop_command(const Words& words);
  void show_changes(const Words& words);
  void show_diff(const Words& words);
  void undo(const Words& words);
  void redo(const Words& words);
  void choose_mode(const Words& words);
  void choose_model(const Words& words);
  void resume_session(const Words& words);

  AgentSetup& setup_;
  ChatView& view_;
  const std::function<void()> wake_;
  std::shared_ptr<QuestionQueue> questions_;
  std::unique_ptr<agent::Agent> agent_;
  std::shared_ptr<Session> user_session_;  // for the user's own calls
  std::uint64_t seq_ = 0;                  // of the last shown event
  std::jthread follower_;                  // calls wake_ for new events
  std::stop_source stop_;                  // of the turn
  std::atomic<bool> turn_ended_ = false;
  std::optional<agent::Ending> ending_;  // of the turn that has ended
  ChatView::Clock::time_point turn_began_;
  std::deque<std::string> queued_;
  std::vector<std::string> notes_;  // for the model, sent with the user's next message
  bool wants_to_quit_ = false;
  model::Usage usage_;               // of the session
  std::int64_t context_tokens_ = 0;  // of the last reply
  std::jthread turn_;                // last: ends before everything it uses
};

}  // namespace helve::chat
