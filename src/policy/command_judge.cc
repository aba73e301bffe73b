// Splits a line into commands and applies allow rules; command_judge_restrict.cc applies the others.
#include "policy/command_judge.h"

#include <unistd.h>

#include <algorithm>

#include "base/strings.h"
#include "policy/catastrophe.h"
#include "policy/command_words.h"
#include "shell/effects.h"

namespace helve::policy {
namespace {

using shell::Redirection;
using shell::SimpleCommand;
using shell::Word;
using enum Weight;

bool is_about_commands(const Rule& rule) { return rule.kind == ToolKind::kCommand; }

// The command wrapped by the one at `at`; null when it wraps nothing.
const SimpleCommand* wrapped_by(const std::vector<SimpleCommand>& commands, std::size_t at) {
  if (at + 1 >= commands.size() || commands[at].words.empty()) return nullptr;
  const SimpleCommand& next = commands[at + 1];
  const std::size_t depth = commands[at].wrappers.size();
  return next.wrappers.size() > depth && next.wrappers[depth] == program_name(commands[at].words.front().text)
             ? &next
             : nullptr;
}

bool is_safe_device(std::string_view path) {
  return path == "/dev/null" || path == "/dev/stdout" || path == "/dev/stderr";
}

// Git treats a directory with this layout as a repository and uses its settings, which can run programs.
bool looks_like_bare_repository(const std::string& directory) {
  return ::access(concat(directory, "/HEAD").c_str(), F_OK) == 0 &&
         ::access(concat(directory, "/objects").c_str(), F_OK) == 0 &&
         ::access(concat(directory, "/refs").c_str(), F_OK) == 0;
}

}  // namespace

CommandJudge::CommandJudge(const RuleSet& rules, const Surroundings& surroundings, Mode mode)
    : rules_(rules),
      surroundings_(surroundings),
      mode_(mode),
      directories_(surroundings.workspace, surroundings) {
  for (const Rule& rule : rules_) {
    if (!is_about_commands(rule)) continue;
    if (rule.restricts()) restricts_commands_ = true;
    const bool total = !rule.command || rule.command->form() == CommandSpec::Form::kEverything;
    if (!rule.restricts() && total && everything_ == nullptr) everything_ = &rule;
  }
}

bool CommandJudge::judge(const CommandText& asked) {
  bool granted = true;
  std::string start = surroundings_.workspace;
  if (const std::string& directory = asked.directory; !directory.empty()) {
    const Location location = locate(directory, surroundings_.workspace);
    if (!is_within(location.given, surroundings_.workspace) ||
        !is_within(location.real, surroundings_.workspace))
      granted =
          doubt(shown(directory), concat("the directory ", shown(directory), " is outside of the workspace"));
    directories_ = WorkingDirectories(location.real, surroundings_);
    start = location.real;
  }
  const shell::CommandLine line = shell::parse_command_line(asked.text, surroundings_.dialect);
  restrict_unknown(line.unknown);
  if (!line.unknown.empty() && (everything_ == nullptr || restricts_commands_)) granted = false;
  if (line.commands.empty() && line.unknown.empty())
    granted = doubt(shown(asked.text), "it contains no command");
  // Collect all directories first: in a loop, commands before a `cd` also run after it.
  std::vector<bool> stays_inside;
  for (const SimpleCommand& command : line.commands) {
    stays_inside.push_back(changes_directory(command) && directories_.stays_inside(command));
    directories_.follow(command);
  }
  forbid_catastrophes(asked.text, start, asked.input);
  // Set while inside a wrapper that a rule allows verbatim, including the command it wraps.
  std::size_t approved_depth = std::string::npos;
  std::string approved;
  for (std::size_t i = 0; i < line.commands.size(); ++i) {
    const SimpleCommand& command = line.commands[i];
    const std::string subject = shown(command.text.empty() ? spell_out(command.words) : command.text);
    restrict_command(command, subject);
    if (!asked.input.empty() && !restrict_input(command, subject)) granted = false;
    const bool inside =
        approved_depth < command.wrappers.size() && command.wrappers[approved_depth] == approved;
    if (!inside) approved_depth = std::string::npos;
    if (inside) {
      findings_.add(kGranted, subject, "the rule for its wrapper names it verbatim");
      continue;
    }
    const auto spelled = std::ranges::find_if(rules_, [&](const Rule& rule) {
      return !rule.restricts() && rule.command && rule.command->spells_out(command);
    });
    if (spelled != rules_.end()) {
      findings_.add(kGranted, subject, concat(spelled->describe(), " names ", subject, " verbatim"),
                    &*spelled);
      approved_depth = command.wrappers.size();
      approved = program_name(command.words.front().text);
    } else if (!grant_command(line.commands, i, stays_inside[i], subject)) {
      granted = false;
    }
  }
  return granted;
}

void CommandJudge::check_input(const std::string& text) {
  forbid_catastrophes(text, surroundings_.workspace, {});
  for (const SimpleCommand& command : shell::parse_command_line(text, surroundings_.dialect).commands) {
    const std::vector<Words> readings = readings_of(command, surroundings_.workspace);
    const std::string subject = shown(command.text);
    for (const Rule& rule : rules_) {
      if (!is_about_commands(rule) || !rule.restricts()) continue;
      const Match match = rule.command ? rule.command->restricts(readings, command.open_ended) : Match::kYes;
      if (match == Match::kYes) findings_.add_restriction(rule, match, subject, subject);
    }
  }
}

void CommandJudge::forbid_catastrophes(const std::string& text, const std::string& directory,
                                       const std::string& input) {
  if (surroundings_.allows_catastrophes) return;
  for (const Catastrophe& found : find_catastrophes(text, directory, input, surroundings_))
    findings_.add(kForbidden, shown(found.subject),
                  concat("it would ", shown(found.what),
                         ", which no mode allows (setting permissions.allow_catastrophes)"));
}

bool CommandJudge::doubt(const std::string& subject, std::string reason, const Rule* rule) {
  findings_.add(kDoubt, subject, std::move(reason), rule);
  return false;
}

bool CommandJudge::grant_command(const std::vector<SimpleCommand>& commands, std::size_t at,
                                 bool stays_inside, const std::string& subject) {
  const SimpleCommand& command = commands[at];
  if (everything_ != nullptr) {
    findings_.add(kGranted, subject, concat(everything_->describe(), " allows every command"), everything_);
    return true;
  }
  if (command.words.empty()) return grant_parts(command, nullptr, subject);
  const auto rule = std::ranges::find_if(rules_, [&](const Rule& each) {
    return !each.restricts() && each.command && each.command->grants(command);
  });
  if (rule != rules_.end()) {
    if (!grant_parts(command, &*rule, subject)) return false;
    findings_.add(kGranted, subject, concat(rule->describe(), " allows ", subject), &*rule);
    return true;
  }
  const SimpleCommand* wrapped = wrapped_by(commands, at);
  const bool passes_on = wrapped != nullptr && is_harmless_wrapper(command, *wrapped);
  if (!passes_on && !stays_inside && !is_harmless_builtin(command))
    return doubt(subject, concat("no rule allows ", subject));
  if (!grant_parts(command, nullptr, subject)) return false;
  findings_.add(kGranted, subject, passes_on ? "it only runs the command it wraps" : "it is harmless");
  return true;
}

bool CommandJudge::grant_parts(const SimpleCommand& command, const Rule* rule, const std::string& subject) {
  bool granted = grant_assignments(command, rule, subject);
  granted = grant_redirections(command, subject) && granted;
  if (rule == nullptr) return granted;
  if (const auto more = shell::runs_more(command, rule->command->named_words()))
    granted = doubt(subject, concat(rule->describe(), " would allow ", subject, ", but ", *more), rule);
  for (const Word& word : command.words)
    if (!word.literal && !is_harmless_expansion(word))
      return doubt(subject, concat("the value of ", shown(word.text), " is unknown"), rule);
  if (command.open_ended)
    granted = doubt(subject, concat("further arguments of ", subject, " are unknown"), rule);
  if (program_name(command.words.front().text) != "git") return granted;
  for (const std::string& directory : directories_.possible())
    if (looks_like_bare_repository(directory))
      granted = doubt(subject, concat("git would read its settings from ", shown(directory)), rule);
  return granted;
}

bool CommandJudge::grant_assignments(const SimpleCommand& command, const Rule* rule,
                                     const std::string& subject) {
  if (rule != nullptr && rule->command && !rule->command->assignments().empty())
    return true;  // grants() compared them
  for (const shell::Assignment& assignment : command.assignments) {
    const bool harmless =
        is_harmless_assignment(assignment) || (command.words.empty() && is_harmless_variable(assignment));
    if (!harmless)
      return doubt(subject,
                   concat("it sets ", shown(assignment.name), ", which may change what programs do"));
  }
  return true;
}

bool CommandJudge::grant_redirections(const SimpleCommand& command, const std::string& subject) {
  bool granted = true;
  for (const Redirection& redirection : command.redirections) {
    const Word& target = redirection.target;
    using Kind = Redirection::Kind;
    if (target.literal && (target.text.starts_with("/dev/tcp/") || target.text.starts_with("/dev/udp/"))) {
      granted = doubt(subject, concat("it opens the network connection ", shown(target.text)));
      continue;
    }
    switch (redirection.kind) {
      case Kind::kWrite:
      case Kind::kAppend:
      case Kind::kReadWrite: granted = grant_write(target, subject) && granted; break;
      case Kind::kRead:
      case Kind::kDuplicate:
      case Kind::kHereDocument:
      case Kind::kHereString:
        if (!target.literal && !is_home_path(target))
          granted = doubt(subject, concat("the value of ", shown(target.text), " is unknown"));
        break;
    }
  }
  return granted;
}

bool CommandJudge::grant_write(const Word& target, const std::string& subject) {
  if (target.literal && is_safe_device(target.text)) return true;
  const std::vector<Location> locations = directories_.locate_word(target);
  if (locations.empty())
    return doubt(subject, concat("it writes to an unknown file (", shown(target.text), ")"));
  for (const Location& location : locations) {
    if (const WriteProtection protection = write_protection(location, surroundings_);
        !protection.reason.empty())
      return doubt(subject, protection.reason);
    const bool inside = is_within(location.given, surroundings_.workspace) &&
                        is_within(location.real, surroundings_.workspace);
    if (mode_ == Mode::kAcceptEdits && inside) continue;
    const bool allowed = std::ranges::any_of(rules_, [&](const Rule& rule) {
      return !rule.restricts() && (rule.tool == "write" || (rule.tool == "edit" && !rule.of_skill)) &&
             (rule.path ? rule.path->covers(location, PathSpec::Extent::kItself) : inside);
    });
    if (!allowed)
      return doubt(subject, concat("it writes to ", shown(target.text), ", which no rule allows"));
  }
  return true;
}

}  // namespace helve::policy
