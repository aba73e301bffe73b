#include "chat/agent_setup.h"

#include "agent/system_prompt.h"
#include "base/strings.h"
#include "core/shared_store.h"
#include "core/state_upkeep.h"
#include "helve/settings/tools.h"
#include "helve/settings/workspace.h"
#include "model/make_model.h"
#include "settings/directories.h"
#include "skills/discover.h"
#include "skills/project_instructions.h"
#include "store/sqlite_store.h"

namespace helve::chat {

Expected<std::unique_ptr<store::Store>> open_sessions() {
  const auto data = settings::default_data_directory();
  if (!data) return fail(data.error());
  return store::open_sqlite_store({.directory = core::store_directory(*data)});
}

void AgentSetup::warn(std::string_view text) const {
  if (shell_.options().quiet) return;
  shell_.terminal().err(
      concat(shell_.terminal().paint_err(terminal::Colour::kYellow, "warning: "), text, "\n"));
}

Expected<void> AgentSetup::prepare(const std::optional<std::string>& resumed) {
  auto runtime = shell_.runtime_for_clients({});
  if (!runtime) return fail(runtime.error());
  runtime_ = *std::move(runtime);
  runtime_->keep(core::keep_state_tidy(core::state_places(*runtime_), runtime_->settings()));
  auto store = open_sessions();
  if (!store) return fail(store.error());
  store_ = *std::move(store);
  if (resumed)
    if (auto found = find_session(*resumed); !found) return fail(found.error());
  const auto warnings = choose_model(settings::Groups(runtime_->settings()).model);
  if (!warnings) return fail(warnings.error());
  for (const std::string& warning : *warnings) warn(warning);
  return find_skills();
}

Expected<std::vector<std::string>> AgentSetup::choose_model(const ModelSettings& settings) {
  model::ModelEnvironment surroundings;
  if (const auto config = settings::default_config_directory())
    surroundings.keys_file = concat(*config, "/keys");
  auto chosen = model::make_model(settings, surroundings, interrupted_);
  if (!chosen) return fail(chosen.error());
  model_.set(std::move(chosen->model));
  return std::move(chosen->warnings);
}

Expected<std::vector<std::string>> AgentSetup::use_model(const std::string& name) {
  ModelSettings settings = settings::Groups(runtime_->settings()).model;
  settings.name = name;
  return choose_model(settings);
}

Expected<void> AgentSetup::find_skills() {
  const auto sources = shell_.config_sources();
  if (!sources) return fail(sources.error());
  const settings::ProjectTrust& project = sources->project;
  workspace::RootOptions options;
  if (settings::Groups(runtime_->settings()).workspace.symlinks == SymlinkPolicy::kDeny)
    options.symlinks = workspace::Symlinks::kDeny;
  auto root = workspace::Root::open(runtime_->workspace(), options);
  if (!root) return fail(root.error());
  const auto more = [runtime = runtime_.get()] {
    return skills::MoreTools{.tools = runtime->tools().names(),
                             .names = settings::Groups(runtime->settings()).tools.names};
  };
  skills::SkillSet set =
      skills::discover_skills({.workspace = *root,
                               .project_trusted = project.is_trusted(),
                               .config_directory = settings::default_config_directory().value_or(""),
                               .home = settings::home_directory(),
                               .more = more()});
  if (project.is_trusted())
    std::erase_if(set.skills, [&](const skills::Skill& skill) {
      if (skill.scope != skills::SkillScope::kProject || project.grants->has_content(skill.sha256))
        return false;
      warn(concat("The skill ", skill.name, " is ignored because it changed while Helve started"));
      return true;
    });
  if (const std::vector<std::string>& ignored = set.untrusted_places; !ignored.empty())
    warn(concat(enumerate(ignored), ignored.size() == 1 ? " is" : " are", " ignored because ",
                project.reason));
  const bool any = !set.skills.empty();
  shelf_ = std::make_shared<agent::SkillLibrary>(*std::move(root), std::move(set), more);
  if (any) return runtime_->add(agent::make_skill_tool(shelf_));
  return {};
}

agent::AgentParts AgentSetup::parts(Responders responders) {
  return {.runtime = *runtime_,
          .model = model_,
          .records = store_->sessions(),
          .mode = mode_,
          .approver = shared_approvals_.around(std::move(responders.approver)),
          .asker = std::move(responders.asker)};
}

Expected<std::unique_ptr<agent::Agent>> AgentSetup::begin(std::string_view title, Responders responders) {
  return agent::Agent::begin(
      parts(std::move(responders)),
      agent::system_prompt(
          {.runtime = *runtime_, .workspace = shelf_->workspace, .skills = shelf_->set.skills}),
      title);
}

Expected<std::string> AgentSetup::find_session(const std::string& id) const {
  if (!id.empty()) {
    const auto found = store_->sessions().load(id);
    return found ? Expected<std::string>(id) : fail(found.error());
  }
  const auto newest = store_->sessions().list({.workspace = runtime_->workspace(), .most = 1});
  if (!newest) return fail(newest.error());
  if (newest->sessions.empty())
    return fail(ErrorCode::kNotFound, "This workspace has no sessions yet.",
                "Start one: helve agent \"what to do\"");
  return newest->sessions.front().id;
}

Expected<std::unique_ptr<agent::Agent>> AgentSetup::resume(const std::string& id, Responders responders) {
  const auto found = find_session(id);
  if (!found) return fail(found.error());
  return agent::Agent::resume(parts(std::move(responders)), *found);
}

Expected<agent::SkillCommand> AgentSetup::task_of(const std::string& text) const {
  auto expanded = agent::expand_command(text, *shelf_);
  if (!expanded) return fail(expanded.error());
  return *expanded ? **std::move(expanded) : agent::SkillCommand{.text = text};
}

}  // namespace helve::chat
