#include "mcp/skill_prompts.h"

#include <filesystem>

#include "base/strings.h"
#include "skills/activate.h"
#include "workspace/root.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kArguments = "arguments";

Json described(const skills::Skill& skill) {
  Json json = JsonObject{{"name", skill.name}, {"description", skill.description}};
  const std::string hint = skill.argument_hint.empty() ? "The task for the skill." : skill.argument_hint;
  json["arguments"] = JsonArray{JsonObject{{"name", kArguments}, {"description", hint}, {"required", false}}};
  return json;
}

}  // namespace

skills::SkillSet SkillPrompts::discover(const workspace::Root& root, const Places& places) {
  return skills::discover_skills({.workspace = root,
                                  .project_trusted = places.project_trusted,
                                  .config_directory = places.config_directory,
                                  .home = places.home});
}

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

Subscription SkillPrompts::on_change(std::function<void()> callback) {
  auto subscriber = std::make_shared<std::function<void()>>(std::move(callback));
  const std::lock_guard lock(mutex_);
  subscribers_.push_back(subscriber);
  if (watch_) return subscriber;
  listed_ = to_text(list());  // what the client may see before the watch has begun
  watch_ = std::make_unique<PathWatch>(PathWatch::Parts{.paths = [this] { return watched_paths(); },
                                                        .on_change = [this] { look_for_changes(); }});
  return subscriber;
}

// The directories and the skills in them, which are files in directories of their own.
std::vector<std::string> SkillPrompts::watched_paths() const {
  constexpr std::size_t kMostPaths = 1'000;
  const Places places = places_();
  std::vector<std::string> paths =
      skills::skill_directories(places.workspace, places.config_directory, places.home);
  const std::size_t places_count = paths.size();
  for (std::size_t i = 0; i < places_count; ++i) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(paths[i], ignored))
      if (std::error_code unknown; paths.size() < kMostPaths && entry.is_directory(unknown))
        paths.push_back(entry.path().string());
  }
  if (!places.trust_file.empty()) paths.push_back(places.trust_file);
  return paths;
}

void SkillPrompts::look_for_changes() {
  std::string now = to_text(list());
  std::vector<std::shared_ptr<std::function<void()>>> told;
  {
    const std::lock_guard lock(mutex_);
    const bool changed = listed_ != now;
    listed_ = std::move(now);
    if (changed)
      for (const auto& subscriber : subscribers_)
        if (auto strong = subscriber.lock()) told.push_back(std::move(strong));
  }
  for (const auto& callback : told) (*callback)();
}

}  // namespace helve::mcp
