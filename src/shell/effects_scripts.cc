// Checks whether the scripts of sed and awk run commands or write files.
#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "shell/effects.h"
#include "shell/options.h"

namespace helve::shell::detail {
namespace {

constexpr std::string_view kUnread = "the sed script cannot be parsed";
constexpr std::string_view kWrites = "the sed script runs commands or writes files";

// Parses a sed script far enough to find its commands.
class SedScript {
 public:
  explicit SedScript(std::string_view script) : script_(script) {}

  std::optional<std::string> find_effect() {
    while (place_ < script_.size()) {
      if (std::string_view(" \t\n;{}!").contains(script_[place_])) {
        ++place_;
        continue;
      }
      if (!skip_address()) return std::string(kUnread);
      if (place_ >= script_.size()) return std::string(kUnread);
      if (auto reason = read_command(script_[place_++])) return reason;
    }
    return std::nullopt;
  }

 private:
  bool skip_address() {
    while (place_ < script_.size()) {
      const char byte = script_[place_];
      if (std::string_view("0123456789$,~+ \t!{").contains(byte)) {
        ++place_;
      } else if (byte == '/') {
        if (!skip_section('/')) return false;
        while (place_ < script_.size() && (script_[place_] == 'I' || script_[place_] == 'M')) ++place_;
      } else {
        return byte != '\\';
      }
    }
    return true;
  }

  // Skips to the position after the next delimiter.
  bool skip_section(char delimiter) {
    bool bracket = false;
    for (++place_; place_ < script_.size(); ++place_) {
      const char byte = script_[place_];
      if (byte == '\\') {
        ++place_;
      } else if (byte == delimiter) {
        if (bracket) return false;  // implementations differ on a delimiter in brackets
        ++place_;
        return true;
      } else if (byte == '[') {
        bracket = true;
      } else if (byte == ']') {
        bracket = false;
      }
    }
    return false;
  }

  std::optional<std::string> read_command(char command) {
    if (std::string_view("ewW").contains(command)) return std::string(kWrites);
    if (command == 's' || command == 'y') {
      if (place_ >= script_.size()) return std::string(kUnread);
      const char delimiter = script_[place_];
      if (delimiter == '\\' || delimiter == '\n' || !skip_section(delimiter)) return std::string(kUnread);
      --place_;
      if (!skip_section(delimiter)) return std::string(kUnread);
      for (; place_ < script_.size() && !std::string_view(" \t\n;}").contains(script_[place_]); ++place_) {
        if (script_[place_] == 'e' || script_[place_] == 'w') return std::string(kWrites);
        if (!std::string_view("gpiImM0123456789").contains(script_[place_])) return std::string(kUnread);
      }
      return std::nullopt;
    }
    if (std::string_view("aicrR").contains(command)) {  // the rest of the line is text or a file to read
      while (place_ < script_.size() && script_[place_] != '\n') place_ += script_[place_] == '\\' ? 2U : 1U;
      return std::nullopt;
    }
    if (std::string_view(":btT").contains(command)) {
      while (place_ < script_.size() && !std::string_view("\n;}").contains(script_[place_])) ++place_;
      return std::nullopt;
    }
    if (!std::string_view("pPdDqQ=nNhHgGxlFz").contains(command)) return std::string(kUnread);
    while (place_ < script_.size() && is_digit(script_[place_])) ++place_;
    return std::nullopt;
  }

  std::string_view script_;
  std::size_t place_ = 0;
};

std::optional<std::string> awk_script_effect(std::string_view script) {
  for (const std::string_view risky : {"system", "getline", "@"})
    if (script.contains(risky)) return concat("the awk script has ", risky);
  // After `print` these write to a file or a command; elsewhere they are comparisons.
  for (std::size_t place = std::min(script.find("print"), script.size()); place < script.size(); ++place) {
    if (script[place] == '|' && place + 1 < script.size() && script[place + 1] == '|') {
      ++place;
    } else if (script[place] == '>' || script[place] == '|') {
      return "the awk script can write files or run commands";
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> sed_effect(const SimpleCommand& command) {
  constexpr OptionTable kOptions{.flags = "nErsuz",
                                 .values = "el",
                                 .long_flags =
                                     "quiet silent regexp-extended separate unbuffered null-data posix "
                                     "sandbox follow-symlinks",
                                 .long_values = "expression line-length"};
  if (command.open_ended) return "arguments of sed are unknown and could be options";
  bool scripted = false;
  // GNU sed also accepts options after its files.
  for (std::size_t next = 1; next < command.words.size();) {
    const OptionsRead options = read_options(command.words, next, kOptions);
    if (!options.understood) return "an option of sed writes files, reads a script, or is not literal";
    for (const FoundOption& option : options.found) {
      if (option.name != "e" && option.name != "expression") continue;
      scripted = true;
      if (!option.value.literal) return "the sed script is not literal";
      if (auto reason = SedScript(option.value.text).find_effect()) return reason;
    }
    next = options.next;
    if (next >= command.words.size()) break;
    if (!scripted) {
      // A later -e would make this word a file; checking it as a script is then harmless.
      scripted = true;
      if (!command.words[next].literal) return "the sed script is not literal";
      if (auto reason = SedScript(command.words[next].text).find_effect()) return reason;
    }
    ++next;
  }
  return std::nullopt;
}

std::optional<std::string> awk_effect(const SimpleCommand& command) {
  constexpr OptionTable kOptions{.values = "Fv", .long_values = "field-separator assign"};
  if (command.open_ended) return "arguments of awk are unknown and could be options";
  const OptionsRead options = read_options(command.words, 1, kOptions);
  if (!options.understood) return "an option of awk reads a script, writes files, or is not literal";
  if (options.next >= command.words.size()) return std::nullopt;
  if (!command.words[options.next].literal) return "the awk script is not literal";
  return awk_script_effect(command.words[options.next].text);
}

}  // namespace helve::shell::detail
