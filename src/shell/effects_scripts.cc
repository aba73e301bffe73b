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

// Accepts only scripts that are provably plain: addresses, s, y, labels, text of one line and commands
// without arguments. Everything else counts as unread, because where a file name, a label or a text ends
// differs between versions of sed, and what follows could be a command.
class SedScript {
 public:
  explicit SedScript(std::string_view script) : script_(script) {}

  std::optional<std::string> find_effect() {
    while (place_ < script_.size()) {
      if (std::string_view(" \t\n;{}!").contains(script_[place_])) {
        ++place_;
        continue;
      }
      if (!skip_address() || place_ >= script_.size()) return std::string(kUnread);
      if (auto reason = read_command(script_[place_++])) return reason;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool at(std::string_view characters) const {
    return place_ < script_.size() && characters.contains(script_[place_]);
  }

  bool skip_address() {
    while (place_ < script_.size()) {
      if (at("0123456789$,~+ \t!{")) {
        ++place_;
      } else if (at("/")) {
        if (!skip_section('/')) return false;
        while (at("IM")) ++place_;
      } else {
        return !at("\\");
      }
    }
    return true;
  }

  enum class Section { kPattern, kReplacement };  // only patterns have brackets

  // Skips to the position after the next delimiter.
  bool skip_section(char delimiter, Section section = Section::kPattern) {
    bool bracket = false;
    for (++place_; place_ < script_.size(); ++place_) {
      const char byte = script_[place_];
      if (byte == '\n') return false;  // it ends the command, or continues a text of an earlier fragment
      if (byte == '\\') {
        if (bracket) return false;  // a backslash in brackets escapes in some versions and not in others
        ++place_;
        if (at("\n")) return false;
      } else if (byte == delimiter) {
        if (bracket) return false;  // implementations differ on a delimiter in brackets
        ++place_;
        return true;
      } else if (byte == '[' && section == Section::kPattern) {
        bracket = true;
      } else if (byte == ']') {
        bracket = false;
      }
    }
    return false;
  }

  // Whether the command ends here, as every version of sed sees it.
  bool skip_end() {
    while (at(" \t")) ++place_;
    return place_ >= script_.size() || at(";}\n");
  }

  std::optional<std::string> read_substitution() {
    if (place_ >= script_.size()) return std::string(kUnread);
    const char delimiter = script_[place_];
    if (at("\\\n[]") || !skip_section(delimiter)) return std::string(kUnread);
    --place_;
    if (!skip_section(delimiter, Section::kReplacement)) return std::string(kUnread);
    while (at("gpiImM0123456789")) ++place_;
    if (at("ew")) return std::string(kWrites);
    return skip_end() ? std::nullopt : std::optional(std::string(kUnread));
  }

  std::optional<std::string> read_command(char command) {
    if (std::string_view("ewW").contains(command)) return std::string(kWrites);
    if (command == 's' || command == 'y') return read_substitution();
    if (std::string_view("aic").contains(command)) {  // the rest of the line is text
      const std::string_view text = script_.substr(place_, script_.find('\n', place_) - place_);
      if (text.empty() || text.contains('\\')) return std::string(kUnread);  // it may go on in the next line
      place_ += text.size();
      return std::nullopt;
    }
    if (std::string_view(":btT").contains(command)) {
      while (at(" \t")) ++place_;
      while (place_ < script_.size() && (is_letter_or_digit(script_[place_]) || script_[place_] == '_'))
        ++place_;
    } else if (!std::string_view("pPdDqQ=nNhHgGxlFz").contains(command)) {
      return std::string(kUnread);  // r and R among them
    } else {
      while (at(" \t")) ++place_;
      while (at("0123456789")) ++place_;
    }
    return skip_end() ? std::nullopt : std::optional(std::string(kUnread));
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
