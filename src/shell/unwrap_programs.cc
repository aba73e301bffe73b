// Handles programs that run others with special syntax: env, sudo, xargs, find, and others.
#include <algorithm>

#include "base/strings.h"
#include "shell/analysis.h"
#include "shell/effects.h"
#include "shell/names.h"
#include "shell/options.h"

namespace helve::shell {
namespace {

using Words = std::vector<Word>;

// Reads NAME=value before the command, for env and sudo. Returns the index after the last one.
std::size_t take_assignments(const Wrapper& wrapper, const Words& words, std::size_t next,
                             std::vector<Assignment>& assignments) {
  for (; next < words.size(); ++next) {
    const std::string& text = words[next].text;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) break;
    const std::string_view name = std::string_view(text).substr(0, equals);
    if (!words[next].literal) {
      // The word is as written, so the part before the = must be plain.
      if (name.empty() || name.find_first_of("$`'\"\\*?[{~<>") != std::string_view::npos) break;
      if (!is_one_word(words[next]))
        wrapper.doubt(concat("the command that ", wrapper.name, " runs depends on an expansion"));
    }
    assignments.push_back({.name = std::string(name),
                           .value = {.text = text.substr(equals + 1), .literal = words[next].literal}});
  }
  return next;
}

void run_with(const Wrapper& wrapper, const Words& words, std::size_t from,
              std::vector<Assignment> assignments) {
  SimpleCommand changed = wrapper.command;
  changed.assignments.insert(changed.assignments.end(), std::make_move_iterator(assignments.begin()),
                             std::make_move_iterator(assignments.end()));
  const Wrapper inner{wrapper.analysis, changed, wrapper.frame, wrapper.name};
  inner.runs(std::span(words).subspan(std::min(from, words.size())));
}

void unwrap_env(const Wrapper& wrapper) {
  constexpr OptionTable kOptions{
      .flags = "i0v",
      .values = "uCSa",
      .long_flags =
          "ignore-environment null debug list-signal-handling block-signal default-signal ignore-signal",
      .long_values = "unset chdir split-string argv0"};
  Words words = wrapper.command.words;
  for (int round = 0; round < 4; ++round) {
    OptionsRead options = read_options(words, 1, kOptions);
    if (!options.understood) return wrapper.doubt_options();
    if (options.next < words.size() && words[options.next] == Word{.text = "-"}) ++options.next;
    const auto split_option = std::ranges::find_if(options.found, [](const FoundOption& option) {
      return option.name == "S" || option.name == "split-string";
    });
    if (split_option == options.found.end()) {
      std::vector<Assignment> assignments;
      const std::size_t from = take_assignments(wrapper, words, options.next, assignments);
      return run_with(wrapper, words, from, std::move(assignments));
    }
    const Word& text = split_option->value;
    if (!text.literal || text.text.find_first_of("\\\"'$#") != std::string::npos)
      return wrapper.misread("the command that env -S runs cannot be parsed");
    Words inner{words.front()};
    const std::string blank_separated = replace_all(text.text, "\t", " ");
    for (const std::string_view piece : split(blank_separated, ' '))
      if (!piece.empty()) inner.push_back({.text = std::string(piece)});
    inner.insert(inner.end(), words.begin() + static_cast<std::ptrdiff_t>(options.next), words.end());
    words = std::move(inner);
  }
  wrapper.doubt_options();
}

void unwrap_sudo(const Wrapper& wrapper) {
  constexpr OptionTable kOptions{
      .flags = "AbBEHnPSNkKlvVise",
      .values = "ugCDhprtTUR",
      .long_flags =
          "askpass background bell preserve-env set-home non-interactive preserve-groups stdin "
          "reset-timestamp remove-timestamp no-update list validate version login shell edit",
      .long_values = "user group close-from chdir host prompt role type command-timeout other-user chroot"};
  const auto& words = wrapper.command.words;
  const OptionsRead options = read_options(words, 1, kOptions);
  if (!options.understood) return wrapper.doubt_options();
  for (const std::string_view name : {"i", "s", "e", "login", "shell", "edit"})
    if (options.has(name)) wrapper.doubt("sudo starts a shell or an editor");
  for (const std::string_view name : {"l", "v", "V", "K", "list", "validate", "version", "remove-timestamp"})
    if (options.has(name)) return;
  std::vector<Assignment> assignments;
  const std::size_t from = take_assignments(wrapper, words, options.next, assignments);
  run_with(wrapper, words, from, std::move(assignments));
}

void unwrap_su(const Wrapper& wrapper) {
  const auto& words = wrapper.command.words;
  const Word* text = nullptr;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i].text;
    if (!words[i].literal) return wrapper.doubt_options();
    if ((word == "-c" || word == "--command") && i + 1 < words.size())
      text = &words[++i];
    else if (word.starts_with('-') && !lists("- -l -m -p --login --preserve-environment", word))
      return wrapper.doubt_options();
  }
  if (text == nullptr) return wrapper.doubt("su starts a shell");
  wrapper.runs_text(*text, Dialect::kPosix);
}

void unwrap_xargs(const Wrapper& wrapper) {
  constexpr OptionTable kOptions{
      .flags = "0oprtx",
      .values = "adEILnPs",
      .attached = "eil",
      .long_flags =
          "null open-tty interactive no-run-if-empty verbose exit show-limits eof replace max-lines",
      .long_values = "arg-file delimiter max-args max-procs max-chars process-slot-var"};
  const OptionsRead options = read_options(wrapper.command.words, 1, kOptions);
  if (!options.understood) return wrapper.doubt_options();
  SimpleCommand changed = wrapper.command;
  changed.open_ended = true;
  for (const FoundOption& option : options.found) {
    if (option.name == "process-slot-var")
      changed.assignments.push_back({.name = option.value.text, .value = {.literal = false}});
    if (option.name != "I" && option.name != "i" && option.name != "replace") continue;
    const std::string mark = option.value.text.empty() ? "{}" : option.value.text;
    for (std::size_t i = options.next; i < changed.words.size(); ++i)
      if (changed.words[i].text.contains(mark) || !option.value.literal) changed.words[i].literal = false;
  }
  if (options.next < changed.words.size())
    Wrapper{wrapper.analysis, changed, wrapper.frame, wrapper.name}.runs_words(options.next);
}

void unwrap_find(const Wrapper& wrapper) {
  const auto& words = wrapper.command.words;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].literal || !lists("-exec -execdir -ok -okdir", words[i].text)) continue;
    Words inner;
    for (++i; i < words.size(); ++i) {
      if (words[i] == Word{.text = ";"}) break;
      if (words[i] == Word{.text = "+"} && !inner.empty() && inner.back().text == "{}") break;
      inner.push_back(words[i]);
      if (inner.back().text.contains("{}")) inner.back().literal = false;
      // An expansion could contain the end of the command and further conditions.
      if (!is_one_word(words[i])) wrapper.doubt("the command that find runs depends on an expansion");
    }
    if (i == words.size()) wrapper.doubt("the command that find runs has no end");
    SimpleCommand changed = wrapper.command;
    changed.open_ended = true;
    const Wrapper opened{wrapper.analysis, changed, wrapper.frame, wrapper.name};
    opened.runs(inner);
  }
}

void unwrap_flock(const Wrapper& wrapper) {
  constexpr OptionTable kOptions{.flags = "sexunoFv",
                                 .values = "wEc",
                                 .long_flags = "shared exclusive unlock nonblock nb close no-fork verbose",
                                 .long_values = "timeout wait conflict-exit-code command"};
  const auto& words = wrapper.command.words;
  const OptionsRead options = read_options(words, 1, kOptions);
  if (!options.understood || options.has("c") || options.has("command")) return wrapper.doubt_options();
  const std::size_t from = options.next + 1;
  if (options.next < words.size() && !is_one_word(words[options.next])) wrapper.doubt_options();
  if (from + 1 < words.size() && words[from].literal && lists("-c --command", words[from].text))
    return wrapper.runs_text(words[from + 1], Dialect::kPosix);
  wrapper.runs_words(from);
}

void unwrap_strace(const Wrapper& wrapper) {
  constexpr OptionTable kOptions{.flags = "cCdfFiknqrtTvwxyzZDY", .values = "abeEIoOpPsSuUX"};
  const OptionsRead options = read_options(wrapper.command.words, 1, kOptions);
  if (!options.understood) return wrapper.doubt_options();
  for (const FoundOption& option : options.found) {
    if (option.name == "p") return;
    if (option.name == "E" ||
        (option.name == "o" && (!option.value.literal || option.value.text.find_first_of("|!") == 0)))
      return wrapper.doubt_options();
  }
  wrapper.runs_words(options.next);
}

// Runs its words, joined with spaces, as shell text.
void unwrap_watch(const Wrapper& wrapper) {
  constexpr OptionTable kOptions{
      .flags = "bcegtxrw",
      .values = "nq",
      .attached = "d",
      .long_flags = "beep color errexit chgexit no-title exec no-rerun no-wrap precise differences",
      .long_values = "interval equexit"};
  const auto& words = wrapper.command.words;
  const OptionsRead options = read_options(words, 1, kOptions);
  if (!options.understood) return wrapper.doubt_options();
  if (options.has("x") || options.has("exec")) return wrapper.runs_words(options.next);
  Word text;
  for (std::size_t i = options.next; i < words.size(); ++i) {
    text.text += concat(text.text.empty() ? "" : " ", words[i].text);
    text.literal = text.literal && words[i].literal;
  }
  if (wrapper.command.open_ended) text.literal = false;
  wrapper.runs_text(text, Dialect::kPosix);
}

void unwrap_script(const Wrapper& wrapper) {
  constexpr OptionTable kOptions{
      .flags = "aefq",
      .values = "cIOBoTmE",
      .attached = "t",
      .long_flags = "append return flush force quiet timing",
      .long_values = "command log-in log-out log-io log-timing logging-format echo output-limit"};
  const OptionsRead options = read_options(wrapper.command.words, 1, kOptions);
  const auto text = std::ranges::find_if(options.found, [](const FoundOption& option) {
    return option.name == "c" || option.name == "command";
  });
  if (!options.understood || text == options.found.end()) return wrapper.doubt("script starts a shell");
  wrapper.runs_text(text->value, Dialect::kPosix);
}

void unwrap_loader(const Wrapper& wrapper) {
  constexpr OptionTable kOptions{.long_flags = "verify list inhibit-cache",
                                 .long_values = "library-path glibc-hwcaps-prepend inhibit-rpath argv0"};
  const OptionsRead options = read_options(wrapper.command.words, 1, kOptions);
  if (!options.understood || options.has("library-path")) return wrapper.doubt_options();
  wrapper.runs_words(options.next);
}

// Its table of commands is a file or stdin.
void unwrap_crontab(const Wrapper& wrapper) {
  const auto& words = wrapper.command.words;
  const bool only_shows =
      words.size() > 1 && std::all_of(words.begin() + 1, words.end(), [](const Word& word) {
        return word.literal && lists("-l -r -i -u --help", word.text);
      });
  if (!only_shows) wrapper.doubt("crontab runs the commands of a table later");
}

struct ProgramRow {
  std::string_view name;
  void (*unwrap)(const Wrapper&);
};
constexpr ProgramRow kRows[] = {
    {"env", unwrap_env},       {"sudo", unwrap_sudo},      {"su", unwrap_su},         {"xargs", unwrap_xargs},
    {"find", unwrap_find},     {"flock", unwrap_flock},    {"strace", unwrap_strace}, {"watch", unwrap_watch},
    {"script", unwrap_script}, {"crontab", unwrap_crontab}};

}  // namespace

bool is_wrapping_program(std::string_view program) {
  return std::ranges::find(kRows, program, &ProgramRow::name) != std::end(kRows) || program == "busybox" ||
         program == "toybox" || (program.starts_with("ld-") && program.contains(".so"));
}

bool unwrap_program(const Wrapper& wrapper) {
  const std::string_view name = wrapper.name;
  const auto& words = wrapper.command.words;
  if (const auto* row = std::ranges::find(kRows, name, &ProgramRow::name); row != std::end(kRows)) {
    row->unwrap(wrapper);
  } else if (name == "busybox" || name == "toybox") {
    if (words.size() < 2 || !may_be_option(words[1])) wrapper.runs_words(1);
  } else if (name == "git") {
    if (auto reason = git_options_effect(wrapper.command)) wrapper.doubt(std::move(*reason));
  } else if (name.starts_with("ld-") && name.contains(".so")) {
    unwrap_loader(wrapper);
  } else {
    return unwrap_shell(wrapper);
  }
  return true;
}

}  // namespace helve::shell
