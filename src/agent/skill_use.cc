#include "agent/skill_use.h"

#include "base/strings.h"
#include "base/utf8.h"
#include "core/engines.h"
#include "core/rule_book.h"
#include "helve/context.h"
#include "skills/activate.h"
#include "skills/skill_folder.h"

namespace helve::agent {
namespace {

std::vector<std::string> names_of(const skills::SkillSet& set) {
  std::vector<std::string> names;
  for (const skills::Skill& skill : set.skills) names.push_back(skill.name);
  return names;
}

skills::MoreTools more_of(const SkillLibrary& library) {
  return library.more ? library.more() : skills::MoreTools();
}

Error no_such_skill(const std::string& name, const skills::SkillSet& set) {
  const auto near = nearest(name, names_of(set));
  return {ErrorCode::kNotFound, concat("There is no skill ", shortened(name, 80), "."),
          near.empty() ? "The system prompt lists the available skills."
                       : concat("Did you mean ", near.front(), "?")};
}

struct UseSkill {
  static constexpr std::string_view kDescription =
      "Get the instructions of a skill, or a file that belongs to it.\n"
      "Call it with the skill's name before you begin a task that fits its description.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kGroup = "interaction";

  struct Params {
    std::string name;
    std::string arguments;
    std::string file;

    void describe(ParamSpec& p) {
      p.required("name", name, "The skill's name.", {.min_length = 1, .max_length = 200});
      p.optional("arguments", arguments, "Arguments for the skill.", {.max_length = 4'000});
      p.optional("file", file,
                 "Return this file instead of the instructions. Relative to the skill's directory.",
                 {.max_length = 1'000});
    }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{concat("skill:", params.name), Resource::Use::kShared}};
  }

  Result execute(Context& context, const Params& params) const {
    const skills::Skill* skill = library->set.find(params.name);
    if (skill == nullptr || skill->disable_model_invocation)
      return fail(no_such_skill(params.name, library->set));
    if (!params.file.empty()) return read_file_of(*skill, params.file);
    const auto activation =
        skills::activate_skill(*skill, library->workspace, params.arguments, more_of(*library));
    if (!activation) return fail(activation.error());
    Output output{.summary = concat("Using the skill ", skill->name), .content = activation->text};
    JsonArray warnings;
    for (const std::string& warning :
         allow_tools_of_skill(context.session(), skill->name, activation->tools)) {
      output.content += concat("\n(", warning, ")\n");
      context.engines().logger.warning(warning);
      warnings.emplace_back(warning);
    }
    JsonArray tools(activation->tools.tools.begin(), activation->tools.tools.end());
    output.data =
        JsonObject{{"skill", skill->name}, {"tools", std::move(tools)}, {"warnings", std::move(warnings)}};
    return output;
  }

  Result read_file_of(const skills::Skill& skill, const std::string& path) const {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    const auto folder = skills::SkillFolder::open(skill, library->workspace);
    if (!folder) return fail(folder.error());
    auto text = folder->read(path, kMost);
    if (!text) return fail(text.error());
    return Output{.summary = concat("Read ", path, " of the skill ", skill.name),
                  .content = *std::move(text)};
  }

  std::shared_ptr<const SkillLibrary> library;
};

}  // namespace

std::unique_ptr<Tool> make_skill_tool(std::shared_ptr<const SkillLibrary> library) {
  UseSkill tool;
  tool.library = std::move(library);
  return make_tool<UseSkill>(std::move(tool));
}

std::vector<std::string> allow_tools_of_skill(const Session& session, const std::string& skill,
                                              const skills::NormalizedTools& tools) {
  std::vector<std::string> warnings;
  for (const std::string& warning : tools.warnings)
    warnings.push_back(concat("Skill ", skill, ", allowed-tools: ", warning));
  auto* permissions = dynamic_cast<core::RulePermissions*>(&session.permissions());
  if (permissions == nullptr) return warnings;
  for (const Error& error : permissions->allow_in_session(tools.tools, concat("the skill ", skill)))
    warnings.push_back(concat("Skill ", skill, ": an allowed-tools entry has no effect: ", error.message));
  return warnings;
}

Expected<std::optional<SkillCommand>> expand_command(std::string_view text, const SkillLibrary& library) {
  if (!text.starts_with('/')) return std::optional<SkillCommand>();
  const std::size_t end = text.find_first_of(" \t\n");
  const std::string name(text.substr(1, end == std::string_view::npos ? end : end - 1));
  const skills::Skill* skill = library.set.find(name);
  // Not a command: for example, a path.
  if (skill == nullptr || !skill->user_invocable) return std::optional<SkillCommand>();
  const std::string_view arguments =
      end == std::string_view::npos ? std::string_view() : trim(text.substr(end));
  auto activation = skills::activate_skill(*skill, library.workspace, arguments, more_of(library));
  if (!activation) return fail(activation.error());
  return SkillCommand{name, std::move(activation->text), std::move(activation->tools)};
}

}  // namespace helve::agent
