// Holds a command line against the rules: every simple command in it, and every file that it names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/command_paths.h"
#include "policy/rule_set.h"
#include "policy/ruling.h"
#include "policy/working_directories.h"

namespace helve::policy {

// What a call of exec asks for.
struct CommandText {
  std::string text = {};
  std::string directory = {};  // empty: the workspace
  bool has_input = false;      // something is written to its stdin
};

// Made for one decision and used by one thread.
class CommandJudge {
 public:
  CommandJudge(const RuleSet& rules, const Surroundings& surroundings, Mode mode);

  // Adds findings for the whole line; true when every part is allowed by a rule or harmless in itself.
  // Everything is looked at, however many commands there are, so that no length hides what is denied.
  bool judge(const CommandText& command);
  // Only what deny and ask rules surely fit.
  void look_for_forbidden(const std::string& text);

  [[nodiscard]] Findings take_findings() { return std::move(findings_); }

 private:
  // Restrictions.
  void restrict_unknown(const std::vector<std::string>& reasons);
  void restrict_anything(const std::string& subject, const std::string& reason);
  // Whoever runs what comes in on stdin can run anything; true when nobody does.
  bool restrict_input(const shell::SimpleCommand& command, const std::string& subject);
  [[nodiscard]] bool may_run_arguments(const shell::SimpleCommand& command) const;
  void restrict_command(const shell::SimpleCommand& command, const std::string& subject);
  void restrict_paths(const shell::SimpleCommand& command, const std::vector<Words>& readings,
                      const std::string& subject);
  void restrict_path(const shell::Word& word, CommandPath::Access access, const std::string& subject);
  void restrict_redirections(const shell::SimpleCommand& command, const std::string& subject);
  // Permissions; `stays_inside`: it is a cd within the workspace. Each adds a doubt and returns false, or
  // returns true.
  bool grant_command(const std::vector<shell::SimpleCommand>& commands, std::size_t at, bool stays_inside,
                     const std::string& subject);
  bool grant_parts(const shell::SimpleCommand& command, const Rule* rule, const std::string& subject);
  bool grant_assignments(const shell::SimpleCommand& command, const Rule* rule, const std::string& subject);
  bool grant_redirections(const shell::SimpleCommand& command, const std::string& subject);
  bool grant_write(const shell::Word& target, const std::string& subject);
  bool doubt(const std::string& subject, std::string reason, const Rule* rule = nullptr);

  const RuleSet& rules_;
  const Surroundings& surroundings_;
  Mode mode_;
  const Rule* everything_ = nullptr;  // allows every command, whatever it may be
  bool restricts_commands_ = false;
  WorkingDirectories directories_;
  Findings findings_;
};

}  // namespace helve::policy
