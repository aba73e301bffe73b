#include "policy/command_view.h"

#include <algorithm>
#include <array>

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

Words from(const Words& words, std::size_t begin) {
  return {words.begin() + static_cast<std::ptrdiff_t>(begin), words.end()};
}

Words with_bare_program(Words words) {
  if (!words.empty() && words.front().literal)
    words.front().text = std::string(program_name(words.front().text));
  return words;
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
  // Each may lead to the next: a link to busybox, busybox to git-push.
  for (std::size_t i = 0; i < readings.size() && readings.size() < 8; ++i) {
    const Words words = readings[i];
    const std::string& program = words.front().text;
    if (program.starts_with("git-") && program.size() > 4) {
      Words split = words;
      split.front().text = program.substr(4);
      split.insert(split.begin(), {.text = "git"});
      readings.push_back(std::move(split));
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

}  // namespace helve::policy
