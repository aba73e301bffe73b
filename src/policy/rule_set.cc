#include "policy/rule_set.h"

#include <unistd.h>

#include <algorithm>

#include "base/json_parse.h"
#include "base/strings.h"

namespace helve::policy {
namespace {

bool matches_command(const Rule& rule, std::string_view example, const Surroundings& surroundings) {
  const shell::CommandLine line = shell::parse_command_line(example);
  if (line.commands.empty()) return false;
  if (!rule.command) return true;
  if (rule.verdict == Verdict::kAllow)
    return line.unknown.empty() &&
           std::ranges::all_of(line.commands, [&](const auto& each) { return rule.command->grants(each); });
  return std::ranges::any_of(line.commands, [&](const shell::SimpleCommand& each) {
    return rule.command->restricts(readings_of(each, surroundings.workspace), each.open_ended) == Match::kYes;
  });
}

Expected<void> check_examples(const Rule& rule, const Surroundings& surroundings) {
  for (const std::string& example : rule.examples)
    if (!matches_example(rule, example, surroundings))
      return fail(ErrorCode::kInvalidArgument,
                  concat("The example \"", example, "\" does not match ", rule.describe(), "."),
                  "Correct the rule or the example.");
  for (const std::string& example : rule.not_examples)
    if (matches_example(rule, example, surroundings))
      return fail(ErrorCode::kInvalidArgument,
                  concat("The counterexample \"", example, "\" matches ", rule.describe(), "."),
                  "Make the rule narrower, or remove the counterexample.");
  return {};
}

class Loader {
 public:
  explicit Loader(const RuleContext& context) : context_(context) {}

  Expected<void> add(const RuleLists& lists) {
    const std::pair<Verdict, const std::vector<RuleEntry>*> all[] = {
        {Verdict::kDeny, &lists.deny}, {Verdict::kAsk, &lists.ask}, {Verdict::kAllow, &lists.allow}};
    for (const auto& [verdict, entries] : all)
      for (std::size_t i = 0; i < entries->size(); ++i)
        if (auto added = add_entry((*entries)[i], verdict,
                                   (*entries)[i].origin.value_or(Origin{lists.source, i + 1}), lists.foreign);
            !added)
          return added;
    return {};
  }

  LoadedRules finish() && {
    for (std::string& dead : find_dead_rules(loaded_.rules)) loaded_.warnings.push_back(std::move(dead));
    return std::move(loaded_);
  }

 private:
  Expected<void> add_entry(const RuleEntry& entry, Verdict verdict, Origin origin, bool foreign) {
    auto rule = parse_rule(entry.rule, verdict, std::move(origin), context_);
    if (!rule) {
      if (!foreign || verdict != Verdict::kAllow) return fail(rule.error());
      loaded_.warnings.push_back(concat(rule.error().message, " The rule is ignored."));
      return {};
    }
    if (!rule->known_tool) {
      std::string problem = concat(rule->describe(), ": there is no tool ", rule->tool);
      problem.front() = 'T';
      if (!rule->suggested_tool.empty()) problem += concat("; did you mean ", rule->suggested_tool, "?");
      // A misspelled restriction would protect nothing, so loading fails.
      if (!foreign && rule->restricts() && !rule->suggested_tool.empty())
        return fail(ErrorCode::kInvalidArgument, std::move(problem), "Correct the name.");
      loaded_.warnings.push_back(std::move(problem));
    }
    rule->examples = entry.examples;
    rule->not_examples = entry.not_examples;
    if (auto checked = check_examples(*rule, context_.surroundings); !checked) return checked;
    loaded_.rules.push_back(std::move(*rule));
    return {};
  }

  const RuleContext& context_;
  LoadedRules loaded_;
};

std::string sentence(std::string text) {
  if (!text.empty() && text.front() == 't') text.front() = 'T';
  return text;
}

std::unexpected<Error> wrong(std::string_view place, std::string_view wanted, const Json& found) {
  return fail(ErrorCode::kInvalidArgument,
              concat(place, " must be ", wanted, ", not ",
                     found.type_name() == "array" ? "an " : "a value of type ", found.type_name()),
              R"x(Write ["exec(git diff:*)", {rule = "exec(git log:*)", examples = ["git log -3"]}].)x");
}

Expected<std::vector<std::string>> read_texts(const Json& list, const std::string& place) {
  if (!list.is_array()) return wrong(place, "a list of strings", list);
  std::vector<std::string> texts;
  for (const Json& element : list.as_array()) {
    if (!element.is_string()) return wrong(place, "a list of strings", element);
    texts.push_back(element.as_string());
  }
  return texts;
}

Expected<RuleEntry> read_entry(const Json& element, const std::string& place) {
  if (element.is_string()) return RuleEntry{.rule = element.as_string()};
  if (!element.is_object()) return wrong(place, "a rule or an object with a rule", element);
  RuleEntry entry;
  for (const auto& [name, value] : element.as_object()) {
    if (name == "rule") {
      if (!value.is_string()) return wrong(concat(place, ".rule"), "a string", value);
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

bool matches_example(const Rule& rule, std::string_view example, const Surroundings& surroundings) {
  switch (rule.kind) {
    case ToolKind::kCommand: return matches_command(rule, example, surroundings);
    case ToolKind::kReadsFiles:
    case ToolKind::kChangesFiles:
      return !rule.path ||
             rule.path->covers(locate(example, surroundings.workspace), PathSpec::Extent::kItself);
    case ToolKind::kProcess: return !rule.spec || *rule.spec == "*" || *rule.spec == example;
    case ToolKind::kMcp:
    case ToolKind::kOther: return rule.applies_to(example);
  }
  return false;
}

std::vector<std::string> find_dead_rules(const RuleSet& rules) {
  std::vector<std::string> dead;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Rule& rule = rules[i];
    if (rule.command && !rule.command->contradiction().empty()) {
      dead.push_back(
          sentence(concat(rule.describe(), " can never match: ", rule.command->contradiction(), ".")));
      continue;
    }
    if (rule.verdict == Verdict::kAllow && rule.command && rule.command->leaves_program_open())
      dead.push_back(
          sentence(concat(rule.describe(), " lets any program run, because it does not name one.")));
    const auto duplicate =
        std::find_if(rules.begin(), rules.begin() + static_cast<std::ptrdiff_t>(i), [&](const Rule& earlier) {
          return earlier.verdict == rule.verdict && earlier.text() == rule.text();
        });
    if (duplicate != rules.begin() + static_cast<std::ptrdiff_t>(i)) {
      dead.push_back(sentence(concat(rule.describe(), " is a duplicate of ", duplicate->describe(), ".")));
      continue;
    }
    const auto wider = std::ranges::find_if(
        rules, [&](const Rule& other) { return other.verdict > rule.verdict && covers_all_of(other, rule); });
    if (wider != rules.end())
      dead.push_back(sentence(
          concat(rule.describe(), " has no effect: ", wider->describe(), " is stricter and as wide.")));
  }
  return dead;
}

Expected<LoadedRules> load_rules(std::span<const RuleLists> sources, const RuleContext& context) {
  Loader loader(context);
  for (const RuleLists& lists : sources)
    if (auto added = loader.add(lists); !added) return fail(added.error());
  return std::move(loader).finish();
}

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
