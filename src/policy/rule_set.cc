#include "policy/rule_set.h"

#include <algorithm>

#include "base/strings.h"

namespace helve::policy {
namespace {

bool fits_command(const Rule& rule, std::string_view example, const Surroundings& surroundings) {
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
    if (!fits_example(rule, example, surroundings))
      return fail(ErrorCode::kInvalidArgument,
                  concat("The example \"", example, "\" is not what ", rule.describe(), " fits."),
                  "Mend the rule or the example.");
  for (const std::string& example : rule.not_examples)
    if (fits_example(rule, example, surroundings))
      return fail(ErrorCode::kInvalidArgument,
                  concat("\"", example, "\" is meant to be left alone, but ", rule.describe(), " fits it."),
                  "Make the rule narrower, or take the example away.");
  return {};
}

// Reads the lists of one source after the other.
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
      loaded_.warnings.push_back(concat(rule.error().message, " It is passed over."));
      return {};
    }
    if (!rule->known_tool) {
      std::string problem = concat(rule->describe(), ": there is no tool ", rule->tool);
      problem.front() = 'T';
      if (!rule->meant_tool.empty()) problem += concat("; did you mean ", rule->meant_tool, "?");
      // A restriction that restricts nothing is worse than no start at all.
      if (!foreign && rule->restricts() && !rule->meant_tool.empty())
        return fail(ErrorCode::kInvalidArgument, std::move(problem), "Mend the name.");
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

}  // namespace

bool fits_example(const Rule& rule, std::string_view example, const Surroundings& surroundings) {
  switch (rule.kind) {
    case ToolKind::kCommand: return fits_command(rule, example, surroundings);
    case ToolKind::kReadsFiles:
    case ToolKind::kChangesFiles:
      return !rule.path ||
             rule.path->covers(locate(example, surroundings.workspace), PathSpec::Extent::kItself);
    case ToolKind::kProcess: return !rule.spec || *rule.spec == "*" || *rule.spec == example;
    case ToolKind::kMcp:
    case ToolKind::kOther: return rule.speaks_of(example);
  }
  return false;
}

std::vector<std::string> find_dead_rules(const RuleSet& rules) {
  std::vector<std::string> dead;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Rule& rule = rules[i];
    if (rule.command && !rule.command->contradiction().empty()) {
      dead.push_back(
          sentence(concat(rule.describe(), " can never fit: ", rule.command->contradiction(), ".")));
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
      dead.push_back(sentence(concat(rule.describe(), " says the same as ", duplicate->describe(), ".")));
      continue;
    }
    const auto wider = std::ranges::find_if(
        rules, [&](const Rule& other) { return other.verdict > rule.verdict && covers_all_of(other, rule); });
    if (wider != rules.end())
      dead.push_back(sentence(
          concat(rule.describe(), " never decides: ", wider->describe(), " is stricter and as wide.")));
  }
  return dead;
}

Expected<LoadedRules> load_rules(std::span<const RuleLists> sources, const RuleContext& context) {
  Loader loader(context);
  for (const RuleLists& lists : sources)
    if (auto added = loader.add(lists); !added) return fail(added.error());
  return std::move(loader).finish();
}

}  // namespace helve::policy
