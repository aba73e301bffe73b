#include "policy/possible_commands.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "policy/command_words.h"
#include "shell/arguments.h"
#include "shell/names.h"
#include "shell/options.h"
#include "shell/runners.h"

namespace helve::policy {
namespace {

using shell::SimpleCommand;
using shell::Word;

constexpr std::size_t kMostPossible = 200;
constexpr int kDeepestText = 3;

// A name with a directory can be any program, unless the directory holds installed ones.
bool is_known_program(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  const bool installed =
      slash == std::string::npos || std::string_view(name).substr(0, slash).ends_with("bin");
  return installed && (shell::is_described(program_name(name)) || is_interpreter(program_name(name)));
}

class Search {
 public:
  explicit Search(bool wrapped_nothing) : wrapped_nothing_(wrapped_nothing) {}

  void look_into(const SimpleCommand& command, int depth) {
    if (command.words.empty() || !command.words.front().literal || depth > kDeepestText) return;
    const auto runner = shell::find_runner(command.words);
    const std::string& name = command.words.front().text;
    const bool unclear = wrapped_nothing_ && depth == 0 && shell::is_wrapper(program_name(name));
    if (!runner && !unclear && is_known_program(name)) return look_at_options(command, depth);
    const std::size_t from = runner ? runner->command : 1;
    // python3 -m pytest, npx eslint: what is behind a known program is not a command.
    if (runner && !runner->elsewhere && !runner->several && from < command.words.size() &&
        command.words[from].literal && is_known_program(command.words[from].text)) {
      SimpleCommand inner{
          .words = {command.words.begin() + static_cast<std::ptrdiff_t>(from), command.words.end()},
          .open_ended = command.open_ended};
      look_into(inner, depth + 1);
      look_at_options(command, depth);
      return add(std::move(inner));
    }
    for (std::size_t i = from; i < command.words.size(); ++i) {
      const Word& word = command.words[i];
      look_at_text(word, depth);
      // docker run image/rm
      const bool image = runner && runner->elsewhere && word.text.find('/') > 0 && word.text.contains('/');
      const bool names = word.literal && !word.text.empty() && !word.text.starts_with('-') && !image;
      if (names)
        add({.words = {command.words.begin() + static_cast<std::ptrdiff_t>(i), command.words.end()},
             .open_ended = command.open_ended});
    }
  }

  [[nodiscard]] std::vector<SimpleCommand> take() { return std::move(found_); }

 private:
  // Options of known programs that name a program: --diff-cmd rm, --config ui.editor=rm, -C linker=rm. A copy
  // of a program is one as well.
  void look_at_options(const SimpleCommand& command, int depth) {
    const bool copies = shell::lists("cp install ln mv", program_name(command.words.front().text));
    for (std::size_t i = 1; i < command.words.size(); ++i) {
      const Word& word = command.words[i];
      if (!word.literal) continue;
      if (copies && word.text.contains("bin/")) parse(program_name(word.text), depth);
      const std::size_t equals = word.text.find('=');
      // --pager less; config set editor vim
      const bool names = word.text.starts_with('-') || command.words[i - 1].text == "set";
      if (equals != std::string::npos) {
        // -Dexec.executable=rm, ui.editor=rm, DPkg::Pre-Invoke::=rm
        if (tells_of_program(std::string_view(word.text).substr(0, equals)))
          parse(word.text.substr(word.text.rfind('=') + 1), depth);
      } else if (names && tells_of_program(word.text) && i + 1 < command.words.size() &&
                 command.words[i + 1].literal) {
        parse(command.words[i + 1].text, depth);
      }
    }
  }

  static bool tells_of_program(std::string_view name) {
    constexpr auto kParts = std::to_array<std::string_view>(
        {"exec",        "cmd",    "command",    "shell",   "edit",      "pager",  "tool",
         "hook",        "runner", "link",       "compil",  "wrap",      "launch", "invoke",
         "rsh",         "proxy",  "script",     "browser", "program",   "plugin", "ssh",
         "using",       "viewer", "choose",     "handler", "helper",    "alias",  "ld",
         "transaction", "bin",    "entrypoint", "merge",   "run_under", "change"});
    const std::string lower = to_lower(name);
    return std::ranges::any_of(kParts, [&](std::string_view part) { return lower.contains(part); }) ||
           (!name.starts_with('-') && shell::is_risky_assignment({.name = std::string(name)}));
  }

  void look_at_text(const Word& word, int depth) {
    std::string text = word.text;
    // The text of a word with expansions still has its quotes.
    const bool quoted = !word.literal && text.size() > 1 && text.starts_with('"') && text.ends_with('"');
    if (quoted) text = text.substr(1, text.size() - 2);
    const bool blank = text.find_first_of(" \t\n") != std::string::npos;
    if (blank && (word.literal || quoted)) parse(text, depth);
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos && word.literal) parse(text.substr(equals + 1), depth);
  }

  void parse(std::string_view text, int depth) {
    // A mark of programs that distinguish commands from other values: alias.x=!rm, tee=|rm
    while (!text.empty() && std::string_view("!|@").contains(text.front())) text.remove_prefix(1);
    for (const SimpleCommand& command : shell::parse_command_line(text).commands) {
      if (command.words.empty() || !command.words.front().literal) continue;
      look_into(command, depth + 1);
      add(command);
    }
  }

  void add(SimpleCommand command) {
    if (found_.size() < kMostPossible) found_.push_back(std::move(command));
  }

  bool wrapped_nothing_;
  std::vector<SimpleCommand> found_ = {};
};

}  // namespace

std::vector<SimpleCommand> possible_commands(const SimpleCommand& command, bool wrapped_nothing) {
  Search search(wrapped_nothing);
  search.look_into(command, 0);
  return search.take();
}

}  // namespace helve::policy
