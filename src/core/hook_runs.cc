#include "core/hook_runs.h"

#include "base/environment.h"
#include "base/strings.h"
#include "core/session_state.h"
#include "helve/settings/hooks.h"
#include "process/command_environment.h"
#include "process/output_text.h"
#include "process/shell_choice.h"

namespace helve::core {
namespace {

constexpr std::size_t kMostHookOutput = std::size_t{64} << 10;

std::string stream_text(const process::Job& program, process::Stream stream) {
  const auto part = program.log().read_stream(stream, 0, kMostHookOutput);
  return part ? process::clean_text(part->bytes) : std::string();
}

}  // namespace

Expected<std::vector<policy::Hook>> hooks_of(const HookSettings& settings) {
  std::vector<policy::Hook> hooks;
  const auto add = [&](const std::vector<HookProgram>& named, policy::Hook::Moment moment) -> Expected<void> {
    for (const HookProgram& hook : named) {
      auto matcher = policy::HookMatcher::parse(hook.match);
      if (!matcher) return fail(matcher.error());
      hooks.push_back({.command = hook.command,
                       .matcher = *std::move(matcher),
                       .moment = moment,
                       .timeout = std::chrono::milliseconds(hook.time_limit_ms),
                       .on_failure = settings.fail_closed ? policy::Hook::OnFailure::kBlock
                                                          : policy::Hook::OnFailure::kGoOn});
    }
    return {};
  };
  if (auto added = add(settings.before, policy::Hook::Moment::kBefore); !added) return fail(added.error());
  if (auto added = add(settings.after, policy::Hook::Moment::kAfter); !added) return fail(added.error());
  return hooks;
}

policy::HookOutcome HookRuns::run(Engines& engines, const Session& session, policy::Hook::Moment moment,
                                  const policy::RequestedCall& call, const policy::HookSubject& subject) {
  policy::HookOutcome outcome = policy::run_hooks(engines.hooks, moment, call, subject,
                                                  [&](const policy::Hook& hook, const std::string& input) {
                                                    return run_one(engines, session, hook, input);
                                                  });
  if (!outcome.warning.empty()) engines.logger.warning("A hook failed", {{"hook", outcome.warning}});
  return outcome;
}

Expected<process::Jobs*> HookRuns::sessions(const Engines& engines, const Session& session) {
  const std::lock_guard lock(mutex_);
  if (sessions_) return sessions_.get();
  if (engines.launcher.empty())
    return fail(ErrorCode::kUnavailable, "This program cannot start hooks: it has no launcher.");
  session.state().directory.hold();
  if (auto made = make_private_directories(session.output_directory()); !made) return fail(made.error());
  auto created = process::Jobs::create(
      {.output_directory = session.output_directory(), .launcher_program = engines.launcher});
  if (!created) return fail(created.error());
  sessions_ = *std::move(created);
  return sessions_.get();
}

policy::HookRun HookRuns::run_one(const Engines& engines, const Session& session, const policy::Hook& hook,
                                  const std::string& input) {
  const auto failed = [](std::string_view problem) {
    policy::HookRun run;
    run.problem = problem;
    return run;
  };
  if (const auto reviewed = engines.reviewed_hooks.find(hook.command);
      reviewed != engines.reviewed_hooks.end())
    if (const auto same = reviewed->second.check(); !same) {
      if (hook.moment == policy::Hook::Moment::kAfter) return failed(same.error().message);
      // Not a failure that a setting ignores: whoever changed the hook would switch it off.
      policy::HookRun run;
      run.exit_code = policy::kHookBlocks;
      run.errors = concat(same.error().message, " ", same.error().hint);
      return run;
    }
  auto sessions = this->sessions(engines, session);
  if (!sessions) return failed(sessions.error().message);
  const process::Shell shell = process::detect_shell(environment_variable("SHELL"));
  process::JobRequest request{.command = hook.command};
  request.launch.argv = process::shell_arguments(shell, hook.command);
  request.launch.environment = process::own_environment();
  request.launch.directory = engines.root.path();
  request.launch.plan.level = sandbox::Level::kOff;
  request.input = process::JobRequest::Input::kText;
  request.input_text = input;
  request.time_limit = hook.timeout;
  request.kill_grace = std::chrono::milliseconds(500);
  request.output.disk_bytes = kMostHookOutput * 16;
  const auto started = (*sessions)->start(std::move(request));
  if (!started) return failed(started.error().message);
  const std::shared_ptr<process::Job>& program = *started;
  program->wait_for_end({}, process::Clock::now() + hook.timeout + std::chrono::seconds(30));
  const process::JobStatus status = program->status();
  policy::HookRun run;
  run.output = stream_text(*program, process::Stream::kOutput);
  run.errors = stream_text(*program, process::Stream::kError);
  if (status.exit_code)
    run.exit_code = *status.exit_code;
  else if (status.state == process::JobState::kSignalled)
    run.exit_code = 128 + status.signal.value_or(0);
  else
    run.problem = concat("it was not through after ", hook.timeout.count(), " ms");
  [[maybe_unused]] const auto removed = (*sessions)->remove(program->id());
  return run;
}

}  // namespace helve::core
