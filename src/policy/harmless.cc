#include "policy/harmless.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "policy/command_view.h"

namespace helve::policy {
namespace {

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

constexpr auto kWrappers = std::to_array<std::string_view>(
    {"nohup", "nice", "ionice", "timeout", "time", "stdbuf", "command", "builtin"});

constexpr auto kBuiltins =
    std::to_array<std::string_view>({"true", "false", ":", "exit", "return", "break", "continue", "pwd"});

constexpr auto kSetWords =
    std::to_array<std::string_view>({"-e", "-u", "-eu", "-ue", "-o", "-eo", "-uo", "-euo", "-ueo", "+e", "+u",
                                     "pipefail", "errexit", "nounset"});

// Variables in lower case that programs do look at, and those that zsh ties to others.
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

bool is_harmless_assignment(const shell::Assignment& assignment) {
  return assignment.value.literal && is_plain_value(assignment.value.text) &&
         (assignment.name.starts_with("LC_") || holds(kVariables, assignment.name));
}

bool is_harmless_variable(const shell::Assignment& assignment) {
  const std::string& name = assignment.name;
  const bool lower = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
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
  // GNU time writes its report to a file when told so.
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
  // Not -x, whose prompt is expanded, nor -a, which exports every variable.
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
