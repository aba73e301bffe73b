#include "policy/command_words.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/ascii.h"
#include "base/strings.h"
#include "policy/location.h"

namespace helve::policy {
namespace {

constexpr auto kGitOptionsWithValue =
    std::to_array<std::string_view>({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix",
                                     "--config-env", "--attr-source"});

bool is_loader(std::string_view program) {
  return program.starts_with("ld-linux") || program.starts_with("ld-musl") || program == "ld.so" ||
         (program.starts_with("ld-") && program.find(".so") != std::string_view::npos);
}

// The programs that `git push` itself runs.
bool is_pushing(const shell::Word& word) {
  return word.literal && (word.text == "send-pack" || word.text == "http-push");
}

Words from(const Words& words, std::size_t begin) {
  return {words.begin() + static_cast<std::ptrdiff_t>(begin), words.end()};
}

Words with_bare_program(Words words) {
  if (!words.empty() && words.front().literal)
    words.front().text = std::string(program_name(words.front().text));
  return words;
}

constexpr auto kVariables = std::to_array<std::string_view>({
    "LANG",
    "LANGUAGE",
    "TZ",
    "CI",
    "DEBUG",
    "VERBOSE",
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "CARGO_TERM_COLOR",
    "NODE_ENV",
    "RAILS_ENV",
    "RACK_ENV",
    "APP_ENV",
    "FLASK_ENV",
    "DJANGO_ENV",
    "MIX_ENV",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "GOOS",
    "GOARCH",
    "GOMAXPROCS",
    "CGO_ENABLED",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "SOURCE_DATE_EPOCH",
    "GTEST_COLOR",
    "CTEST_OUTPUT_ON_FAILURE",
    "OMP_NUM_THREADS",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "DEBIAN_FRONTEND",
});

constexpr auto kInterpreters = std::to_array<std::string_view>({
    "sh",     "bash",    "zsh",     "dash",      "ksh",     "fish",        "csh",     "tcsh",    "pwsh",
    "cmd",    "python",  "node",    "nodejs",    "deno",    "bun",         "ruby",    "perl",    "php",
    "lua",    "luajit",  "Rscript", "osascript", "java",    "tclsh",       "expect",  "awk",     "gawk",
    "mawk",   "sudo",    "doas",    "su",        "env",     "xargs",       "nohup",   "nice",    "timeout",
    "time",   "watch",   "ssh",     "eval",      "exec",    "source",      ".",       "command", "parallel",
    "setsid", "chroot",  "unshare", "nsenter",   "strace",  "gdb",         "busybox", "npx",     "pnpx",
    "uvx",    "pipx",    "script",  "flock",     "stdbuf",  "systemd-run", "trap",    "R",       "scala",
    "groovy", "gnuplot", "octave",  "jshell",    "ts-node", "tsx",         "ghc",     "guile",   "racket",
    "sbcl",   "clojure", "clj",     "elixir",    "iex",     "escript",     "julia",   "raku",    "tex",
    "pdftex", "latex",   "ocaml",   "pdflatex",  "xelatex", "lualatex",
});

constexpr auto kWrappers = std::to_array<std::string_view>(
    {"nohup", "nice", "ionice", "timeout", "time", "stdbuf", "command", "builtin"});

constexpr auto kBuiltins =
    std::to_array<std::string_view>({"true", "false", ":", "exit", "return", "break", "continue", "pwd"});

constexpr auto kSetWords =
    std::to_array<std::string_view>({"-e", "-u", "-eu", "-ue", "-o", "-eo", "-uo", "-euo", "-ueo", "+e", "+u",
                                     "pipefail", "errexit", "nounset"});

// Lower-case variables that programs read, or that zsh ties to upper-case ones.
constexpr auto kTiedVariables = std::to_array<std::string_view>(
    {"path", "cdpath", "fpath", "manpath", "mailpath", "module_path", "argv", "prompt"});

template <std::size_t Count>
bool holds(const std::array<std::string_view, Count>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

bool is_plain_value(std::string_view value) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:@+=-/*";
  return value.find_first_not_of(kPlain) == std::string_view::npos && !value.starts_with('/') &&
         !value.starts_with(':') && value.find("..") == std::string_view::npos;
}

}  // namespace

std::string_view program_name(std::string_view word) {
  while (word.size() > 1 && word.ends_with('/')) word.remove_suffix(1);
  return word.substr(word.rfind('/') + 1);
}

std::vector<Words> readings_of(const shell::SimpleCommand& command, std::string_view directory) {
  std::vector<Words> readings;
  if (command.words.empty()) return readings;
  readings.push_back(with_bare_program(command.words));
  if (!command.words.front().literal) return readings;
  const std::string written = command.words.front().text;
  if (written.find('/') != std::string::npos) {
    const std::string real = locate(written, directory).real;
    if (program_name(real) != program_name(written)) {
      Words linked = readings.front();
      linked.front().text = std::string(program_name(real));
      readings.push_back(std::move(linked));
    }
  }
  // A reading may have readings itself: a symlink to busybox, busybox to git-push.
  for (std::size_t i = 0; i < readings.size() && readings.size() < 8; ++i) {
    const Words words = readings[i];
    const std::string& program = words.front().text;
    if (program.starts_with("git-") && program.size() > 4) {
      Words split = words;
      split.front().text = program.substr(4);
      split.insert(split.begin(), {.text = "git"});
      readings.push_back(std::move(split));
    } else if (program == "hub" && words.size() > 1) {
      Words git = words;
      git.front().text = "git";
      readings.push_back(std::move(git));
    } else if (program == "git" && std::ranges::any_of(words, is_pushing)) {
      Words push = words;
      std::ranges::find_if(push, is_pushing)->text = "push";
      readings.push_back(std::move(push));
    } else if ((program == "busybox" || program == "toybox") && words.size() > 1) {
      readings.push_back(with_bare_program(from(words, 1)));
    } else if (is_loader(program)) {
      const auto inner = std::find_if(words.begin() + 1, words.end(),
                                      [](const shell::Word& word) { return !word.text.starts_with('-'); });
      if (inner != words.end()) readings.push_back(with_bare_program({inner, words.end()}));
    }
  }
  return readings;
}

OptionValue value_of_option(std::string_view program, std::string_view option) {
  if (option.find('=') != std::string_view::npos) return OptionValue::kNone;
  if (program != "git") return OptionValue::kUnsure;
  const bool takes = std::ranges::find(kGitOptionsWithValue, option) != kGitOptionsWithValue.end();
  return takes ? OptionValue::kNext : OptionValue::kNone;
}

std::string quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  return shell_quoted(word);
}

std::string spell_out(const Words& words) {
  std::vector<std::string> spelled;
  for (const shell::Word& word : words) spelled.push_back(word.literal ? quoted(word.text) : word.text);
  return join(spelled, " ");
}

bool is_interpreter(std::string_view program) {
  // python3.12 is python.
  const std::string_view bare = program.substr(0, program.find_last_not_of("0123456789.") + 1);
  return holds(kInterpreters, program) || (!bare.empty() && holds(kInterpreters, bare));
}

bool is_harmless_assignment(const shell::Assignment& assignment) {
  return assignment.value.literal && is_plain_value(assignment.value.text) &&
         (assignment.name.starts_with("LC_") || holds(kVariables, assignment.name));
}

bool is_harmless_variable(const shell::Assignment& assignment) {
  const std::string& name = assignment.name;
  const bool lower = !name.empty() &&
                     std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
  return lower && !name.starts_with('_') && !name.ends_with("_proxy") && !holds(kTiedVariables, name);
}

bool is_harmless_wrapper(const shell::SimpleCommand& wrapper, const shell::SimpleCommand& wrapped) {
  const Words& outer = wrapper.words;
  const Words& inner = wrapped.words;
  if (inner.empty() || outer.size() <= inner.size() ||
      !std::equal(inner.rbegin(), inner.rend(), outer.rbegin()))
    return false;
  const std::span own(outer.begin(), outer.size() - inner.size());
  const std::string& program = own.front().text;
  if (!std::ranges::all_of(own, &shell::Word::literal)) return false;
  if (program == "env") return own.size() == 1;
  // With -o or -a, GNU time writes its report to a file.
  const auto names_file = [](const shell::Word& word) {
    return word.text.starts_with("--o") || word.text.starts_with("--a") ||
           (word.text.starts_with('-') && !word.text.starts_with("--") &&
            word.text.find_first_of("oa") != std::string::npos);
  };
  if (program == "time" && std::ranges::any_of(own.subspan(1), names_file)) return false;
  return holds(kWrappers, program);
}

bool is_harmless_builtin(const shell::SimpleCommand& command) {
  const Words& words = command.words;
  if (words.empty() || !std::ranges::all_of(words, &shell::Word::literal)) return false;
  const std::string& program = words.front().text;
  const std::span arguments = std::span(words).subspan(1);
  if (holds(kBuiltins, program)) return true;
  // -x expands PS4, and -a exports every variable, so neither is harmless.
  if (program == "set")
    return std::ranges::all_of(arguments,
                               [](const shell::Word& word) { return holds(kSetWords, word.text); });
  // -v and -R evaluate the subscript of a name.
  if (program == "[" || program == "test")
    return std::ranges::none_of(
        arguments, [](const shell::Word& word) { return word.text == "-v" || word.text == "-R"; });
  return program == "command" && words.size() == 3 && (words[1].text == "-v" || words[1].text == "-V");
}

bool is_pattern(const shell::Word& word) {
  return !word.literal && word.text.find_first_of("*?[") != std::string::npos &&
         word.text.find_first_of("$`(){}~<>!^\\\"'") == std::string::npos;
}

bool is_home_path(const shell::Word& word) {
  return !word.literal && (word.text == "~" || word.text.starts_with("~/")) &&
         word.text.find_first_of("$`(){}<>!^\\\"'*?[~", 1) == std::string::npos;
}

bool is_harmless_expansion(const shell::Word& word) { return is_home_path(word) || is_pattern(word); }

}  // namespace helve::policy
