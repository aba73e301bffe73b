// The jobs of one session: started by exec, managed by process.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "changes/command_change.h"
#include "core/command_plan.h"
#include "core/live_output.h"
#include "core/unsettled_commands.h"
#include "helve/context.h"
#include "process/jobs.h"
#include "repository/git_safety.h"

namespace helve::core {

// Facts about a job that process::Job does not know.
struct CommandFacts {
  std::string call_id;    // of the call that started it
  std::string directory;  // where it runs
  std::uint64_t output_before_input = 0;
  bool in_background = false;
  bool end_was_told = false;  // an event reported the end
  std::vector<std::string> removed_secrets;
  std::vector<repository::Guarded> repositories;
  std::string unsettled;  // a note for the next Helve, in case this one is killed before finish()
  // The changes of the job in the workspace; null when that is not recorded.
  std::shared_ptr<changes::CommandChange> change;
  bool finishing = false;  // a thread runs finish()
  bool finished = false;   // finish() has run, and the following are set
  repository::Settled settled;
  changes::CommandOutcome outcome;
};

// Owned by the session's state; all functions may be called from all threads. Destroying it ends all jobs.
class CommandJobs {
 public:
  struct Order {
    CommandWish wish;
    process::JobRequest::Input input = process::JobRequest::Input::kNothing;
    std::string input_text;
    bool terminal = false;
    std::optional<std::chrono::milliseconds> time_limit;
    std::optional<std::uint64_t> output_bytes;  // limit on disk; default: the setting
  };

  // Also shows the output of foreground jobs while they run; the answers then leave it out. Call it before
  // the first job starts.
  void show_live(LiveOutput::Sink sink) { live_ = std::move(sink); }
  [[nodiscard]] const LiveOutput::Sink& live() const { return live_; }

  // Returns when the command runs.
  [[nodiscard]] Expected<std::shared_ptr<process::Job>> start(const Context& context, Order order);
  // The job continues in the background; its end will be an event.
  void move_to_background(const Context& context, const std::shared_ptr<process::Job>& command);
  // Does what a job's end requires, once: every caller waits until it is done. Returns the facts with the
  // outcome.
  CommandFacts finish(Engines& engines, const Session& session, const process::Job& command);
  // Input was written to the job; output before this moment does not answer it.
  void note_input(const std::string& command_id, std::uint64_t output_before);
  [[nodiscard]] CommandFacts facts(const std::string& command_id) const;

  [[nodiscard]] Expected<std::shared_ptr<process::Job>> find(const std::string& id) const;
  [[nodiscard]] std::vector<std::shared_ptr<process::Job>> list() const;
  // Kills the job first if it still runs.
  [[nodiscard]] Expected<void> remove(Engines& engines, const Session& session, const std::string& id);

 private:
  [[nodiscard]] Expected<process::Jobs*> sessions(const Context& context);
  void forget_facts(const std::vector<std::shared_ptr<process::Job>>& known);  // holds mutex_
  void on_end(Engines& engines, Session& session, const process::Job& command);

  LiveOutput::Sink live_;
  mutable std::mutex mutex_;
  std::condition_variable finished_;
  std::map<std::string, CommandFacts> facts_;  // by id
  std::unique_ptr<UnsettledNotes> notes_;      // made together with the sessions
  std::unique_ptr<process::Jobs> sessions_;    // made when first needed; its thread uses all of the above
};

}  // namespace helve::core
