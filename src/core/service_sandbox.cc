#include "core/service_sandbox.h"

#include "base/environment.h"
#include "base/file_io.h"
#include "core/command_plan.h"
#include "core/protect.h"
#include "core/rule_book.h"
#include "core/shared_store.h"
#include "sandbox/unix_sockets.h"
#include "settings/directories.h"

namespace helve::core {
namespace {

// Hides Helve's own files and the paths that the settings name.
void hide_secrets(sandbox::Plan& plan, const SandboxSettings& settings, const ProcessWish& wish) {
  std::vector<std::string> secret{wish.state_directory};
  if (const auto config = settings::default_config_directory()) secret.push_back(*config);
  if (const auto data = settings::default_data_directory()) secret.push_back(store_directory(*data));
  for (const std::string& path : settings.hidden) secret.push_back(settings_path(path, wish.workspace));
  for (const std::string& path : secret)
    if (const auto real = real_path(path); real && !path.empty()) plan.hidden.push_back(*real);
}

// The rules hold for plugins as for every other call.
Expected<void> apply_rules(sandbox::Plan& plan, const PermissionSettings& permissions,
                           const ProcessWish& wish) {
  std::vector<std::string> warnings;  // reported where the rules of the runtime are loaded
  const auto rules = RuleBook::load(
      permissions,
      {.workspace = wish.workspace, .home = real_path(environment_variable("HOME")).value_or("")},
      /*project_trusted=*/false, {}, warnings);
  if (!rules) return fail(rules.error());
  const auto hidden = (*rules)->hidden();
  if (plan.level == sandbox::Level::kWorkspaceWrite)
    for (const std::string& path : hidden->read_only_for_sandbox())
      if (path_exists(path) && is_within(path, wish.workspace)) plan.protected_paths.push_back(path);
  if (hidden->empty()) return {};
  const auto root = workspace::Root::open(wish.workspace);
  if (!root) return fail(root.error());
  return hide_unreadable(plan, *root, *hidden);
}

}  // namespace

Expected<sandbox::Plan> plan_process(const SandboxSettings& settings, const PermissionSettings& permissions,
                                     const ProcessWish& wish) {
  sandbox::Plan plan{.level = wish.writes ? sandbox_level(settings.level) : sandbox::Level::kReadOnly,
                     .workspace = wish.workspace,
                     .visible = {wish.home},
                     .network = settings.network || wish.network};
  plan.limits = {.processes = static_cast<std::uint64_t>(settings.processes),
                 .memory_bytes = static_cast<std::uint64_t>(settings.memory_megabytes) << 20};
  for (const SandboxPart part : settings.may_lack)
    plan.may_lack.push_back(static_cast<sandbox::Part>(part));  // both list them in the same order
  hide_secrets(plan, settings, wish);
  if (auto applied = apply_rules(plan, permissions, wish); !applied) return fail(applied.error());
  if (plan.level == sandbox::Level::kWorkspaceWrite) {
    for (const std::string& path : settings.writable)
      if (const std::string real = settings_path(path, wish.workspace); !real.empty())
        plan.writable.push_back(real);
    plan.limits.file_bytes = static_cast<std::uint64_t>(settings.file_megabytes) << 20;
    protect_settings(plan, wish.workspace);
    protect_programs(plan, wish.trusted_programs);
    protect_repositories(plan, wish.workspace,
                         repository::RepositoryIndex(wish.workspace).look().repositories);
    // The user trusts the plugin's files as they are now, so the plugin cannot change them.
    if (wish.home != wish.workspace && is_within(wish.home, wish.workspace))
      plan.protected_paths.push_back(wish.home);
    pin_ancestors(plan, wish.workspace, plan.protected_paths);
    pin_ancestors(plan, wish.workspace, plan.hidden);
  }
  for (std::string& socket : sandbox::find_outside_sockets(plan)) plan.hidden.push_back(std::move(socket));
  return plan;
}

}  // namespace helve::core
