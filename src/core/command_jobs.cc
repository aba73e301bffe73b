#include "core/command_jobs.h"

#include <algorithm>
#include <utility>

#include "base/file_io.h"
#include "base/strings.h"
#include "core/command_report.h"
#include "core/session_state.h"
#include "helve/session.h"
#include "helve/settings/exec.h"
#include "sandbox/cgroup.h"
#include "sandbox/reserved_paths.h"

namespace helve::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

process::JobLimits limits_of(const ExecSettings& settings) {
  return {.most_running = static_cast<std::size_t>(settings.sessions),
          .longest_time = minutes(settings.session_minutes),
          .finished_age = minutes(settings.keep_minutes)};
}

Error no_launcher() {
  return {
      ErrorCode::kUnavailable, "This program cannot start commands.",
      "Install helve, or let main() call launch_if_asked() first and name /proc/self/exe as the launcher."};
}

Expected<std::shared_ptr<changes::CommandChange>> begin_change(const Context& context,
                                                               const sandbox::Plan& plan) {
  const Engines& engines = context.engines();
  const ExecSettings& settings = engines.settings.exec;
  const effects::Budget budget{.bytes = static_cast<std::uint64_t>(settings.undo_megabytes) << 20,
                               .entries = static_cast<std::size_t>(settings.undo_paths)};
  effects::LeftOut left_out{.names = settings.undo_skips};
  const auto leave_out = [&](std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    if (is_within(path, plan.workspace) && path != plan.workspace)
      left_out.paths.emplace_back(path.substr(plan.workspace.size() + 1));
  };
  for (const std::string& path : plan.protected_paths) {
    leave_out(path);
    // The first missing name has a placeholder while the command runs.
    if (const auto reserved = sandbox::reserved_path(path)) leave_out(*reserved);
  }
  auto begun =
      engines.changes->begin_command({context.session().id(), context.call_id(), "exec"}, budget, left_out);
  if (!begun) return fail(begun.error());
  return std::shared_ptr<changes::CommandChange>(std::move(*begun));
}

changes::CommandOutcome finish_change(changes::CommandChange& change, const process::Job& command) {
  auto outcome = change.finish();
  if (!outcome) return {.not_undoable = outcome.error().message};
  if (const int error = command.status().watch_error; error != 0)
    outcome->not_undoable =
        concat("this machine does not let Helve see what commands change (", errno_text(error), ")");
  return std::move(*outcome);
}

std::string quarantine_of(const Session& session) { return concat(session.output_directory(), "/held"); }

}  // namespace

Expected<process::Jobs*> CommandJobs::sessions(const Context& context) {
  const std::lock_guard lock(mutex_);
  if (sessions_) return sessions_.get();
  Engines& engines = context.engines();
  if (engines.launcher.empty()) return fail(no_launcher());
  Session& session = context.session();
  session.state().directory.hold();
  if (auto made = make_private_directories(session.output_directory()); !made) return fail(made.error());
  sandbox::Cgroup::sweep();  // removes what a killed Helve left
  auto created = process::Jobs::create(
      {.output_directory = session.output_directory(),
       .launcher_program = engines.launcher,
       .limits = limits_of(engines.settings.exec),
       // Both outlive this: the session owns it, and the runtime waits for its calls.
       .on_end = [this, shared = context.shared_engines(), &session](
                     const std::shared_ptr<process::Job>& ended) { on_end(*shared, session, *ended); }});
  if (!created) return fail(created.error());
  auto notes = UnsettledNotes::open(engines.state_directory);
  if (!notes) return fail(notes.error());
  notes_ = *std::move(notes);
  sessions_ = *std::move(created);
  return sessions_.get();
}

Expected<std::shared_ptr<process::Job>> CommandJobs::start(const Context& context, Order order) {
  auto sessions = this->sessions(context);
  if (!sessions) return fail(sessions.error());
  Engines& engines = context.engines();
  auto planned = plan_command(engines, context.session(), order.wish);
  if (!planned) return fail(planned.error());
  planned->launch.terminal = order.terminal;
  process::JobRequest request{.command = std::move(order.wish.command),
                              .launch = std::move(planned->launch),
                              .input = order.input,
                              .input_text = std::move(order.input_text),
                              .terminal = order.terminal,
                              .time_limit = order.time_limit,
                              .companion = engines.commands_running};
  request.output.disk_bytes =
      order.output_bytes.value_or(static_cast<std::uint64_t>(engines.settings.exec.output_megabytes) << 20);
  std::string unsettled;
  std::shared_ptr<changes::CommandChange> change;
  if (request.launch.plan.level == sandbox::Level::kWorkspaceWrite) {
    if (engines.settings.exec.undo) {
      auto begun = begin_change(context, request.launch.plan);
      if (!begun) return fail(begun.error());
      change = *std::move(begun);
      request.launch.watched = true;
      request.watch = [change](UniqueFd listener) { change->watch(std::move(listener)); };
    }
    auto noted = notes_->write({.workspace = engines.root.path(),
                                .quarantine = quarantine_of(context.session()),
                                .before = planned->repositories});
    if (!noted) return fail(noted.error());
    unsettled = *std::move(noted);
  }
  auto command = (*sessions)->start(std::move(request));
  if (!command) {
    // A job that did not start in time may have started since.
    if (!unsettled.empty() && command.error().code != ErrorCode::kTimeout) notes_->remove(unsettled);
    return fail(command.error());
  }
  if (!unsettled.empty()) UnsettledNotes::name_launcher(unsettled, (*command)->launcher());
  if (change) change->note_launcher((*command)->launcher());
  const auto known = (*sessions)->list();
  const std::lock_guard lock(mutex_);
  forget_facts(known);
  CommandFacts& facts = facts_[(*command)->id()];
  facts.call_id = context.call_id();
  facts.directory = std::move(planned->directory);
  facts.removed_secrets = std::move(planned->removed_secrets);
  facts.repositories = std::move(planned->repositories);
  facts.unsettled = std::move(unsettled);
  facts.change = std::move(change);
  return command;
}

// process::Jobs forgets old jobs without notice.
void CommandJobs::forget_facts(const std::vector<std::shared_ptr<process::Job>>& known) {
  if (facts_.size() <= 2 * known.size()) return;
  std::erase_if(facts_, [&](const auto& entry) {
    return entry.second.finished &&
           std::ranges::none_of(known, [&](const auto& command) { return command->id() == entry.first; });
  });
}

void CommandJobs::move_to_background(const Context& context, const std::shared_ptr<process::Job>& command) {
  {
    const std::lock_guard lock(mutex_);
    facts_[command->id()].in_background = true;
  }
  // The job may have ended before it was known that its end must be reported.
  if (!command->status().running()) on_end(context.engines(), context.session(), *command);
}

CommandFacts CommandJobs::finish(Engines& engines, const Session& session, const process::Job& command) {
  std::vector<repository::Guarded> before;
  std::string unsettled;
  std::shared_ptr<changes::CommandChange> change;
  {
    std::unique_lock lock(mutex_);
    const auto known = facts_.find(command.id());
    if (known == facts_.end()) return {};  // finished long ago and forgotten
    if (known->second.finishing) {
      finished_.wait(lock, [&] {
        const auto now = facts_.find(command.id());
        return now == facts_.end() || now->second.finished;
      });
      const auto now = facts_.find(command.id());
      return now == facts_.end() ? CommandFacts() : now->second;
    }
    CommandFacts& facts = known->second;
    facts.finishing = true;
    before = facts.repositories;
    unsettled = std::exchange(facts.unsettled, {});
    change = std::exchange(facts.change, {});
  }
  const sandbox::Plan& plan = command.request().launch.plan;
  repository::Settled settled;
  if (plan.level == sandbox::Level::kWorkspaceWrite) {
    // Removes what a killed launcher left.
    [[maybe_unused]] const auto abandoned = sandbox::ReservedPaths::find_abandoned(plan);
    const auto after = engines.repositories->look();
    for (const repository::Found& found : after.repositories)
      if (std::ranges::find(before, found, &repository::Guarded::found) == before.end())
        engines.made_repositories.add(found);
    settled = repository::settle(engines.root.path(), before, after, quarantine_of(session));
  }
  changes::CommandOutcome outcome;
  if (change) outcome = finish_change(*change, command);
  if (!unsettled.empty()) notes_->remove(unsettled);
  const std::lock_guard lock(mutex_);
  const auto known = facts_.find(command.id());
  CommandFacts facts = known != facts_.end() ? known->second : CommandFacts();
  facts.finished = true;
  facts.settled = std::move(settled);
  facts.outcome = std::move(outcome);
  if (known != facts_.end()) known->second = facts;
  finished_.notify_all();
  return facts;
}

void CommandJobs::on_end(Engines& engines, Session& session, const process::Job& command) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = facts_.find(command.id());
    if (known == facts_.end() || !known->second.in_background || known->second.end_was_told) return;
    known->second.end_was_told = true;
  }
  const CommandFacts facts = finish(engines, session, command);
  ToolEvent event{.kind = ToolEvent::Kind::kUpdate, .call_id = facts.call_id, .tool = "exec"};
  event.response = concat("The background command ", command.id(), " has ended: ", outcome_text(command));
  if (const std::string said = settled_text(facts.settled); !said.empty())
    event.response += concat(". ", said);
  session.events().publish(std::move(event));
}

void CommandJobs::note_input(const std::string& command_id, std::uint64_t output_before) {
  const std::lock_guard lock(mutex_);
  facts_[command_id].output_before_input = output_before;
}

CommandFacts CommandJobs::facts(const std::string& command_id) const {
  const std::lock_guard lock(mutex_);
  const auto known = facts_.find(command_id);
  return known == facts_.end() ? CommandFacts() : known->second;
}

Expected<std::shared_ptr<process::Job>> CommandJobs::find(const std::string& id) const {
  process::Jobs* sessions = nullptr;
  {
    const std::lock_guard lock(mutex_);
    sessions = sessions_.get();
  }
  if (sessions != nullptr) return sessions->find(id);
  return fail(ErrorCode::kNotFound, concat("There is no command ", id, "; none was started in this session."),
              "Start one with exec.");
}

std::vector<std::shared_ptr<process::Job>> CommandJobs::list() const {
  process::Jobs* sessions = nullptr;
  {
    const std::lock_guard lock(mutex_);
    sessions = sessions_.get();
  }
  return sessions == nullptr ? std::vector<std::shared_ptr<process::Job>>() : sessions->list();
}

Expected<void> CommandJobs::remove(Engines& engines, const Session& session, const std::string& id) {
  const auto command = find(id);
  if (!command) return fail(command.error());
  if ((*command)->status().running()) {
    (*command)->kill(milliseconds(200));
    (*command)->wait_for_end({}, process::Clock::now() + std::chrono::seconds(30));
  }
  finish(engines, session, **command);
  process::Jobs* sessions = nullptr;
  {
    const std::lock_guard lock(mutex_);
    sessions = sessions_.get();
  }
  auto removed = sessions->remove(id);
  const std::lock_guard lock(mutex_);
  if (removed) facts_.erase(id);
  return removed;
}

}  // namespace helve::core
