#include "core/command_plan.h"

#include <algorithm>
#include <filesystem>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "core/protect.h"
#include "core/session_state.h"
#include "helve/settings/exec.h"
#include "helve/settings/sandbox.h"
#include "process/command_environment.h"
#include "process/shell_choice.h"
#include "sandbox/unix_sockets.h"
#include "sandbox/view_places.h"
#include "settings/directories.h"

namespace helve::core {
namespace {

// Jobs may change repositories that jobs created; these are disarmed after each job. If such a repository now
// has hooks or programs in its settings, the user added them, and the repository becomes the user's.
void leave_out_made(Engines& engines, std::vector<repository::Found>& found) {
  std::erase_if(found, [&](const repository::Found& each) {
    if (!engines.made_repositories.contains(each)) return false;
    const auto closely = repository::snapshot_repositories(engines.root.path(), {each});
    if (closely.empty() || closely.front().fingerprint.empty()) return true;
    engines.made_repositories.remove(each);
    return false;
  });
}

std::uint64_t megabytes(int count) { return static_cast<std::uint64_t>(count) << 20; }

sandbox::Limits limits_of(const SandboxSettings& settings) {
  return {.processes = static_cast<std::uint64_t>(settings.processes),
          .memory_bytes = megabytes(settings.memory_megabytes),
          .open_files = static_cast<std::uint64_t>(settings.open_files),
          .file_bytes = megabytes(settings.file_megabytes),
          .cpu_seconds = static_cast<std::uint64_t>(settings.cpu_seconds)};
}

Expected<sandbox::Plan> make_plan(const Engines& engines, const Session& session, const CommandWish& wish) {
  const SandboxSettings& settings = engines.settings.sandbox;
  const std::string& workspace = engines.root.path();
  sandbox::Plan plan{.level = sandbox_level(settings.level),
                     .workspace = workspace,
                     .network = (settings.network || wish.network) && !wish.offline,
                     .limits = limits_of(settings)};
  if (wish.read_only && plan.level == sandbox::Level::kWorkspaceWrite) plan.level = sandbox::Level::kReadOnly;
  for (const SandboxPart part : settings.may_lack)
    plan.may_lack.push_back(static_cast<sandbox::Part>(part));  // both list them in the same order
  if (plan.level == sandbox::Level::kOff) return plan;
  // Checked before anything walks the workspace: in / that would take long.
  if (plan.level == sandbox::Level::kWorkspaceWrite)
    if (auto good = sandbox::check_writable(workspace); !good) return fail(good.error());

  for (const std::string& path : settings.writable)
    if (const std::string real = settings_path(path, workspace); !real.empty()) plan.writable.push_back(real);
  for (const std::string& path : settings.hidden)
    if (const std::string real = settings_path(path, workspace); !real.empty()) plan.hidden.push_back(real);
  if (auto hidden = hide_unreadable(plan, engines.root, *engines.rules->hidden()); !hidden)
    return fail(hidden.error());
  plan.hidden.push_back(engines.state_directory);
  if (path_exists(engines.store.directory()))
    plan.hidden.push_back(real_path(engines.store.directory()).value_or(engines.store.directory()));
  if (const auto config = settings::default_config_directory(); config && path_exists(*config))
    plan.hidden.push_back(real_path(*config).value_or(*config));
  if (plan.level != sandbox::Level::kWorkspaceWrite) return plan;

  protect_settings(plan, workspace);
  protect_programs(plan, engines.trusted_programs);
  for (const std::string& path : engines.rules->hidden()->read_only_for_sandbox())
    if (path_exists(path) && is_within(path, workspace)) plan.protected_paths.push_back(path);
  pin_ancestors(plan, workspace, plan.protected_paths);
  pin_ancestors(plan, workspace, plan.hidden);
  // Beside the session's output, so that it lives as long as the session.
  const std::string temporary =
      std::filesystem::path(session.output_directory()).replace_filename("tmp").string();
  session.state().directory.hold();
  if (auto made = make_private_directories(temporary); !made) return fail(made.error());
  plan.temporary = temporary;
  return plan;
}

// Redirects caches from the home directory, which is not writable.
void redirect_caches(process::EnvironmentOptions& options) {
  for (const auto& [name, value] : {std::pair{"XDG_CACHE_HOME", "/tmp/.cache"},
                                    {"GOCACHE", "/tmp/.cache/go-build"},
                                    {"npm_config_cache", "/tmp/.cache/npm"},
                                    {"CCACHE_DIR", "/tmp/.cache/ccache"}})
    options.extra.emplace_back(name, value);
}

}  // namespace

sandbox::Level sandbox_level(SandboxLevel level) {
  switch (level) {
    case SandboxLevel::kReadOnly: return sandbox::Level::kReadOnly;
    case SandboxLevel::kWorkspaceWrite: return sandbox::Level::kWorkspaceWrite;
    case SandboxLevel::kOff: return sandbox::Level::kOff;
  }
  return sandbox::Level::kReadOnly;
}

std::string settings_path(const std::string& path, const std::string& workspace) {
  std::string absolute = path;
  if (path == "~" || path.starts_with("~/")) absolute = concat(environment_variable("HOME"), path.substr(1));
  if (!absolute.starts_with('/')) absolute = concat(workspace, "/", absolute);
  return real_path(absolute).value_or("");
}

Expected<std::string> command_directory(const Engines& engines, const std::string& wanted) {
  const auto opened = engines.root.open_directory(wanted.empty() ? "." : wanted);
  if (!opened && opened.error().code == ErrorCode::kNotFound)
    return fail(ErrorCode::kNotFound, concat("The command cannot run: there is no directory ", wanted, "."),
                "cwd is a directory of the workspace, relative to it.");
  if (!opened) return fail(opened.error());
  return opened->path.empty() ? "." : opened->path;
}

Expected<PlannedCommand> plan_command(Engines& engines, const Session& session, const CommandWish& wish) {
  PlannedCommand planned;
  auto directory = command_directory(engines, wish.directory);
  if (!directory) return fail(std::move(directory).error());
  planned.directory = *std::move(directory);
  planned.launch.directory =
      planned.directory == "." ? engines.root.path() : concat(engines.root.path(), "/", planned.directory);

  planned.launch.argv = wish.argv;
  if (wish.argv.empty()) {
    const auto shell = process::choose_shell(engines.settings.exec.shell, environment_variable("SHELL"));
    if (!shell) return fail(shell.error());
    planned.launch.argv = process::shell_arguments(*shell, wish.command);
  }

  auto plan = make_plan(engines, session, wish);
  if (!plan) return fail(plan.error());
  const bool sandboxed = plan->level != sandbox::Level::kOff;
  if (plan->level == sandbox::Level::kWorkspaceWrite) {
    auto found = engines.repositories->look().repositories;
    leave_out_made(engines, found);
    protect_repositories(*plan, engines.root.path(), found);
    planned.repositories = repository::snapshot_repositories(engines.root.path(), found);
  }
  if (sandboxed)
    for (std::string& socket : sandbox::find_outside_sockets(*plan))
      plan->hidden.push_back(std::move(socket));
  planned.launch.plan = *std::move(plan);

  process::EnvironmentOptions options{.allowed = engines.settings.exec.keep_environment};
  if (sandboxed)
    redirect_caches(options);
  else
    options.temporary_directory.clear();
  for (const auto& [name, value] : engines.settings.exec.environment) options.extra.emplace_back(name, value);
  auto environment = process::make_command_environment(process::own_environment(), options);
  planned.launch.environment = std::move(environment.variables);
  planned.removed_secrets = std::move(environment.removed_secrets);
  return planned;
}

}  // namespace helve::core
