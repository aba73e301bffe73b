// Handles shell builtins that run text or change the meaning of later commands.
#include <algorithm>

#include "base/strings.h"
#include "shell/analysis.h"
#include "shell/names.h"
#include "shell/options.h"

namespace helve::shell {
namespace {

const std::vector<Word>& words_of(const Wrapper& wrapper) { return wrapper.command.words; }

bool is_option(const Word& word, std::string_view list) { return word.literal && lists(list, word.text); }

void run_eval(const Wrapper& wrapper) {
  Word text;
  for (std::size_t i = 1; i < words_of(wrapper).size(); ++i) {
    const Word& word = words_of(wrapper)[i];
    if (i == 1 && word == Word{.text = "--"}) continue;
    text.text += concat(text.text.empty() ? "" : " ", word.text);
    text.literal = text.literal && word.literal;
  }
  wrapper.runs_text(text, wrapper.frame.dialect);
}

void run_trap(const Wrapper& wrapper) {
  const auto& words = words_of(wrapper);
  std::size_t next = 1;
  if (next < words.size() && is_option(words[next], "-l -p -lp -P")) return;
  if (next < words.size() && words[next] == Word{.text = "--"}) ++next;
  if (next >= words.size()) return;
  if (is_option(words[next], "-") || words[next] == Word{}) return;
  wrapper.runs_text(words[next], wrapper.frame.dialect);
}

void change_options(const Wrapper& wrapper) {
  const auto& words = words_of(wrapper);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (!may_be_option(words[i]) && !text.starts_with('+')) return;  // positional parameters from here on
    if (words[i] == Word{.text = "--"}) return;
    const bool on = text.starts_with('-');
    bool safe = words[i].literal;
    for (const char letter : std::string_view(text).substr(1)) {
      if (letter != 'o') {
        safe = safe && (!on || is_safe_shell_letter(letter));
      } else if (i + 1 < words.size()) {
        ++i;
        safe = safe && words[i].literal && (!on || is_safe_shell_option(words[i].text));
      }
    }
    if (!safe) return wrapper.doubt("it sets shell options that can change the meaning of commands");
  }
}

void change_shopt(const Wrapper& wrapper) {
  const auto& words = words_of(wrapper);
  const bool only_shows = words.size() < 2 || is_option(words[1], "-p -q -u");
  if (only_shows) return;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (!words[i].literal || (i > 1 && !is_safe_shopt(words[i].text)) || (i == 1 && words[i].text != "-s"))
      return wrapper.doubt("it sets shell options that can change the meaning of commands");
}

// Checks variable names given as words: an array subscript is evaluated, and the name can be PATH.
void assign_names(const Wrapper& wrapper, std::span<const Word> names) {
  for (const Word& word : names) {
    const std::string_view name = std::string_view(word.text).substr(0, word.text.find('='));
    if (!word.literal || name.contains('[') || word.text.contains("$(") || word.text.contains('`')) {
      wrapper.doubt(concat(wrapper.name, " evaluates its arguments as variable names"));
    } else if (is_risky_variable(name)) {
      const bool valued = name.size() < word.text.size();
      Assignment assignment{.name = std::string(name), .value = {.literal = valued}};
      if (valued) assignment.value.text = word.text.substr(name.size() + 1);
      Frame inner = wrapper.inner_frame();
      inner.assignments.clear();
      wrapper.analysis.add({.assignments = {std::move(assignment)}, .text = wrapper.command.text}, inner);
    }
  }
}

void assign_by_options(const Wrapper& wrapper, const OptionTable& table, std::string_view naming,
                       bool operands) {
  const auto& words = words_of(wrapper);
  const OptionsRead options = read_options(words, 1, table);
  if (!options.understood) return wrapper.doubt_options();
  for (const FoundOption& option : options.found)
    if (naming.contains(option.name)) assign_names(wrapper, std::span(&option.value, 1));
  if (operands) assign_names(wrapper, std::span(words).subspan(std::min(options.next, words.size())));
}

void read_variables(const Wrapper& wrapper) {
  assign_by_options(wrapper, {.flags = "ers", .values = "adinNptu"}, "a", true);
}
void map_file(const Wrapper& wrapper) {
  assign_by_options(wrapper, {.flags = "t", .values = "dnOsuc"}, "", true);  // -C runs a text
}
void print_formatted(const Wrapper& wrapper) {
  if (words_of(wrapper).size() > 1 && may_be_option(words_of(wrapper)[1]))
    assign_by_options(wrapper, {.values = "v"}, "v", false);
}
void wait_for(const Wrapper& wrapper) {
  assign_by_options(wrapper, {.flags = "fn", .values = "p"}, "p", false);
}
void get_options(const Wrapper& wrapper) {
  const auto& words = words_of(wrapper);
  if (words.size() > 2) assign_names(wrapper, std::span(words).subspan(2, 1));
}

void declare(const Wrapper& wrapper) {
  const auto& words = words_of(wrapper);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.literal && (word.text.starts_with('-') || word.text.starts_with('+'))) {
      if (word.text.find_first_of("ni") != std::string::npos && wrapper.name != "export" &&
          wrapper.name != "unset")
        wrapper.doubt(concat(wrapper.name, " ", word.text, " evaluates values"));
      continue;
    }
    // Literal assignments are already in the command's assignments.
    const std::size_t equals = word.text.find('=');
    const bool listed = std::ranges::any_of(wrapper.command.assignments, [&](const Assignment& assignment) {
      return word.text == concat(assignment.name, "=", assignment.value.text) ||
             word.text == concat(assignment.name, "+=", assignment.value.text);
    });
    const bool assigns = wrapper.name != "unset" && (equals != std::string::npos || !word.literal);
    if (!listed && (assigns || word.text.contains('['))) assign_names(wrapper, std::span(&word, 1));
  }
}

void test(const Wrapper& wrapper) {
  for (const Word& word : words_of(wrapper))
    if (is_option(word, "-v -R")) wrapper.doubt("test -v evaluates the subscript of an array");
}

void calculate(const Wrapper& wrapper) {
  for (const Word& word : std::span(words_of(wrapper)).subspan(1))
    if (!word.literal || word.text.find_first_not_of("0123456789+-*/%<>=!&|^~?:(), ") != std::string::npos)
      return wrapper.doubt("arithmetic with variables can run commands that are in their values");
}

void doubt_with_words(const Wrapper& wrapper) {
  if (words_of(wrapper).size() > 1) wrapper.doubt(concat(wrapper.name, " changes what later commands mean"));
}
void doubt_always(const Wrapper& wrapper) {
  wrapper.doubt(concat(wrapper.name, " runs commands that are not in the line"));
}
void hash(const Wrapper& wrapper) {
  const auto& words = words_of(wrapper);
  if (std::ranges::any_of(words,
                          [](const Word& word) { return !word.literal || word.text.starts_with("-p"); }))
    doubt_with_words(wrapper);
}
void complete(const Wrapper& wrapper) {
  if (!std::ranges::all_of(words_of(wrapper), [](const Word& word) { return word.literal; }) ||
      std::ranges::any_of(words_of(wrapper), [](const Word& word) { return is_option(word, "-C -F -W -x"); }))
    wrapper.doubt(concat(wrapper.name, " runs other commands"));
}
void jobs(const Wrapper& wrapper) {
  if (std::ranges::any_of(words_of(wrapper),
                          [](const Word& word) { return word.text.contains('x') || !word.literal; }))
    wrapper.doubt("jobs -x runs a command");
}

// `time` and `coproc` are syntax in bash and zsh: a complete command follows, with its own assignments and
// redirections.
void run_timed(const Wrapper& wrapper) {
  const auto& words = words_of(wrapper);
  std::size_t next = 1;
  const bool options = wrapper.name == "time" && wrapper.frame.dialect == Dialect::kBash;
  while (options && next < words.size() && is_option(words[next], "-p --")) ++next;
  if (next < words.size()) {
    const std::string& text = words[next].text;
    if (text.starts_with('-') || text.contains('=') || is_reserved_word(text, wrapper.frame.dialect))
      wrapper.misread(concat("the words after ", wrapper.name, " cannot be parsed"));
  }
  if (next >= words.size() && wrapper.frame.dialect == Dialect::kZsh)
    wrapper.misread(concat("the words after ", wrapper.name, " cannot be parsed"));
  wrapper.runs_words(next);
}

struct BuiltinRow {
  std::string_view name;
  void (*run)(const Wrapper&);
};
constexpr BuiltinRow kBuiltins[] = {
    {".", doubt_always},
    {"[", test},
    {"alias", doubt_with_words},
    {"bind", complete},
    {"compgen", complete},
    {"complete", complete},
    {"declare", declare},
    {"enable", doubt_with_words},
    {"eval", run_eval},
    {"export", declare},
    {"fc", doubt_always},
    {"getopts", get_options},
    {"hash", hash},
    {"jobs", jobs},
    {"let", calculate},
    {"local", declare},
    {"mapfile", map_file},
    {"printf", print_formatted},
    {"read", read_variables},
    {"readarray", map_file},
    {"readonly", declare},
    {"set", change_options},
    {"shopt", change_shopt},
    {"source", doubt_always},
    {"test", test},
    {"trap", run_trap},
    {"typeset", declare},
    {"unset", declare},
    {"wait", wait_for},
};
constexpr std::string_view kOfZsh =
    "autoload bindkey emulate functions integer float print r rehash sched setopt unsetopt vared zcompile "
    "zle zmodload "
    "zparseopts zpty zstyle zformat compdef disable add-zsh-hook";

}  // namespace

bool is_builtin(std::string_view program) {
  return program == "time" || program == "coproc" ||
         std::ranges::find(kBuiltins, program, &BuiltinRow::name) != std::end(kBuiltins);
}

bool unwrap_builtin(const Wrapper& wrapper) {
  const bool keyword = wrapper.name == "time" || wrapper.name == "coproc";
  if (keyword && wrapper.frame.in_text && wrapper.frame.dialect != Dialect::kPosix) {
    run_timed(wrapper);
    return true;
  }
  if (wrapper.frame.dialect == Dialect::kZsh && lists(kOfZsh, wrapper.name)) {
    wrapper.doubt(concat(wrapper.name, " of zsh can run or change anything"));
    return true;
  }
  const auto* row = std::ranges::find(kBuiltins, wrapper.name, &BuiltinRow::name);
  if (row == std::end(kBuiltins)) return false;
  row->run(wrapper);
  return true;
}

}  // namespace helve::shell
