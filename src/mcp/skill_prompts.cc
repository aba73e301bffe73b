#include "mcp/skill_prompts.h"

#include "base/strings.h"
#include "skills/activate.h"
#include "workspace/root.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kArguments = "arguments";

skills::SkillSet discover(const workspace::Root& root, const SkillPrompts::Places& places) {
  return skills::discover_skills({.workspace = root,
                                  .project_trusted = places.project_trusted,
                                  .config_directory = places.config_directory,
                                  .home = places.home});
}

Json described(const skills::Skill& skill) {
  Json json = JsonObject{{"name", skill.name}, {"description", skill.description}};
  const std::string hint = skill.argument_hint.empty() ? "What to use the skill for." : skill.argument_hint;
  json["arguments"] = JsonArray{JsonObject{{"name", kArguments}, {"description", hint}, {"required", false}}};
  return json;
}

}  // namespace

JsonArray SkillPrompts::list() {
  JsonArray prompts;
  const Places places = places_();
  const auto root = workspace::Root::open(places.workspace);
  if (!root) return prompts;
  for (const skills::Skill& skill : discover(*root, places).skills)
    if (skill.user_invocable) prompts.push_back(described(skill));
  return prompts;
}

std::expected<std::optional<Json>, rpc::Failure> SkillPrompts::get(ActiveRequest& /*request*/,
                                                                   const std::string& name,
                                                                   const Json& arguments) {
  const Places places = places_();
  const auto root = workspace::Root::open(places.workspace);
  if (!root) return failure(rpc::kInternalError, root.error().message);
  const skills::SkillSet set = discover(*root, places);
  const skills::Skill* skill = set.find(name);
  if (skill == nullptr || !skill->user_invocable) return std::optional<Json>();
  const Json* given = arguments.find(kArguments);
  const auto active =
      skills::activate_skill(*skill, *root, given != nullptr && given->is_string() ? given->as_string() : "");
  if (!active) return failure(rpc::kInternalError, active.error().message);
  Json content = JsonObject{{"type", "text"}, {"text", active->text}};
  return Json(
      JsonObject{{"description", skill->description},
                 {"messages", JsonArray{JsonObject{{"role", "user"}, {"content", std::move(content)}}}}});
}

std::vector<std::string> SkillPrompts::complete(const std::string& /*name*/, const std::string& /*argument*/,
                                                const std::string& /*value*/) {
  return {};  // the argument of a skill is free text
}

Subscription SkillPrompts::on_change(std::function<void()> /*callback*/) { return {}; }

}  // namespace helve::mcp
