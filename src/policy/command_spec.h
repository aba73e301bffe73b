// The spec of a rule about commands: the part in parentheses of exec(npm run build), exec(git diff:*),
// exec(npm run *).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "policy/command_words.h"
#include "policy/match.h"

namespace helve::policy {

//   npm run build           exactly these words
//   git diff:*  git diff *  these words, then any: `git diff`, `git diff --stat`, not `git diffx`
//   git * main  ls*         a star matches any text, also across words; a quoted star matches itself
//   *                       every command
class CommandSpec {
 public:
  enum class Form { kEverything, kExact, kPrefix, kPattern };

  [[nodiscard]] static Expected<CommandSpec> compile(std::string_view spec);

  // For allow rules: compares the words literally, except that it ignores /bin or /usr/bin before the
  // program.
  [[nodiscard]] bool grants(const shell::SimpleCommand& command) const;
  // True when it is exactly this command, including assignments and redirections.
  [[nodiscard]] bool spells_out(const shell::SimpleCommand& command) const;
  // For deny and ask rules: matches any reading (see readings_of), skips options between the words, and finds
  // options of the rule at any position.
  [[nodiscard]] Match restricts(const std::vector<Words>& readings, bool open_ended) const;

  // Whether the arguments contain its words anywhere, as in `perl -e 'system "rm x"'`.
  [[nodiscard]] bool is_mentioned_in(const Words& words) const;

  [[nodiscard]] Form form() const { return form_; }
  // How many words of a command it names, including the program.
  [[nodiscard]] std::size_t named_words() const;
  [[nodiscard]] const std::vector<shell::Assignment>& assignments() const { return assignments_; }
  [[nodiscard]] bool is_as_wide_as(const CommandSpec& other) const;
  // Why no command can ever match; empty when one can match.
  [[nodiscard]] const std::string& contradiction() const { return contradiction_; }
  // True when it does not name a program: `* --version`.
  [[nodiscard]] bool leaves_program_open() const;

 private:
  [[nodiscard]] Match restricts_words(const Words& words, bool open_ended) const;
  [[nodiscard]] Match restricts_pattern(const Words& words, bool open_ended) const;

  Form form_ = Form::kExact;
  std::vector<std::string> words_;   // of kExact and kPrefix
  std::vector<std::string> pieces_;  // of kPattern: the texts around and between the stars
  std::vector<shell::Assignment> assignments_;
  std::vector<shell::Redirection> redirections_;
  std::string contradiction_;
};

}  // namespace helve::policy
