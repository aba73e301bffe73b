// Checks a command line against the rules: every simple command in it, and every file that it names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/command_paths.h"
#include "policy/decide.h"
#include "policy/location.h"
#include "policy/rule_set.h"

namespace helve::policy {

// The arguments of an exec call that matter here.
struct CommandText {
  std::string text = {};
  std::string directory = {};  // empty: the workspace
  std::string input = {};      // what the call supplies as stdin
};

// Created for one decision and used by one thread.
class CommandJudge {
 public:
  CommandJudge(const RuleSet& rules, const Surroundings& surroundings, Mode mode);

  // Adds findings for the whole line. Returns true when every part is allowed by a rule or harmless.
  // Checks every command, so that a long line cannot hide a denied one.
  bool judge(const CommandText& command);
  // Checks text typed into a running shell. Adds only certain matches of deny and ask rules, and
  // catastrophes.
  void check_input(const std::string& text);

  [[nodiscard]] Findings take_findings() { return std::move(findings_); }

 private:
  // Deny and ask rules (command_judge_restrict.cc).
  void restrict_unknown(const std::vector<std::string>& reasons);
  void restrict_anything(const std::string& subject, const std::string& reason);
  // A program that executes its stdin can run anything. Returns true when this command does not, or when a
  // rule allows everything.
  bool restrict_input(const shell::SimpleCommand& command, const std::string& subject);
  [[nodiscard]] bool may_run_arguments(const shell::SimpleCommand& command) const;
  void restrict_command(const shell::SimpleCommand& command, const std::string& subject);
  // Variables that name programs: EDITOR=rm, GIT_SSH_COMMAND='rm x'.
  void restrict_assignments(const shell::SimpleCommand& command, const std::string& subject);
  // Commands that a program may run whose arguments are not known (possible_commands.h).
  void restrict_possible(const shell::SimpleCommand& command, const std::string& subject);
  void restrict_paths(const shell::SimpleCommand& command, const std::vector<Words>& readings,
                      const std::string& subject);
  void restrict_path(const shell::Word& word, CommandPath::Access access, const std::string& subject);
  void restrict_redirections(const shell::SimpleCommand& command, const std::string& subject);
  // Allow rules. Each function returns true, or adds a doubt and returns false. `stays_inside`: the command
  // is a cd within the workspace.
  bool grant_command(const std::vector<shell::SimpleCommand>& commands, std::size_t at, bool stays_inside,
                     const std::string& subject);
  bool grant_parts(const shell::SimpleCommand& command, const Rule* rule, const std::string& subject);
  bool grant_assignments(const shell::SimpleCommand& command, const Rule* rule, const std::string& subject);
  bool grant_redirections(const shell::SimpleCommand& command, const std::string& subject);
  bool grant_write(const shell::Word& target, const std::string& subject);
  // Refuses catastrophic commands in every mode.
  void forbid_catastrophes(const std::string& text, const std::string& directory, const std::string& input);
  bool doubt(const std::string& subject, std::string reason, const Rule* rule = nullptr);

  const RuleSet& rules_;
  const Surroundings& surroundings_;
  Mode mode_;
  const Rule* everything_ = nullptr;  // a rule that allows every command
  bool restricts_commands_ = false;
  WorkingDirectories directories_;
  std::vector<shell::Word> assigned_ = {};  // the values that the line gives to variables
  Findings findings_;
};

}  // namespace helve::policy
