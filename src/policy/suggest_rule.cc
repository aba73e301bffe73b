#include "policy/suggest_rule.h"

#include <algorithm>
#include <array>

#include "base/json_read.h"
#include "base/strings.h"
#include "policy/command_words.h"
#include "policy/decide.h"
#include "shell/effects.h"

namespace helve::policy {
namespace {

using shell::SimpleCommand;

constexpr std::size_t kMostCommands = 32;  // users do not review more rules than this at once

// Programs with subcommands. `runners` are subcommands whose next word also belongs to the prefix.
struct Subcommands {
  std::string_view program;
  std::array<std::string_view, 6> runners;
};
constexpr auto kSubcommands = std::to_array<Subcommands>({
    {"git", {}},
    {"npm", {"run", "run-script", "exec"}},
    {"pnpm", {"run", "exec", "dlx"}},
    {"yarn", {"run", "exec", "dlx"}},
    {"cargo", {}},
    {"go", {"run", "tool", "generate"}},
    {"docker", {"compose", "container", "image", "run", "exec", "volume"}},
    {"podman", {"container", "image", "run", "exec", "volume"}},
    {"kubectl", {"config", "rollout", "exec"}},
    {"make", {}},
    {"ninja", {}},
    {"pip", {}},
    {"pip3", {}},
    {"uv", {"run", "pip", "tool"}},
    {"poetry", {"run"}},
    {"dotnet", {"tool", "run"}},
    {"gradle", {}},
    {"mvn", {}},
    {"bundle", {"exec"}},
    {"gh", {"pr", "issue", "repo", "run", "release", "api"}},
});

// Subcommands that affect other machines or cannot be undone: approval covers the exact command only.
constexpr auto kIrreversible = std::to_array<std::string_view>({
    "push",   "apply",  "drain",  "publish",       "unpublish", "yank",   "release",
    "deploy", "login",  "logout", "reset",         "clean",     "rm",     "rmi",
    "prune",  "delete", "gc",     "filter-branch", "uninstall", "remove",
});

bool is_plain_word(const shell::Word& word) {
  return word.literal && !word.text.empty() && !word.text.starts_with('-') &&
         word.text.find_first_of(" */=") == std::string::npos;
}

// "git diff" for `git diff --stat`; empty when the command should not be allowed by prefix.
std::string prefix_for(const SimpleCommand& command) {
  const Words& words = command.words;
  const auto* known = std::ranges::find(kSubcommands, words.front().text, &Subcommands::program);
  if (known == kSubcommands.end() || words.size() < 2 || !is_plain_word(words[1])) return {};
  const auto is_irreversible = [](const shell::Word& word) {
    return std::ranges::find(kIrreversible, word.text) != kIrreversible.end();
  };
  if (std::ranges::any_of(words, is_irreversible)) return {};
  std::string prefix = concat(words[0].text, " ", words[1].text);
  if (std::ranges::find(known->runners, words[1].text) == known->runners.end()) return prefix;
  return words.size() > 2 && is_plain_word(words[2]) ? concat(prefix, " ", words[2].text) : std::string();
}

std::string exact_rule(const SimpleCommand& command) {
  Words all;
  for (const shell::Assignment& assignment : command.assignments) {
    if (!assignment.value.literal) return {};
    all.push_back({.text = concat(assignment.name, "=", quoted(assignment.value.text)), .literal = false});
  }
  for (const shell::Word& word : command.words) {
    if (!word.literal) return {};
    all.push_back(word);
  }
  std::string text = spell_out(all);
  // A closing `:*` or ` *` would turn the exact rule into a prefix.
  return text.ends_with(":*") || text.ends_with(" *") ? std::string() : concat("exec(", text, ")");
}

std::string rule_for(const SimpleCommand& command) {
  if (command.words.empty() || !command.words.front().literal) return {};
  const std::string prefix = prefix_for(command);
  const auto named = static_cast<std::size_t>(std::ranges::count(prefix, ' ')) + 1;
  const bool plain = !prefix.empty() && command.assignments.empty() && !shell::runs_more(command, named) &&
                     !is_interpreter(command.words.front().text);
  if (plain) return concat("exec(", prefix, ":*)");
  return exact_rule(command);
}

bool writes(const shell::Redirection& redirection) {
  using enum shell::Redirection::Kind;
  return (redirection.kind == kWrite || redirection.kind == kAppend) && redirection.target.literal &&
         !redirection.target.text.starts_with("/dev/");
}

std::string path_rule(std::string_view path, const Surroundings& surroundings) {
  const Location location = locate(path, surroundings.workspace);
  // Escape glob characters, so that the rule names this file only.
  std::string escaped;
  const bool inside = is_within(location.real, surroundings.workspace);
  for (const char c : inside ? location.real.substr(surroundings.workspace.size()) : location.real) {
    if (std::string_view("*?[]{}\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return inside ? concat("edit(", escaped, ")") : concat("edit(/", escaped, ")");
}

// Every rule that might be needed; suggest_rules() removes the redundant ones.
std::vector<std::string> possible_rules(const RequestedCall& call, const Surroundings& surroundings) {
  std::vector<std::string> rules;
  switch (kind_of_tool(call.tool)) {
    case ToolKind::kCommand: {
      const auto line = shell::parse_command_line(text_in(call.arguments, "command"), surroundings.dialect);
      if (line.commands.size() > kMostCommands) return {};
      for (const SimpleCommand& command : line.commands) {
        rules.push_back(rule_for(command));
        for (const shell::Redirection& redirection : command.redirections)
          if (writes(redirection)) rules.push_back(path_rule(redirection.target.text, surroundings));
      }
      break;
    }
    case ToolKind::kChangesFiles:
      for (const std::string& path : paths_of_call(call.tool, call.arguments).paths)
        rules.push_back(path_rule(path, surroundings));
      break;
    case ToolKind::kProcess:
      rules.push_back(concat("process(", text_in(call.arguments, "action"), ")"));
      break;
    default: rules.push_back(call.tool);
  }
  return rules;
}

}  // namespace

Suggestion suggest_rules(const RequestedCall& call, Mode mode, const RuleSet& rules,
                         const Surroundings& surroundings) {
  std::vector<std::string> texts;
  RuleSet extended = rules;
  for (std::string& text : possible_rules(call, surroundings)) {
    if (text.empty() || std::ranges::find(texts, text) != texts.end()) continue;
    auto rule = parse_rule(text, Verdict::kAllow, {.source = "suggestion"}, {.surroundings = surroundings});
    if (!rule) continue;
    texts.push_back(std::move(text));
    extended.push_back(std::move(*rule));
  }
  const Ruling with_all = decide(call, mode, extended, surroundings);
  if (with_all.verdict != Verdict::kAllow) return {.obstacle = with_all.reason};
  for (std::size_t i = 0; i < texts.size();) {
    RuleSet fewer = extended;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(rules.size() + i));
    if (decide(call, mode, fewer, surroundings).verdict == Verdict::kAllow) {
      extended = std::move(fewer);
      texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return {.rules = std::move(texts)};
}

}  // namespace helve::policy
