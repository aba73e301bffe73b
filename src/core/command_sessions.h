// The commands of one session: started by exec, looked after by process.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/command_plan.h"
#include "core/live_output.h"
#include "core/unsettled_commands.h"
#include "helve/context.h"
#include "process/sessions.h"
#include "repository/settle.h"

namespace helve {

// What is known about a command besides what process::Session knows.
struct CommandFacts {
  std::string call_id;    // of the call that started it
  std::string directory;  // where it runs
  std::uint64_t output_before_input = 0;
  bool in_background = false;
  bool end_was_told = false;  // by an event
  std::vector<std::string> removed_secrets;
  std::vector<repository::Guarded> repositories;
  std::shared_ptr<UnsettledNote> unsettled;  // for the next Helve, should this one not come to finish()
  bool finished = false;                     // finish() was here
  repository::Settled settled;               // by finish()
};

// Owned by the session's state; all functions may be called from all threads. Destroying it ends all
// commands.
class CommandSessions {
 public:
  struct Order {
    CommandWish wish;
    process::SessionRequest::Input input = process::SessionRequest::Input::kNothing;
    std::string input_text;
    bool terminal = false;
    std::optional<std::chrono::milliseconds> time_limit;
    std::optional<std::uint64_t> output_bytes;  // to keep on disk; without it as the settings say
  };

  // What commands in the foreground write is shown by this, too, while they run; the answers then leave it
  // out. Before the first of them starts.
  void show_live(LiveOutput::Sink sink) { live_ = std::move(sink); }
  [[nodiscard]] const LiveOutput::Sink& live() const { return live_; }

  // Returns when the command runs.
  [[nodiscard]] Expected<std::shared_ptr<process::Session>> start(const Context& context, Order order);
  // From now on nobody waits for it: its end becomes an event.
  void move_to_background(const Context& context, const std::shared_ptr<process::Session>& command);
  // What has to be done when a command has ended, once; the facts with what came of it.
  CommandFacts finish(Engines& engines, const Session& session, const process::Session& command);
  // Somebody wrote to it; what it had written until then was no answer to that.
  void note_input(const std::string& command_id, std::uint64_t output_before);
  [[nodiscard]] CommandFacts facts(const std::string& command_id) const;

  [[nodiscard]] Expected<std::shared_ptr<process::Session>> find(const std::string& id) const;
  [[nodiscard]] std::vector<std::shared_ptr<process::Session>> list() const;
  // Ends it first when it still runs.
  [[nodiscard]] Expected<void> remove(Engines& engines, const Session& session, const std::string& id);

 private:
  [[nodiscard]] Expected<process::Sessions*> sessions(const Context& context);
  void forget_facts(const std::vector<std::shared_ptr<process::Session>>& known);  // holds mutex_
  void on_end(Engines& engines, Session& session, const process::Session& command);

  LiveOutput::Sink live_;
  mutable std::mutex mutex_;
  std::map<std::string, CommandFacts> facts_;    // by id
  std::unique_ptr<process::Sessions> sessions_;  // made when first needed; its thread uses all of the above
};

}  // namespace helve
