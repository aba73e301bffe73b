// Parses a shell command line into the programs that it would run, for permission checks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::shell {

// One word. The program receives exactly the text of a literal word; any other word contains an expansion
// whose value is unknown.
struct Word {
  std::string text = {};  // quotes and backslashes removed when literal; as written otherwise
  bool literal = true;
  bool operator==(const Word&) const = default;
};

struct Assignment {
  std::string name = {};
  Word value = {};
  bool operator==(const Assignment&) const = default;
};

struct Redirection {
  enum class Kind { kRead, kWrite, kAppend, kReadWrite, kDuplicate, kHereDocument, kHereString };
  Kind kind = Kind::kRead;
  int descriptor = -1;  // -1: the default; -2: both stdout and stderr (&>)
  Word target = {};     // the file, the descriptor of a duplication, the text of a here-document
  bool operator==(const Redirection&) const = default;
};

// One program (or builtin or function) with its arguments, at any place: in a list, a pipeline, a subshell, a
// loop, a function body, a substitution, or inside a wrapper (`env`, `xargs`, `sh -c`, …).
struct SimpleCommand {
  std::vector<Assignment> assignments = {};  // before the command, including those of `env`
  std::vector<Word> words = {};              // the program's name first
  std::vector<Redirection> redirections = {};
  std::string text = {};                   // as written, for display
  std::vector<std::string> wrappers = {};  // the wrappers around it, outermost first: {"sudo", "env"}
  bool open_ended = false;                 // has further, unknown arguments (xargs, find -exec {} +)
  bool operator==(const SimpleCommand&) const = default;
};

struct CommandLine {
  std::vector<SimpleCommand> commands = {};  // includes wrappers, before the commands that they wrap
  // Reasons why the line may run other commands, for the user: "the program's name is not literal: $x". Empty
  // when `commands` is complete.
  std::vector<std::string> unknown = {};
  // True if one of the reasons is that a part could not be parsed: `commands` may then lack some, or have
  // wrong ones.
  bool is_misread = false;
};

enum class Dialect { kPosix, kBash, kZsh, kPowerShell, kCmd };

// Never fails: text that cannot be parsed adds a reason to `unknown`. Bounded in time and memory.
[[nodiscard]] CommandLine parse_command_line(std::string_view text, Dialect dialect = Dialect::kBash);

}  // namespace helve::shell
