#include "core/rule_book.h"

#include <algorithm>

#include "base/file_io.h"
#include "base/file_trust.h"
#include "base/strings.h"
#include "helve/settings/permissions.h"
#include "policy/rule_set.h"

namespace helve::core {
namespace {

using policy::RuleEntry;
using policy::RuleLists;

std::vector<policy::RuleEntry> entries_of(policy::Verdict verdict, const std::vector<std::string>& rules,
                                          const PermissionSettings& settings) {
  const auto found = [](const auto& examples, const std::string& rule) {
    const auto place = examples.find(rule);
    return place == examples.end() ? std::vector<std::string>() : place->second;
  };
  std::vector<policy::RuleEntry> entries;
  for (const std::string& rule : rules) {
    entries.push_back({rule, found(settings.examples, rule), found(settings.counter_examples, rule)});
    const auto origin = settings.origins.find(concat(policy::verdict_name(verdict), " ", rule));
    if (origin != settings.origins.end())
      entries.back().origin = policy::Origin{origin->second.source, origin->second.number};
  }
  return entries;
}

// An example for an unknown rule is most likely meant for a similar one.
Expected<void> check_examples(const PermissionSettings& settings) {
  for (const auto* examples : {&settings.examples, &settings.counter_examples}) {
    for (const auto& [rule, unused] : *examples) {
      std::vector<std::string> known;
      for (const auto* list : {&settings.deny, &settings.ask, &settings.allow})
        known.insert(known.end(), list->begin(), list->end());
      if (std::ranges::find(known, rule) != known.end()) continue;
      const auto near = nearest(rule, known);
      return fail(ErrorCode::kInvalidArgument,
                  concat("There are examples for ", rule, ", which is not a rule."),
                  near.empty() ? "Put the rule into permissions.allow, ask or deny."
                               : concat("Did you mean ", near.front(), "?"));
    }
  }
  return {};
}

Expected<void> add_claude_rules(std::vector<policy::RuleLists>& sources,
                                const policy::Surroundings& surroundings, bool project_trusted,
                                std::vector<std::string>& warnings) {
  for (const std::string& path : policy::find_claude_settings(surroundings)) {
    const auto text = read_file(path);
    if (!text) return fail(text.error());
    auto rules = policy::read_claude_settings(*text, path);
    if (!rules) return fail(rules.error());
    const bool of_project = path.starts_with(concat(surroundings.workspace, "/"));
    // The content of a project's own files is reviewed.
    if (const auto safe = of_project ? Expected<void>() : check_writers(path);
        !safe && !rules->lists.allow.empty()) {
      rules->lists.allow.clear();
      warnings.push_back(concat("The allow rules of ", path, " are ignored: ", safe.error().message, " ",
                                safe.error().hint));
    }
    if (of_project && !project_trusted && !rules->lists.allow.empty()) {
      rules->lists.allow.clear();
      warnings.push_back(concat("The allow rules of ", path,
                                " are ignored because the project is not trusted as it is; run `helve config "
                                "trust`. Its other rules count."));
    }
    sources.push_back(std::move(rules->lists));
    warnings.insert(warnings.end(), rules->warnings.begin(), rules->warnings.end());
  }
  return {};
}

}  // namespace

Expected<std::shared_ptr<RuleBook>> RuleBook::load(const PermissionSettings& settings,
                                                   policy::Surroundings surroundings, bool project_trusted,
                                                   KeepRules keep, std::vector<std::string>& warnings) {
  if (auto checked = check_examples(settings); !checked) return fail(checked.error());
  surroundings.allows_catastrophes = settings.allow_catastrophes;
  std::vector<policy::RuleLists> sources{
      {.source = "permissions",
       .allow = entries_of(policy::Verdict::kAllow, settings.allow, settings),
       .ask = entries_of(policy::Verdict::kAsk, settings.ask, settings),
       .deny = entries_of(policy::Verdict::kDeny, settings.deny, settings)}};
  if (settings.claude_settings)
    if (auto added = add_claude_rules(sources, surroundings, project_trusted, warnings); !added)
      return fail(added.error());
  auto loaded = policy::load_rules(sources, {surroundings});
  if (!loaded) return fail(loaded.error());
  warnings.insert(warnings.end(), loaded->warnings.begin(), loaded->warnings.end());
  std::shared_ptr<RuleBook> book(new RuleBook(std::move(surroundings), std::move(keep)));
  book->set(std::move(loaded->rules));
  return book;
}

void RuleBook::set(policy::RuleSet rules) {
  auto hidden = std::make_shared<const policy::HiddenPaths>(rules, surroundings_);
  auto shared = std::make_shared<const policy::RuleSet>(std::move(rules));
  const std::lock_guard lock(mutex_);
  hidden_ = std::move(hidden);
  rules_ = std::move(shared);
}

std::shared_ptr<const policy::RuleSet> RuleBook::rules() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

std::shared_ptr<const policy::HiddenPaths> RuleBook::hidden() const {
  const std::lock_guard lock(mutex_);
  return hidden_;
}

bool RuleBook::has_rules() const { return !rules()->empty(); }

bool RuleBook::has_restrictions() const { return std::ranges::any_of(*rules(), &policy::Rule::restricts); }

policy::Ruling RuleBook::decide(const policy::RequestedCall& call, Mode mode,
                                const policy::RuleSet& besides) const {
  if (besides.empty()) return policy::decide(call, mode, *rules(), surroundings_);
  policy::RuleSet all = *rules();
  all.insert(all.end(), besides.begin(), besides.end());
  return policy::decide(call, mode, all, surroundings_);
}

policy::Suggestion RuleBook::suggest(const policy::RequestedCall& call, Mode mode) const {
  return policy::suggest_rules(call, mode, *rules(), surroundings_);
}

Expected<void> RuleBook::allow_always(const std::vector<std::string>& rules) {
  const std::lock_guard lock(adding_);  // a concurrent answer must not get lost
  policy::RuleSet all = *this->rules();
  for (const std::string& text : rules) {
    auto rule = policy::parse_rule(text, policy::Verdict::kAllow, {.source = "the user"}, {surroundings_});
    if (!rule) return fail(rule.error());
    all.push_back(*std::move(rule));
  }
  if (keep_)
    if (auto kept = keep_(rules); !kept) return kept;
  set(std::move(all));
  return {};
}

Decision RulePermissions::decide(const PermissionRequest& request) const {
  // Most calls read, and most users have no rules for reading.
  if ((request.effect == Effect::kRead || request.effect == Effect::kAsk) && !rules_->has_rules())
    return ModePermissions(mode_).decide(request);
  const policy::RequestedCall call = request;
  const policy::Ruling ruling = rules_->decide(call, mode_, session_rules());
  if (ruling.verdict == Decision::Verdict::kAsk &&
      (approvals_.has(call, rules_->surroundings()) ||
       (approvals_.has_input_to_job(call) && !rules_->has_restrictions())))
    return {Decision::Verdict::kAllow, "the user approved calls like this one for the session"};
  return ruling.to_decision();
}

Json RulePermissions::explain(const PermissionRequest& request) const {
  const policy::RequestedCall call = request;
  const policy::Ruling ruling = rules_->decide(call, mode_, session_rules());
  Json explained = ruling.to_json();
  explained["mode"] = name_of(mode_.load());
  if (ruling.verdict == Decision::Verdict::kAsk) {
    const policy::Suggestion suggestion = rules_->suggest(call, mode_);
    JsonArray rules;
    for (const std::string& rule : suggestion.rules) rules.emplace_back(rule);
    explained["alwaysWouldAllow"] = std::move(rules);
    if (!suggestion.obstacle.empty()) explained["obstacle"] = suggestion.obstacle;
  }
  return explained;
}

policy::RuleSet RulePermissions::session_rules() const {
  const std::lock_guard lock(mutex_);
  return session_rules_;
}

std::vector<Error> RulePermissions::allow_in_session(const std::vector<std::string>& rules,
                                                     const std::string& source) {
  std::vector<Error> wrong;
  const std::lock_guard lock(mutex_);
  for (const std::string& text : rules) {
    auto rule =
        policy::parse_rule(text, policy::Verdict::kAllow, {.source = source}, {rules_->surroundings()});
    if (rule) {
      rule->of_skill = true;
      session_rules_.push_back(*std::move(rule));
    } else {
      wrong.push_back(std::move(rule.error()));
    }
  }
  return wrong;
}

std::vector<std::string> RulePermissions::suggest(const PermissionRequest& request) const {
  return rules_->suggest(request, mode_).rules;
}

std::string RulePermissions::session_covers(const PermissionRequest& request) const {
  return policy::covered_in_session(request, rules_->has_restrictions() ? policy::InputApproval::kEachWrite
                                                                        : policy::InputApproval::kWholeJob);
}

Expected<void> RulePermissions::remember(const PermissionRequest& request, ApprovalScope scope) {
  const policy::RequestedCall call = request;
  if (scope == ApprovalScope::kSession) approvals_.grant_for_session(call, rules_->surroundings());
  if (scope == ApprovalScope::kAlways) return rules_->allow_always(request.rules);
  return {};
}

}  // namespace helve::core
