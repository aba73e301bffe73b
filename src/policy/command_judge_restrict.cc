// Applies deny and ask rules to a command line; command_judge.cc applies allow rules.
#include <unistd.h>

#include <algorithm>

#include "base/strings.h"
#include "policy/command_judge.h"
#include "policy/command_paths.h"
#include "policy/command_words.h"
#include "policy/possible_commands.h"
#include "shell/effects.h"
#include "shell/names.h"

namespace helve::policy {
namespace {

using shell::Redirection;
using shell::SimpleCommand;
using shell::Word;
using Access = CommandPath::Access;
using enum Weight;

// Whether a shell pattern can name files outside of the current directory, where the sandbox does not hide
// what a rule with a wildcard names: /home/me/.e*, ~/.e*, ../*
bool reaches_outside(const Word& word) {
  return !word.literal && word.text.find_first_of("*?[") != std::string::npos &&
         (word.text.starts_with('/') || word.text.starts_with('~') || word.text.starts_with("$HOME") ||
          word.text.contains(".."));
}

bool exists(const Location& location) { return ::access(location.real.c_str(), F_OK) == 0; }

// How certainly a rule covers one of the possible locations of a path.
Match covers(const PathSpec* spec, const std::vector<Location>& locations, Access access) {
  Match match = Match::kNo;
  for (const Location& location : locations) {
    if (access == Access::kPerhaps) {
      // Any word can look like a path; one that exists probably is a path.
      if ((spec == nullptr || spec->covers(location, PathSpec::Extent::kItself)) && exists(location))
        match = either(match, Match::kMaybe);
    } else if (spec == nullptr || spec->covers(location, PathSpec::Extent::kContents)) {
      match = Match::kYes;
    } else if (access == Access::kReadsTree && spec->begins_beneath(location)) {
      match = either(match, Match::kMaybe);
    }
  }
  return match;
}

bool is_text(const Redirection& redirection) {
  return redirection.kind == Redirection::Kind::kHereString ||
         redirection.kind == Redirection::Kind::kHereDocument;
}

std::string_view verb(Access access) {
  switch (access) {
    case Access::kReads:
    case Access::kReadsTree: return " reading ";
    case Access::kWrites: return " writing ";
    case Access::kPerhaps: return " using ";
  }
  return " using ";
}

// Compares an unexpanded shell pattern, starting from each possible directory.
Match covers_pattern(const PathSpec* spec, std::string_view pattern, const WorkingDirectories& directories) {
  if (spec == nullptr) return Match::kMaybe;
  if (pattern.starts_with('/')) return spec->covers_pattern(pattern);
  if (!directories.known()) return Match::kMaybe;
  Match match = Match::kNo;
  for (const std::string& directory : directories.possible())
    match = either(match, spec->covers_pattern(concat(directory, "/", pattern)));
  return match;
}

}  // namespace

void CommandJudge::restrict_unknown(const std::vector<std::string>& reasons) {
  for (const std::string& reason : reasons)
    restrict_anything("the whole line", concat("it is unclear what would run: ", reason));
}

bool CommandJudge::restrict_input(const SimpleCommand& command, const std::string& subject) {
  if (command.words.empty() || !is_interpreter(program_name(command.words.front().text))) return true;
  const bool has_script = std::any_of(command.words.begin() + 1, command.words.end(),
                                      [](const Word& word) { return !word.text.starts_with('-'); });
  if (has_script) return true;
  restrict_anything(subject, concat(subject, " runs its input"));
  return everything_ != nullptr && !restricts_commands_;
}

void CommandJudge::restrict_anything(const std::string& subject, const std::string& reason) {
  if (everything_ != nullptr && !restricts_commands_) return;
  const auto denies = std::ranges::find_if(rules_, [](const Rule& rule) {
    return rule.kind == ToolKind::kCommand && rule.verdict == Verdict::kDeny;
  });
  if (denies == rules_.end())
    doubt(subject, reason);
  else
    findings_.add(kPossiblyForbidden, subject, concat(reason, ", so ", denies->describe(), " may match"),
                  &*denies);
}

// Code in an argument cannot be analysed, so an argument that mentions a restricted command is a doubt. A
// command that a rule allows by name is not doubted unless it runs more than the rule names.
bool CommandJudge::may_run_arguments(const SimpleCommand& command) const {
  if (command.words.empty() || is_harmless_builtin(command)) return false;
  for (const Rule& rule : rules_)
    if (!rule.restricts() && rule.command && &rule != everything_ && rule.command->grants(command))
      return shell::known_effect(command, rule.command->named_words()).has_value();
  return is_interpreter(program_name(command.words.front().text)) || shell::known_effect(command).has_value();
}

void CommandJudge::restrict_command(const SimpleCommand& command, const std::string& subject) {
  std::vector<Words> readings;
  for (const std::string& directory : directories_.possible())
    for (Words& reading : readings_of(command, directory))
      if (std::ranges::find(readings, reading) == readings.end()) readings.push_back(std::move(reading));
  const bool runs_code = restricts_commands_ && may_run_arguments(command);
  Words words = command.words;
  for (const Redirection& redirection : command.redirections)
    if (is_text(redirection)) words.push_back(redirection.target);
  for (const Rule& rule : rules_) {
    if (rule.kind != ToolKind::kCommand || !rule.restricts()) continue;
    const Match match = rule.command ? rule.command->restricts(readings, command.open_ended) : Match::kYes;
    findings_.add_restriction(rule, match, subject, subject);
    if (match == Match::kNo && rule.command && runs_code && rule.command->is_mentioned_in(words))
      findings_.add_restriction(rule, Match::kMaybe, subject, concat("a command that ", subject, " runs"));
  }
  if (restricts_commands_) restrict_assignments(command, subject);
  if (restricts_commands_) restrict_possible(command, subject);
  restrict_paths(command, readings, subject);
  restrict_redirections(command, subject);
}

void CommandJudge::restrict_assignments(const SimpleCommand& command, const std::string& subject) {
  for (const shell::Assignment& assignment : command.assignments) {
    assigned_.push_back(assignment.value);
    if (!shell::is_risky_assignment(assignment)) continue;
    Words words{{.text = assignment.name}, assignment.value};
    // $x can be any value of the line.
    if (!assignment.value.literal) words.insert(words.end(), assigned_.begin(), assigned_.end());
    for (const Rule& rule : rules_)
      if (rule.kind == ToolKind::kCommand && rule.restricts() && rule.command &&
          rule.command->is_mentioned_in(words))
        findings_.add_restriction(rule, Match::kMaybe, subject,
                                  concat("the program that ", shown(assignment.name), " names"));
  }
}

void CommandJudge::restrict_possible(const SimpleCommand& command, const std::string& subject) {
  for (const SimpleCommand& possible : possible_commands(command)) {
    const std::vector<Words> readings = readings_of(possible, surroundings_.workspace);
    for (const Rule& rule : rules_) {
      if (rule.kind != ToolKind::kCommand || !rule.restricts() || !rule.command) continue;
      const bool runs_code = may_run_arguments(possible) && rule.command->is_mentioned_in(possible.words);
      if (runs_code || rule.command->restricts(readings, possible.open_ended) != Match::kNo)
        findings_.add_restriction(rule, Match::kMaybe, subject,
                                  concat(shown(spell_out(possible.words)), ", which ", subject, " may run"));
    }
  }
}

void CommandJudge::restrict_paths(const SimpleCommand& command, const std::vector<Words>& readings,
                                  const std::string& subject) {
  for (const Words& reading : readings) {
    for (const CommandPath& path : paths_of_command(reading)) restrict_path(path.word, path.access, subject);
    // Unknown arguments of a program that reads or writes files can name any file.
    if (!command.open_ended) continue;
    const std::vector<CommandPath> paths = paths_of_command([&] {
      Words longer = reading;
      longer.push_back({.text = "$*", .literal = false});
      longer.push_back({.text = "$*", .literal = false});
      return longer;
    }());
    if (!paths.empty()) restrict_path(paths.back().word, paths.back().access, subject);
  }
}

void CommandJudge::restrict_path(const Word& word, Access access, const std::string& subject) {
  const bool writes = access == Access::kWrites;
  const std::vector<Location> locations = directories_.locate_word(word);
  if (writes)
    for (const Location& location : locations)
      if (WriteProtection protection = write_protection(location, surroundings_); protection.own)
        findings_.add(kForbidden, subject, std::move(protection.reason));
  for (const Rule& rule : rules_) {
    if (!rule.restricts() || !(writes ? rule.guards_writing() : rule.guards_reading())) continue;
    const PathSpec* spec = rule.path ? &*rule.path : nullptr;
    Match match = covers(spec, locations, access);
    if (locations.empty() && access != Access::kPerhaps)
      match = is_pattern(word) ? covers_pattern(spec, word.text, directories_) : Match::kMaybe;
    const bool hidden = surroundings_.sandboxed && rule.verdict == Verdict::kDeny && !reaches_outside(word);
    if (match == Match::kMaybe && hidden) continue;
    findings_.add_restriction(rule, match, subject, concat(subject, verb(access), shown(word.text)));
  }
}

void CommandJudge::restrict_redirections(const SimpleCommand& command, const std::string& subject) {
  for (const Redirection& redirection : command.redirections) {
    using Kind = Redirection::Kind;
    const bool reads = redirection.kind == Kind::kRead || redirection.kind == Kind::kReadWrite;
    const bool writes = redirection.kind == Kind::kWrite || redirection.kind == Kind::kAppend ||
                        redirection.kind == Kind::kReadWrite;
    if (redirection.target.literal && redirection.target.text == "/dev/null") continue;
    if (reads) restrict_path(redirection.target, Access::kReads, subject);
    if (writes) restrict_path(redirection.target, Access::kWrites, subject);
  }
}

}  // namespace helve::policy
