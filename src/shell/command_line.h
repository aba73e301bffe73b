// A shell command line taken apart into the programs it would run, for whoever has to decide about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::shell {

// One word after quotes are removed. Only a literal word has a text that is sure to reach the program; any
// other contains an expansion whose value nobody knows beforehand.
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
  int descriptor = -1;  // -1: the usual one; -2: both stdout and stderr (&>)
  Word target = {};     // the file, the descriptor of a duplication, the text of a here-document
  bool operator==(const Redirection&) const = default;
};

// One program (or builtin or function) with its arguments, wherever it stands: in a list, a pipeline, a
// subshell, a loop, a function body, a substitution, behind a wrapper (`env`, `xargs`, `sh -c`, …).
struct SimpleCommand {
  std::vector<Assignment> assignments = {};  // in front of it, also those that `env` would make
  std::vector<Word> words = {};              // the program's name first
  std::vector<Redirection> redirections = {};
  std::string text = {};                   // as written, for people
  std::vector<std::string> wrappers = {};  // unwrapped to get here, outermost first: {"sudo", "env"}
  bool open_ended = false;                 // further arguments come from elsewhere (xargs, find -exec {} +)
  bool operator==(const SimpleCommand&) const = default;
};

struct CommandLine {
  std::vector<SimpleCommand> commands = {};  // wrappers are listed too, before what they wrap
  // Why it cannot be decided from the text alone, in words for a person: "the program's name is the value of
  // $x". Empty when `commands` is all that can run.
  std::vector<std::string> unknown = {};
};

enum class Dialect { kPosix, kBash, kZsh, kPowerShell, kCmd };

// Never fails: what cannot be understood is named in `unknown`. Bounded in time and memory for any text.
[[nodiscard]] CommandLine parse_command_line(std::string_view text, Dialect dialect = Dialect::kBash);

}  // namespace helve::shell
