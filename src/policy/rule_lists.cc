#include "policy/rule_lists.h"

#include <unistd.h>

#include "base/json_parse.h"
#include "base/strings.h"

namespace helve::policy {
namespace {

std::unexpected<Error> wrong(std::string_view place, std::string_view wanted, const Json& found) {
  return fail(ErrorCode::kInvalidArgument,
              concat(place, " must be ", wanted, ", not ",
                     found.type_name() == "array" ? "an " : "a value of type ", found.type_name()),
              R"x(Write ["exec(git diff:*)", {rule = "exec(git log:*)", examples = ["git log -3"]}].)x");
}

Expected<std::vector<std::string>> read_texts(const Json& list, const std::string& place) {
  if (!list.is_array()) return wrong(place, "a list of texts", list);
  std::vector<std::string> texts;
  for (const Json& element : list.as_array()) {
    if (!element.is_string()) return wrong(place, "a list of texts", element);
    texts.push_back(element.as_string());
  }
  return texts;
}

Expected<RuleEntry> read_entry(const Json& element, const std::string& place) {
  if (element.is_string()) return RuleEntry{.rule = element.as_string()};
  if (!element.is_object()) return wrong(place, "a rule or an object with a rule in it", element);
  RuleEntry entry;
  for (const auto& [name, value] : element.as_object()) {
    if (name == "rule") {
      if (!value.is_string()) return wrong(concat(place, ".rule"), "a text", value);
      entry.rule = value.as_string();
    } else if (name == "examples" || name == "notExamples") {
      auto texts = read_texts(value, concat(place, ".", name));
      if (!texts) return fail(texts.error());
      (name == "examples" ? entry.examples : entry.not_examples) = std::move(*texts);
    } else {
      const std::string known[] = {"rule", "examples", "notExamples"};
      const auto near = nearest(name, known);
      return fail(ErrorCode::kInvalidArgument, concat(place, " has no member ", name),
                  near.empty() ? "Its members are rule, examples and notExamples."
                               : concat("Did you mean ", near.front(), "?"));
    }
  }
  if (entry.rule.empty())
    return fail(ErrorCode::kInvalidArgument, concat(place, " has no rule"),
                "Add rule = \"exec(git diff:*)\".");
  return entry;
}

}  // namespace

Expected<std::vector<RuleEntry>> read_rule_entries(const Json& list, std::string_view name) {
  if (!list.is_array()) return wrong(name, "a list of rules", list);
  std::vector<RuleEntry> entries;
  for (const Json& element : list.as_array()) {
    auto entry = read_entry(element, concat(name, "[", entries.size(), "]"));
    if (!entry) return fail(entry.error());
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Expected<ClaudeRules> read_claude_settings(std::string_view text, const std::string& source) {
  const auto settings = parse_json(text);
  if (!settings) {
    Error error = settings.error();
    error.message = concat(source, ": ", error.message);
    return fail(std::move(error));
  }
  ClaudeRules rules{.lists = {.source = source, .foreign = true}};
  const Json* permissions = settings->find("permissions");
  if (permissions == nullptr) return rules;
  if (!permissions->is_object()) return wrong(concat(source, ": permissions"), "an object", *permissions);
  for (const auto& [name, value] : permissions->as_object()) {
    std::vector<RuleEntry>* list = name == "allow"  ? &rules.lists.allow
                                   : name == "ask"  ? &rules.lists.ask
                                   : name == "deny" ? &rules.lists.deny
                                                    : nullptr;
    if (list == nullptr) {
      rules.warnings.push_back(concat(source, ": permissions.", name, " is not used by Helve."));
      continue;
    }
    auto texts = read_texts(value, concat(source, ": permissions.", name));
    if (!texts) return fail(texts.error());
    for (std::string& rule : *texts) list->push_back({.rule = std::move(rule)});
  }
  return rules;
}

std::vector<std::string> find_claude_settings(const Surroundings& surroundings) {
  std::vector<std::string> found;
  const auto look = [&](const std::string& directory, std::string_view name) {
    std::string path = concat(directory, "/.claude/", name);
    if (!directory.empty() && ::access(path.c_str(), R_OK) == 0) found.push_back(std::move(path));
  };
  look(surroundings.home, "settings.json");
  if (surroundings.home != surroundings.workspace) look(surroundings.workspace, "settings.json");
  look(surroundings.workspace, "settings.local.json");
  return found;
}

}  // namespace helve::policy
