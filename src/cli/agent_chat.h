// A person and an agent: turn after turn, with commands in between.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "cli/agent_commands.h"
#include "cli/agent_setup.h"
#include "cli/agent_view.h"
#include "cli/background_commands.h"
#include "cli/terminal_people.h"

namespace helve::cli {

// A turn runs on a thread of its own; all functions are for the thread that draws, and none waits for a
// model.
class AgentChat {
 public:
  // Both must outlive it. `wake` is called from other threads when there is something to catch up with.
  AgentChat(AgentSetup& setup, AgentView& view, std::function<void()> wake);
  AgentChat(const AgentChat&) = delete;
  AgentChat& operator=(const AgentChat&) = delete;
  // Interrupts the turn.
  ~AgentChat();

  [[nodiscard]] TerminalPeople& people() { return *people_; }
  [[nodiscard]] bool is_running() const { return turn_.joinable(); }
  [[nodiscard]] bool is_interrupting() const { return is_running() && stop_.stop_requested(); }
  [[nodiscard]] AgentView::Clock::time_point turn_began() const { return turn_began_; }
  [[nodiscard]] const std::deque<std::string>& queued() const { return queued_; }
  // What was queued; it is not said then.
  [[nodiscard]] std::string take_queued();
  [[nodiscard]] std::vector<std::string> skills() const;

  // Begins a turn with it, or says it when the turn that runs is through.
  void say(const std::string& text);
  // An earlier session; an empty id is the newest of the workspace. What it left unfinished is finished.
  void resume(const std::string& id, const std::string& text = {});
  void interrupt();
  // Shows what happened since, and goes on with what is queued.
  void catch_up();

  void run(const SlashLine& line);
  [[nodiscard]] bool wants_to_leave() const { return wants_to_leave_; }
  // Those that run and would end with the session.
  [[nodiscard]] std::vector<BackgroundCommand> background_commands();

  // Model, mode, context, tokens and cost.
  [[nodiscard]] std::string status() const;
  // Empty before anything was said.
  [[nodiscard]] std::string session_id() const { return agent_ ? agent_->id() : std::string(); }

 private:
  [[nodiscard]] AgentSetup::People people_of() const { return {people_, people_}; }
  [[nodiscard]] bool begin_session(const std::string& title);
  void adopt(std::unique_ptr<agent::Agent> agent);
  void drop_agent();
  void start_turn(std::string text);  // empty: goes on
  void end_turn();
  void show_events();
  void show_past();
  void note_usage();

  // As the person, who needs no leave.
  [[nodiscard]] Answer call(std::string tool, JsonObject arguments);
  void show_answer(const Answer& answer);
  void show_help();
  void show_tools();
  void show_cost();
  void show_sessions();
  void tail(const std::vector<std::string>& words);
  void stop_command(const std::vector<std::string>& words);
  void undo(const std::vector<std::string>& words);
  void redo();
  void choose_mode(const std::vector<std::string>& words);
  void choose_model(const std::vector<std::string>& words);

  AgentSetup& setup_;
  AgentView& view_;
  const std::function<void()> wake_;
  std::shared_ptr<TerminalPeople> people_;
  std::unique_ptr<agent::Agent> agent_;
  std::shared_ptr<Session> person_;  // for the person's own calls
  std::uint64_t seq_ = 0;            // of the last event that was shown
  std::jthread follower_;            // wakes when there are events
  std::stop_source stop_;            // of the turn
  std::atomic<bool> turn_ended_ = false;
  std::optional<agent::Ending> ending_;  // of the turn that has ended
  AgentView::Clock::time_point turn_began_;
  std::deque<std::string> queued_;
  std::vector<std::string> notes_;  // what the model has to be told with the next words of the person
  bool wants_to_leave_ = false;
  model::Usage usage_;               // of the session
  std::int64_t context_tokens_ = 0;  // of the last reply
  std::jthread turn_;                // ends before everything that it uses
};

}  // namespace helve::cli
