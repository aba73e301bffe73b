// helve skills: lists, checks and shows skills.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "helve/settings/tools.h"
#include "helve/settings/workspace.h"
#include "settings/directories.h"
#include "settings/groups.h"
#include "skills/activate.h"
#include "skills/discover.h"
#include "skills/skill_folder.h"

namespace helve::cli {
namespace {

using skills::Skill;
using skills::SkillProblem;
using skills::SkillSet;

enum class SkillsAction { kList, kCheck, kShow };
constexpr auto enum_names(SkillsAction) { return std::to_array<std::string_view>({"list", "check", "show"}); }

JsonArray strings_json(const std::vector<std::string>& strings) {
  JsonArray list;
  for (const std::string& text : strings) list.emplace_back(text);
  return list;
}

JsonObject skill_json(const Skill& skill, const skills::MoreTools& more) {
  return {{"name", skill.name},
          {"description", skill.description},
          {"scope", skills::to_string(skill.scope)},
          {"place", skill.place},
          {"location", skill.location},
          {"directory", skill.directory},
          {"argumentHint", skill.argument_hint},
          {"allowedTools", strings_json(skill.allowed_tools)},
          {"tools", strings_json(skills::normalize_skill_allowed_tools(skill.allowed_tools, more).tools)},
          {"modelInvocable", !skill.disable_model_invocation},
          {"userInvocable", skill.user_invocable}};
}

std::string_view audience_of(const Skill& skill) {
  if (skill.disable_model_invocation) return skill.user_invocable ? "users" : "nobody";
  return skill.user_invocable ? "users and models" : "models";
}

bool is_error(const SkillProblem& problem) { return problem.severity == SkillProblem::Severity::kError; }

// Whether a problem concerns the skill of this name, even if the skill could not be loaded.
bool concerns(const SkillProblem& problem, const std::string& name, const Skill* skill) {
  if (skill != nullptr && skill->location == problem.file) return true;
  const auto parts = split(problem.file, '/');
  return std::ranges::find(parts, name) != parts.end();
}

struct SkillsCommand {
  static constexpr std::string_view kName = "skills";
  static constexpr std::string_view kSummary = "List or check skills, or show one as a model sees it";
  static constexpr std::string_view kDetails =
      "helve skills list          skills of the project and of the user\n"
      "helve skills check         all problems; fails if a skill cannot be used\n"
      "helve skills show NAME     one skill, as a model sees it";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action", "name"});

  struct Options {
    SkillsAction action = SkillsAction::kList;
    std::string name;
    std::string arguments;

    void describe(ParamSpec& p) {
      p.optional("action", action, "What to do.");
      p.optional("name", name, "The skill to show, or the only one to check.");
      p.optional("arguments", arguments, "Arguments to show the skill with.");
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    const auto sources = shell.config_sources();
    if (!sources) return shell.report(sources.error(), app::kSetup);
    const auto config = settings::load_config(*sources);
    if (!config) return shell.report(config.error(), app::kSetup);
    workspace::RootOptions root_options;
    if (settings::Groups(*config->settings).workspace.symlinks == SymlinkPolicy::kDeny)
      root_options.symlinks = workspace::Symlinks::kDeny;
    const auto root = workspace::Root::open(shell.options().workspace, root_options);
    if (!root) return shell.report(root.error(), app::kSetup);
    const skills::MoreTools more{.names = settings::Groups(*config->settings).tools.names};
    // The skills of a project can be checked before it is trusted.
    const bool all = options.action == SkillsAction::kCheck;
    const SkillSet set =
        skills::discover_skills({.workspace = *root,
                                 .project_trusted = sources->project.is_trusted() || all,
                                 .config_directory = settings::default_config_directory().value_or(""),
                                 .home = settings::home_directory(),
                                 .more = more});
    switch (options.action) {
      case SkillsAction::kList: return list(shell, set, more);
      case SkillsAction::kCheck: return check(shell, set, options.name);
      case SkillsAction::kShow: return show(shell, set, *root, options, more);
    }
    return app::kUsage;
  }

 private:
  static void warn(const app::Invocation& shell, std::string_view text) {
    if (shell.options().quiet) return;
    shell.terminal().err(
        concat(shell.terminal().paint_err(terminal::Colour::kYellow, "warning: "), text, "\n"));
  }

  static int list(const app::Invocation& shell, const SkillSet& set, const skills::MoreTools& more) {
    if (!set.untrusted_places.empty())
      warn(shell, concat(enumerate(set.untrusted_places), set.untrusted_places.size() == 1 ? " is" : " are",
                         " ignored because the project is not trusted; review the skills, then run `helve "
                         "config trust`"));
    if (!set.problems.empty())
      warn(shell,
           concat(count_of(set.problems.size(), "problem"), " with skills; `helve skills check` shows ",
                  set.problems.size() == 1 ? "it" : "them"));
    if (shell.options().json) {
      JsonArray all;
      for (const Skill& skill : set.skills) all.emplace_back(skill_json(skill, more));
      shell.print_json(all);
      return app::kOk;
    }
    print_table(shell.terminal(), set.skills);
    return app::kOk;
  }

  static void print_table(const app::Printer& terminal, const std::vector<Skill>& all) {
    if (all.empty()) return terminal.out("There are no skills.\n");
    std::size_t name_width = 0;
    std::size_t place_width = 0;
    for (const Skill& skill : all) {
      name_width = std::max(name_width, count_characters(terminal::printable_line(skill.name)));
      place_width = std::max(place_width, count_characters(terminal::printable_line(skill.place)));
    }
    const std::size_t used = name_width + place_width + 4;
    const auto columns = static_cast<std::size_t>(std::max(terminal.columns(), 20));
    const std::size_t width = columns > used + 30 ? columns - used : 30;
    for (const Skill& skill : all) {
      const std::string name = terminal::printable_line(skill.name);
      const std::string place = terminal::printable_line(skill.place);
      terminal.out(concat(terminal.paint(terminal::Colour::kBold, name),
                          std::string(name_width - count_characters(name) + 2, ' '),
                          terminal.paint(terminal::Colour::kDim, place),
                          std::string(place_width - count_characters(place) + 2, ' '),
                          shortened(terminal::printable_line(skill.description), width), "\n"));
    }
  }

  static int check(const app::Invocation& shell, const SkillSet& set, const std::string& name) {
    const Skill* only = name.empty() ? nullptr : set.find(name);
    std::vector<SkillProblem> problems;
    for (const SkillProblem& problem : set.problems)
      if (name.empty() || concerns(problem, name, only)) problems.push_back(problem);
    if (!name.empty() && only == nullptr && problems.empty()) return unknown(shell, set, name);
    const auto errors = static_cast<std::size_t>(std::ranges::count_if(problems, is_error));
    const std::size_t warnings = problems.size() - errors;
    const std::size_t count = name.empty() ? set.skills.size() : only == nullptr ? 0 : 1;
    if (shell.options().json) {
      JsonArray list;
      for (const SkillProblem& problem : problems)
        list.push_back(JsonObject{{"severity", is_error(problem) ? "error" : "warning"},
                                  {"file", problem.file},
                                  {"line", problem.line > 0 ? Json(problem.line) : Json()},
                                  {"text", problem.text}});
      shell.print_json(JsonObject{
          {"skills", count}, {"errors", errors}, {"warnings", warnings}, {"problems", std::move(list)}});
    } else {
      for (const SkillProblem& problem : problems)
        shell.terminal().out(concat(
            shell.terminal().paint(is_error(problem) ? terminal::Colour::kRed : terminal::Colour::kYellow,
                                   terminal::printable_line(to_text(problem))),
            "\n"));
      shell.terminal().out(concat(count_of(count, "skill"), " can be used; ", count_of(errors, "error"), ", ",
                                  count_of(warnings, "warning"), "\n"));
    }
    return errors > 0 ? app::kToolError : app::kOk;
  }

  static int show(const app::Invocation& shell, const SkillSet& set, const workspace::Root& root,
                  const Options& options, const skills::MoreTools& more) {
    if (options.name.empty())
      return shell.report({ErrorCode::kInvalidArgument, "helve skills show needs the name of a skill.",
                           "List them with helve skills list."},
                          app::kUsage);
    const Skill* skill = set.find(options.name);
    if (skill == nullptr) return unknown(shell, set, options.name);
    const auto activation = skills::activate_skill(*skill, root, options.arguments, more);
    if (!activation) return shell.report(activation.error(), app::kToolError);
    if (shell.options().json) return show_json(shell, *skill, root, *activation, more);
    const app::Printer& terminal = shell.terminal();
    const auto line = [&](std::string_view label, std::string_view value) {
      if (!value.empty())
        terminal.out(concat(terminal.paint(terminal::Colour::kDim, label),
                            std::string(13 - label.size(), ' '), terminal::printable_line(value), "\n"));
    };
    line("name", skill->name);
    line("description", skill->description);
    line("found in", concat(skill->place, " (", skills::to_string(skill->scope), ")"));
    line("for", audience_of(*skill));
    line("arguments", skill->argument_hint);
    line("tools", join(activation->tools.tools, ", "));
    line("license", skill->license);
    line("needs", skill->compatibility);
    terminal.out(concat("\n", terminal::printable(activation->text)));
    return app::kOk;
  }

  static int show_json(const app::Invocation& shell, const Skill& skill, const workspace::Root& root,
                       const skills::Activation& activation, const skills::MoreTools& more) {
    JsonObject json = skill_json(skill, more);
    json.append("frontMatter", skill.front_matter);
    json.append("instructions", activation.instructions);
    json.append("text", activation.text);
    json.append("warnings", strings_json(activation.tools.warnings));
    const auto folder = skills::SkillFolder::open(skill, root);
    const auto files =
        folder ? folder->digests() : Expected<std::vector<skills::SkillFile>>(fail(folder.error()));
    if (files) {
      JsonArray list;
      for (const skills::SkillFile& file : *files)
        list.push_back(JsonObject{{"path", file.path}, {"size", file.size}, {"sha256", file.sha256}});
      json.append("files", std::move(list));
    }
    shell.print_json(std::move(json));
    return app::kOk;
  }

  static int unknown(const app::Invocation& shell, const SkillSet& set, const std::string& name) {
    std::vector<std::string> names;
    for (const Skill& skill : set.skills) names.push_back(skill.name);
    const auto near = nearest(name, names);
    const std::string hint = !near.empty()                   ? concat("Did you mean ", near.front(), "?")
                             : !set.untrusted_places.empty() ? "Project skills need `helve config trust`."
                                                             : "List them with helve skills list.";
    return shell.report({ErrorCode::kNotFound, concat("There is no skill ", shortened(name, 80), "."), hint},
                        app::kToolError);
  }
};

}  // namespace

std::unique_ptr<Command> make_skills_command() { return std::make_unique<TypedCommand<SkillsCommand>>(); }

}  // namespace helve::cli
