#include "cli/agent_run.h"

#include <fcntl.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/skill_use.h"
#include "agent/system_prompt.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "cli/interrupt_watcher.h"
#include "cli/line_people.h"
#include "cli/terminal_approver.h"
#include "cli/terminal_asker.h"
#include "core/directories.h"
#include "core/shared_store.h"
#include "model/make_model.h"
#include "skills/discover.h"
#include "skills/project_instructions.h"
#include "store/sqlite_store.h"

namespace helve::cli {
namespace {

void warn(const Shell& shell, std::string_view text) {
  if (shell.options().quiet) return;
  shell.terminal().err(concat(shell.terminal().paint_err(Colour::kYellow, "warning: "), text, "\n"));
}

// The person's wishes on the command line are settings like any other.
Shell with_order(const Shell& shell, const AgentOrder& order) {
  GlobalOptions options = shell.options();
  if (!order.model.empty()) options.set.push_back(concat("model.name=", order.model));
  if (order.rounds) options.set.push_back(concat("agent.rounds=", *order.rounds));
  return {shell.terminal(), std::move(options)};
}

int exit_code_of(const agent::Ending& ending) {
  if (ending.is_done()) return kOk;
  if (ending.reason == "cancelled") return kInterrupted;
  return ending.reason == "error" ? kToolError : kStopped;
}

class AgentRun {
 public:
  AgentRun(const Shell& shell, const AgentOrder& order) : shell_(with_order(shell, order)), order_(order) {}

  int run() {
    if (auto ready = prepare(); !ready) return shell_.report(ready.error(), kSetup);
    auto agent = open_agent();
    if (!agent) return shell_.report(agent.error(), kSetup);
    auto task = task_text();
    if (!task) return shell_.report(task.error(), kSetup);
    if (task->empty() && !(*agent)->can_go_on())
      return shell_.report(
          {ErrorCode::kInvalidArgument, concat("The session ", (*agent)->id(), " is through."),
           concat("Say what to do next: helve agent --resume ", (*agent)->id(), " \"…\"")},
          kUsage);
    AgentPrinter printer(shell_.terminal(), (*agent)->session().events(), order_.output);
    const agent::Ending ending =
        task->empty() ? (*agent)->go_on(interrupts_.token()) : (*agent)->say(*task, interrupts_.token());
    printer.finish();
    // In the log the events have said it already, and in the JSON they are the answer.
    if (order_.output == AgentOutput::kFinal && ending.error)
      static_cast<void>(Shell(shell_.terminal(), {}).report(*ending.error, kToolError));
    if (order_.output == AgentOutput::kLog && !shell_.options().quiet)
      shell_.terminal().err(concat(
          shell_.terminal().paint_err(
              Colour::kDim,
              concat("session ", (*agent)->id(), "; go on with helve agent --resume ", (*agent)->id())),
          "\n"));
    return exit_code_of(ending);
  }

 private:
  Expected<void> prepare() {
    auto runtime = shell_.runtime_for_clients({});
    if (!runtime) return fail(runtime.error());
    runtime_ = *std::move(runtime);
    auto store = open_sessions();
    if (!store) return fail(store.error());
    store_ = *std::move(store);
    model::Surroundings surroundings;
    if (const auto config = default_config_directory()) surroundings.keys_file = concat(*config, "/keys");
    auto chosen = model::make_model(runtime_->settings().model, surroundings, interrupts_.token());
    if (!chosen) return fail(chosen.error());
    for (const std::string& warning : chosen->warnings) warn(shell_, warning);
    model_ = std::move(chosen->model);
    if (auto found = find_skills(); !found) return found;
    choose_people();
    return {};
  }

  Expected<void> find_skills() {
    const auto sources = shell_.config_sources();
    if (!sources) return fail(sources.error());
    trusted_ = sources->project_trusted;
    RootOptions options;
    if (runtime_->settings().workspace.symlinks == SymlinkPolicy::kDeny) options.symlinks = Symlinks::kDeny;
    auto root = Root::open(runtime_->workspace(), options);
    if (!root) return fail(root.error());
    skills::SkillSet set =
        skills::discover_skills({.workspace = *root,
                                 .project_trusted = trusted_,
                                 .config_directory = default_config_directory().value_or(""),
                                 .home = home_directory()});
    std::vector<std::string> ignored = set.untrusted_places;
    if (!trusted_)
      if (const auto instructions = skills::project_instructions(*root))
        for (const auto& part : instructions->parts) ignored.push_back(part.path);
    if (!ignored.empty())
      warn(shell_,
           concat(enumerate(ignored), ignored.size() == 1 ? " is" : " are",
                  " ignored because the project is not trusted; read it, then run `helve config trust`"));
    const bool any = !set.skills.empty();
    shelf_ = std::make_shared<agent::SkillShelf>(*std::move(root), std::move(set));
    if (any) return runtime_->add(agent::make_skill_tool(shelf_));
    return {};
  }

  // Who answers: a program on stdin, a person at the terminal, or nobody.
  void choose_people() {
    if (order_.answers_on_stdin) {
      auto people = std::make_shared<LinePeople>(STDIN_FILENO);
      approver_ = people;
      asker_ = people;
    } else if (order_.output != AgentOutput::kFinal &&
               UniqueFd(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY))) {
      approver_ = std::make_shared<TerminalApprover>();
      asker_ = std::make_shared<TerminalAsker>();
    }
  }

  Expected<std::unique_ptr<agent::Agent>> open_agent() {
    agent::AgentParts parts{.runtime = *runtime_,
                            .model = *model_,
                            .records = store_->sessions(),
                            .approver = approver_,
                            .asker = asker_};
    if (!order_.resume)
      return agent::Agent::begin(std::move(parts),
                                 agent::system_prompt({.runtime = *runtime_,
                                                       .workspace = shelf_->workspace,
                                                       .project_trusted = trusted_,
                                                       .skills = shelf_->set.skills}),
                                 order_.task);
    std::string id = order_.session;
    if (id.empty()) {
      const auto newest = store_->sessions().list({.workspace = runtime_->workspace(), .most = 1});
      if (!newest) return fail(newest.error());
      if (newest->sessions.empty())
        return fail(ErrorCode::kNotFound, "There is no session in this workspace yet.",
                    "Begin one: helve agent \"what to do\"");
      id = newest->sessions.front().id;
    }
    return agent::Agent::resume(std::move(parts), id);
  }

  Expected<std::string> task_text() {
    auto expanded = agent::expand_command(order_.task, *shelf_);
    if (!expanded) return fail(expanded.error());
    return *expanded ? **expanded : order_.task;
  }

  const Shell shell_;
  const AgentOrder& order_;
  InterruptWatcher interrupts_;  // before anything starts a thread
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<model::Model> model_;
  std::shared_ptr<agent::SkillShelf> shelf_;
  bool trusted_ = false;
  std::shared_ptr<Approver> approver_;
  std::shared_ptr<Asker> asker_;
};

}  // namespace

Expected<std::unique_ptr<store::Store>> open_sessions() {
  const auto data = default_data_directory();
  if (!data) return fail(data.error());
  return store::open_sqlite_store({.directory = store_directory(*data)});
}

int run_agent(const Shell& shell, const AgentOrder& order) { return AgentRun(shell, order).run(); }

}  // namespace helve::cli
