// Builds everything from the settings and passes each part what it needs.
#include "helve/runtime.h"

#include <algorithm>
#include <mutex>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/file_io.h"
#include "base/file_trust.h"
#include "base/find_program.h"
#include "base/strings.h"
#include "core/audit.h"
#include "core/builtin_tools.h"
#include "core/command_plan.h"
#include "core/dispatcher.h"
#include "core/hook_runs.h"
#include "core/language_servers.h"
#include "core/session_files.h"
#include "core/session_state.h"
#include "core/user_changes.h"
#include "process/shell_choice.h"
#include "sandbox/sandbox.h"
#include "settings/directories.h"
#include "workspace/listing.h"

namespace helve {

// In order of dependency: destroyed from the last to the first.
struct Runtime::Parts {
  Parts(std::shared_ptr<Engines> the_engines, std::string state)
      : state_directory(std::move(state)),
        engines(std::move(the_engines)),
        settings(*engines->all_settings),
        registry({.enabled = settings.tools.enabled,
                  .explanation_required = settings.tools.require_explanation,
                  .other_names = settings.tools.names}),
        offload(settings.results, core::sessions_directory(state_directory), engines->logger),
        audit({.path = concat(state_directory, "/audit.jsonl"),
               .sync = settings.audit.sync,
               .keep_bytes = static_cast<std::uint64_t>(settings.audit.keep_megabytes) << 20}),
        dispatcher({.registry = registry,
                    .engines = engines,
                    .offload = offload,
                    .audit = settings.audit.enabled ? &audit : nullptr,
                    .metrics = metrics}) {}

  const std::string state_directory;
  std::shared_ptr<Engines> engines;
  const Settings& settings;
  Registry registry;
  core::Offload offload;
  core::Audit audit;
  core::Metrics metrics;
  core::Dispatcher dispatcher;
  std::shared_ptr<Session> default_session;
  std::mutex companions_mutex;
  std::vector<std::shared_ptr<void>> companions;
};

namespace {

// A name in tools.enabled that matches nothing is most likely a typo, but a tool of that name may come later.
void warn_about_unknown_names(const std::vector<std::string>& enabled,
                              const std::vector<std::unique_ptr<Tool>>& tools, Logger& logger) {
  std::vector<std::string> known{"*"};
  for (const auto& tool : tools) {
    known.push_back(tool->definition().name);
    known.push_back(tool->definition().group);
  }
  for (std::string_view name : enabled) {
    if (name.starts_with('-')) name.remove_prefix(1);
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto near = nearest(name, known);
    logger.warning(concat("tools.enabled names ", name, ", which is not a tool or group",
                          near.empty() ? "" : concat("; did you mean ", near.front(), "?")));
  }
}

// Rules must parse a command line like the shell that will run it.
shell::Dialect dialect_of_commands(const Engines& engines) {
  const auto shell = process::choose_shell(engines.settings.exec.shell, environment_variable("SHELL"));
  switch (shell ? shell->kind : process::ShellKind::kBash) {  // without a shell nothing is run
    case process::ShellKind::kBash: return shell::Dialect::kBash;
    case process::ShellKind::kZsh: return shell::Dialect::kZsh;
    case process::ShellKind::kSh: return shell::Dialect::kPosix;
    case process::ShellKind::kPowerShell: return shell::Dialect::kPowerShell;
    case process::ShellKind::kCmd: return shell::Dialect::kCmd;
  }
  return shell::Dialect::kBash;
}

policy::Surroundings surroundings_of(const Engines& engines) {
  policy::Surroundings surroundings{.workspace = engines.root.path(),
                                    .home = real_path(environment_variable("HOME")).value_or(""),
                                    .own_directories = {engines.state_directory, engines.store.directory()},
                                    .sandboxed = engines.settings.sandbox.level != SandboxLevel::kOff};
  if (const auto config = settings::default_config_directory())
    surroundings.own_directories.push_back(real_path(*config).value_or(*config));
  if (const std::string path = environment_variable("PATH"); !path.empty()) surroundings.search_path = path;
  for (const auto& [name, value] : engines.settings.exec.environment) surroundings.variables.push_back(name);
  surroundings.dialect = dialect_of_commands(engines);
  return surroundings;
}

Expected<void> add_rules_and_hooks(Engines& engines, const RuntimeOptions& options) {
  std::vector<std::string> warnings;
  auto rules = core::RuleBook::load(options.settings.permissions, surroundings_of(engines),
                                    options.project_trusted, options.keep_rules, warnings);
  if (!rules) return fail(rules.error());
  for (const std::string& warning : warnings) engines.logger.warning(warning);
  engines.rules = *std::move(rules);
  for (const auto* paths : {&options.settings.sandbox.writable, &options.settings.sandbox.hidden})
    for (const std::string& path : *paths)
      if (core::settings_path(path, engines.root.path()).empty())
        engines.logger.warning(
            concat("The sandbox settings name ", path, ", which does not exist; it counts for nothing"));
  auto hooks = core::hooks_of(options.settings.hooks);
  if (!hooks) return fail(hooks.error());
  engines.hooks = *std::move(hooks);
  if (!options.reviewed_files.empty())
    for (const policy::Hook& hook : engines.hooks)
      engines.reviewed_hooks.try_emplace(hook.command, engines.root.path(),
                                         std::vector<std::string>{hook.command}, options.reviewed_files);
  return {};
}

}  // namespace

Runtime::Runtime(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Runtime::~Runtime() = default;

Expected<std::unique_ptr<Runtime>> Runtime::create(RuntimeOptions options) {
  Expected<std::string> state = options.state_directory;
  if (state->empty()) state = settings::default_state_directory();
  if (!state) return fail(state.error());
  if (auto own = check_own_directory(*state); !own) return fail(own.error());
  Expected<std::string> data = options.data_directory;
  if (data->empty()) data = settings::default_data_directory();
  if (!data) return fail(data.error());
  auto engines = make_engines(options.workspace, *state, *data, settings::copy_of(options.settings),
                              options.trusted_programs);
  if (!engines) return fail(engines.error());
  if (auto added = add_rules_and_hooks(**engines, options); !added) return fail(added.error());
  (*engines)->launcher = options.launcher.empty() ? find_program("helve").value_or("") : options.launcher;
  (*engines)->language_servers = core::make_language_servers(**engines);
  auto parts = std::make_unique<Parts>(*std::move(engines), *std::move(state));
  if (options.built_in_tools) {
    std::vector<std::unique_ptr<Tool>> tools = core::builtin_tools();
    warn_about_unknown_names(options.settings.tools.enabled, tools, parts->engines->logger);
    for (auto& tool : tools)
      if (auto added = parts->registry.add(std::move(tool)); !added) return fail(added.error());
  }
  std::unique_ptr<Runtime> runtime(new Runtime(std::move(parts)));
  auto session = runtime->open_session({.id = options.session_id,
                                        .approver = std::move(options.approver),
                                        .asker = std::move(options.asker),
                                        .sampler = std::move(options.sampler)});
  if (!session) return fail(session.error());
  runtime->parts_->default_session = *std::move(session);
  return runtime;
}

Registry& Runtime::tools() { return parts_->registry; }

void Runtime::keep(std::shared_ptr<void> companion) {
  const std::lock_guard lock(parts_->companions_mutex);
  parts_->companions.push_back(std::move(companion));
}

Answer Runtime::call(Call call) { return this->call(parts_->default_session, std::move(call)); }

std::vector<Answer> Runtime::call_many(std::vector<Call> calls) {
  return call_many(parts_->default_session, std::move(calls));
}

Expected<std::shared_ptr<Session>> Runtime::open_session(SessionOptions options) {
  const std::string id = options.id.empty() ? random_id("ses") : options.id;
  const bool is_name =
      id.size() <= 100 && std::ranges::all_of(id, [](char c) { return is_word_character(c) || c == '-'; });
  if (!is_name)
    return fail(ErrorCode::kInvalidArgument,
                "A session's id may have letters, digits, _ and - only, 100 at most.");
  const Mode mode = options.mode.value_or(parts_->settings.mode);
  const std::string directory = concat(core::sessions_directory(parts_->state_directory), "/", id);
  return std::make_shared<Session>(Session::Parts{
      .id = id,
      .output_directory = concat(directory, "/output"),
      .mode = mode,
      .permissions = std::make_shared<core::RulePermissions>(mode, parts_->engines->rules),
      .approver = std::move(options.approver),
      .asker = std::move(options.asker),
      .sampler = std::move(options.sampler),
      // A generated id is unique, so no other process writes there afterwards.
      .state =
          std::make_shared<SessionState>(directory, options.id.empty() ? SessionDirectory::AtTheEnd::kGoes
                                                                       : SessionDirectory::AtTheEnd::kIsKept),
      .first_event = std::max<std::uint64_t>(options.first_event, 1)});
}

Session& Runtime::default_session() { return *parts_->default_session; }

Answer Runtime::call(const std::shared_ptr<Session>& session, Call call) {
  return parts_->dispatcher.execute(session, std::move(call));
}

std::vector<Answer> Runtime::call_many(const std::shared_ptr<Session>& session, std::vector<Call> calls) {
  return parts_->dispatcher.execute_many(session, std::move(calls));
}

Expected<std::string> Runtime::read_bytes(const std::shared_ptr<Session>& session, const std::string& path,
                                          std::size_t most_bytes) {
  const Answer allowed =
      call(session, {.tool = "read", .arguments = JsonObject{{"path", path}, {"limit", 1}}});
  if (!allowed.ok()) return fail(allowed.result.error());
  const bool is_output = path.starts_with(session->output_directory() + "/");
  const Expected<workspace::Root> outputs =
      is_output ? workspace::Root::open(session->output_directory()) : fail(Error());
  if (is_output && !outputs) return fail(outputs.error());
  const auto file = (is_output ? *outputs : parts_->engines->root).open_read(path);
  if (!file) return fail(file.error());
  if (file->size() > most_bytes)
    return fail(ErrorCode::kInvalidArgument,
                concat(path, " has ", workspace::readable_size(file->size()), "; at most ",
                       workspace::readable_size(most_bytes), " can be read at once."),
                "Use the tool read with offset and limit.");
  return workspace::read_content(*file, most_bytes);
}

Expected<Json> Runtime::explain(const Call& call) { return explain(parts_->default_session, call); }

Expected<Json> Runtime::explain(const std::shared_ptr<Session>& session, const Call& call) {
  return parts_->dispatcher.explain(session, call);
}

Expected<ChangeHistory> Runtime::changes(const Session& session) const {
  return core::list_changes(*parts_->engines, session);
}

Expected<UndoOutcome> Runtime::undo(const Session& session, std::size_t steps) {
  return core::revert_changes(*parts_->engines, parts_->settings.audit.enabled ? &parts_->audit : nullptr,
                              session, core::Direction::kUndo, steps);
}

Expected<UndoOutcome> Runtime::redo(const Session& session, std::size_t steps) {
  return core::revert_changes(*parts_->engines, parts_->settings.audit.enabled ? &parts_->audit : nullptr,
                              session, core::Direction::kRedo, steps);
}

SandboxStatus Runtime::sandbox() const {
  const SandboxSettings& settings = parts_->settings.sandbox;
  SandboxStatus status{.level = settings.level,
                       .network = settings.network || settings.level == SandboxLevel::kOff};
  if (status.level == SandboxLevel::kOff) return status;
  for (const sandbox::PartState& state : sandbox::probe_machine())
    if (!state.available) status.missing.emplace_back(sandbox::part_name(state.part));
  return status;
}

const Settings& Runtime::settings() const { return parts_->settings; }
const std::string& Runtime::workspace() const { return parts_->engines->root.path(); }
const std::string& Runtime::state_directory() const { return parts_->state_directory; }
Json Runtime::metrics() const {
  return JsonObject{{"tools", parts_->metrics.to_json()},
                    {"callsRunning", parts_->dispatcher.calls_running()},
                    {"commandsRunning", parts_->engines->commands_running.use_count() - 1}};
}

std::string_view version() { return HELVE_VERSION; }

}  // namespace helve
