// The part in brackets of a rule about commands: exec(npm run build), exec(git diff:*), exec(npm run *).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "policy/command_view.h"
#include "policy/match.h"

namespace helve::policy {

//   npm run build      exactly these words
//   git diff:*         these words, then any: `git diff`, `git diff --stat`, not `git diffx`; `git diff *` is
//   the same git * main, ls*    a star stands for any text, also over words; a quoted one for itself
//   *                  every command
// A value; may be used from all threads.
class CommandSpec {
 public:
  enum class Form { kEverything, kExact, kPrefix, kPattern };

  [[nodiscard]] static Expected<CommandSpec> compile(std::string_view spec);

  // For rules that allow: the words as they stand. /bin and /usr/bin in front of the program are passed over.
  [[nodiscard]] bool grants(const shell::SimpleCommand& command) const;
  // True when it spells out the command with its assignments and redirections and leaves nothing open.
  [[nodiscard]] bool spells_out(const shell::SimpleCommand& command) const;
  // For rules that deny or ask: under any reading (see readings_of), with options in between passed over, and
  // option words of the rule found wherever they stand.
  [[nodiscard]] Match restricts(const std::vector<Words>& readings, bool open_ended) const;

  // Whether the words that it names stand, as words, anywhere in the arguments: `perl -e 'system "rm x"'`.
  [[nodiscard]] bool is_mentioned_in(const Words& words) const;

  [[nodiscard]] Form form() const { return form_; }
  // How many words of a command it names, the program's included.
  [[nodiscard]] std::size_t named_words() const { return form_ == Form::kPattern ? 1 : words_.size(); }
  [[nodiscard]] const std::vector<shell::Assignment>& assignments() const { return assignments_; }
  [[nodiscard]] bool is_as_wide_as(const CommandSpec& other) const;
  // Why no command can ever match; empty when one can.
  [[nodiscard]] const std::string& contradiction() const { return contradiction_; }
  // True when any program could be meant: `* --version`.
  [[nodiscard]] bool leaves_program_open() const;

 private:
  [[nodiscard]] Match restricts_words(const Words& words, bool open_ended) const;
  [[nodiscard]] Match restricts_pattern(const Words& words, bool open_ended) const;

  Form form_ = Form::kExact;
  std::vector<std::string> words_;   // of kExact and kPrefix
  std::vector<std::string> pieces_;  // of kPattern: what lies around and between the stars
  std::vector<shell::Assignment> assignments_;
  std::vector<shell::Redirection> redirections_;
  std::string contradiction_;
};

}  // namespace helve::policy
