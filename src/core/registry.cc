// Definition checks, lookup and change notifications.
#include "helve/registry.h"

#include <algorithm>
#include <ranges>
#include <tuple>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/old_names.h"
#include "settings/foreign_schema.h"
#include "settings/param_pattern.h"

namespace helve {
namespace {

std::unexpected<Error> bad_definition(ErrorKind kind, std::string message) {
  return fail(kind, ErrorCode::kInvalidArgument, std::move(message), "Correct the tool's definition.");
}

std::string title_from_name(std::string_view name) {
  std::string title = replace_all(name, "_", " ");
  title.replace(0, 1, to_upper(title.substr(0, 1)));
  return title;
}

bool has_member(const ParamType& params, std::string_view name) {
  return std::ranges::any_of(params.members, [&](const Param& param) { return param.name == name; });
}

// Every tool takes an explanation, and every tool that supports it a dry run.
void add_common_parameters(ToolDefinition& definition, bool explanation_required) {
  ParamType& params = definition.params;
  // The server of a foreign tool does not know these parameters.
  if (!definition.foreign_schema.is_null()) return;
  if (definition.dry_runs && !has_member(params, "dryRun"))
    params.members.push_back({"dryRun",
                              "Change nothing; show what would change.",
                              false,
                              std::nullopt,
                              {.kind = ParamType::Kind::kBoolean}});
  if (!has_member(params, "explanation"))
    params.members.push_back({"explanation",
                              "Why you make this call, in the first person: purpose and expected effect.",
                              explanation_required,
                              std::nullopt,
                              {.kind = ParamType::Kind::kString, .max_length = 2000}});
}

// Function-calling APIs require such names, and Helve uses them in file names.
bool is_good_name(std::string_view name) {
  constexpr std::size_t kLongest = 128;
  return name.size() <= kLongest &&
         std::ranges::all_of(name, [](char c) { return is_word_character(c) || c == '-'; });
}

// A fault in a definition that was made at run time; empty when there is none.
std::string fault_in(const ParamType& type, const std::string& path) {
  using enum ParamType::Kind;
  if ((type.kind == kArray || type.kind == kMap) && type.element.size() != 1)
    return concat(path, " does not say of what type its elements are");
  if (!type.pattern.empty()) {
    if (const auto compiled = settings::compile_param_pattern(type.pattern); !compiled)
      return concat(path, " has the pattern ", type.pattern,
                    ", which cannot be used: ", compiled.error().message);
  }
  for (const ParamType& element : type.element)
    if (std::string fault = fault_in(element, path); !fault.empty()) return fault;
  for (const Param& member : type.members)
    if (std::string fault = fault_in(member.type, member.name); !fault.empty()) return fault;
  return {};
}

int group_rank(std::string_view group) {
  static constexpr std::string_view kOrder[] = {"base", "code", "lsp", "snippets", "interaction", "browser"};
  return static_cast<int>(std::ranges::find(kOrder, group) - std::begin(kOrder));
}

}  // namespace

Registry::Registry(Options options) : options_(std::move(options)) {}

Expected<void> Registry::add(std::unique_ptr<Tool> tool) {
  auto entry = std::make_shared<RegisteredTool>(tool->definition(), std::move(tool));
  ToolDefinition& definition = entry->definition;
  if (trim(definition.name).empty()) return bad_definition(ErrorKind::kEmptyName, "A tool needs a name.");
  if (!is_good_name(definition.name))
    return bad_definition(ErrorKind::kInvalidName,
                          concat("The tool name \"", shortened(definition.name, 100),
                                 "\" may have letters, digits, _ and - only, 128 at most."));
  if (trim(definition.description).empty())
    return bad_definition(ErrorKind::kEmptyDescription,
                          concat("The tool ", definition.name, " needs a description."));
  // The user cannot correct the schemas of other servers, so their faults are tolerated.
  const std::string undefined = definition.server.empty()
                                    ? settings::undefined_required_property(definition.foreign_schema)
                                    : std::string();
  if (!undefined.empty())
    return bad_definition(ErrorKind::kRequiredPropertyNotDefined,
                          concat("The tool ", definition.name, " requires the parameter ", undefined,
                                 ", but does not define it."));
  if (!definition.foreign_schema.is_null()) {
    definition.params = settings::params_from_schema(definition.foreign_schema);
    entry->arguments = std::make_shared<settings::LazySchema>(definition.foreign_schema);
  }
  if (const std::string fault = fault_in(definition.params, "the parameters"); !fault.empty())
    return bad_definition(ErrorKind::kInvalidParameters,
                          concat("The tool ", definition.name, ": ", fault, "."));
  if (definition.title.empty()) definition.title = title_from_name(definition.name);
  add_common_parameters(definition, options_.explanation_required);
  {
    const std::lock_guard lock(mutex_);
    if (!tools_.try_emplace(definition.name, entry).second)
      return bad_definition(ErrorKind::kDuplicateName,
                            concat("There is already a tool with the name ", definition.name, "."));
  }
  notify();
  return {};
}

bool Registry::remove(std::string_view name) {
  std::shared_ptr<const RegisteredTool> removed;  // destroyed after the lock is released
  {
    const std::lock_guard lock(mutex_);
    const auto found = tools_.find(name);
    if (found == tools_.end()) return false;
    removed = std::move(found->second);
    tools_.erase(found);
  }
  notify();
  return true;
}

Expected<std::shared_ptr<const RegisteredTool>> Registry::find(std::string_view name) const {
  bool disabled = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = tools_.find(name);
    if (found != tools_.end() && is_enabled(found->second->definition)) return found->second;
    disabled = found != tools_.end();
  }
  const std::vector<std::string> known = names();
  JsonObject details{{"tool", name}};
  std::string hint;
  ErrorKind kind = ErrorKind::kNone;
  if (disabled) {
    JsonArray enabled;
    for (const std::string& rule : options_.enabled)
      if (rule != concat("-", name)) enabled.emplace_back(rule);
    enabled.emplace_back(name);
    hint = concat("It exists, but is not enabled. Use another tool, or set tools.enabled = ",
                  to_text(Json(std::move(enabled))), ".");
    details.append("enabled", false);
    kind = ErrorKind::kToolNotEnabled;
  } else if (const auto meant = core::tool_meant_by(name, known, options_.other_names); !meant.empty()) {
    hint = concat("Did you mean ", meant, "?");
    details.append("suggestion", meant);
    kind = ErrorKind::kSimilarToolExists;
  } else {
    constexpr std::size_t kMostNamed = 5;
    const std::vector<std::string> near = core::nearest_tools(name, known, kMostNamed);
    hint = known.empty() ? "There are no tools."
           : known.size() <= near.size()
               ? concat("The tools are ", enumerate(known), ".")
               : concat("The nearest of ", known.size(), " tools are ", enumerate(near), ".");
  }
  return fail(kind, ErrorCode::kUnknownTool, concat("Unknown Agent tool: ", name), std::move(hint),
              std::move(details));
}

Expected<std::shared_ptr<const RegisteredTool>> Registry::wait_for(std::string_view name,
                                                                   const std::stop_token& stop) const {
  auto found = find(name);
  if (found || found.error().kind == ErrorKind::kToolNotEnabled) return found;
  std::vector<std::weak_ptr<Source>> sources;
  {
    const std::lock_guard lock(subscribers_mutex_);
    sources = sources_;
  }
  bool waited = false;
  for (const auto& source : sources)
    if (const auto wait = source.lock()) {
      (*wait)(name, stop);
      waited = true;
    }
  return waited ? find(name) : std::move(found);
}

Registry::Subscription Registry::add_source(Source wait) {
  auto source = std::make_shared<Source>(std::move(wait));
  const std::lock_guard lock(subscribers_mutex_);
  std::erase_if(sources_, [](const auto& known) { return known.expired(); });
  sources_.push_back(source);
  return source;
}

std::vector<std::shared_ptr<const RegisteredTool>> Registry::list() const {
  std::vector<std::shared_ptr<const RegisteredTool>> tools;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, entry] : tools_)
      if (is_enabled(entry->definition)) tools.push_back(entry);
  }
  std::ranges::sort(tools, {}, [](const auto& entry) {
    const ToolDefinition& definition = entry->definition;
    return std::tuple(group_rank(definition.group), std::string_view(definition.group),
                      std::string_view(definition.name));
  });
  return tools;
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> names;
  for (const auto& entry : list()) names.push_back(entry->definition.name);
  return names;
}

Registry::Subscription Registry::on_change(std::function<void()> callback) {
  auto subscriber = std::make_shared<std::function<void()>>(std::move(callback));
  const std::lock_guard lock(subscribers_mutex_);
  std::erase_if(subscribers_, [](const auto& known) { return known.expired(); });
  subscribers_.push_back(subscriber);
  return subscriber;
}

bool Registry::is_enabled(const ToolDefinition& definition) const {
  bool enabled = false;
  for (std::string_view rule : options_.enabled) {
    const bool takes_away = rule.starts_with('-');
    if (takes_away) rule.remove_prefix(1);
    const bool general = rule == "*" || rule == definition.group;
    if (rule == definition.name || (general && (takes_away || !definition.opt_in))) enabled = !takes_away;
  }
  return enabled;
}

void Registry::notify() const {
  std::vector<std::weak_ptr<std::function<void()>>> subscribers;
  {
    const std::lock_guard lock(subscribers_mutex_);
    subscribers = subscribers_;
  }
  for (const auto& subscriber : subscribers)
    if (const auto callback = subscriber.lock()) (*callback)();
}

}  // namespace helve
