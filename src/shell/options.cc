#include "shell/options.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"

namespace helve::shell {
namespace {

// Reads one word that begins with `--`. Returns false when it is not understood.
bool read_long(std::span<const Word> words, const OptionTable& table, OptionsRead& read) {
  const Word& word = words[read.next++];
  const std::size_t equals = word.text.find('=');
  const std::string name = word.text.substr(2, equals == std::string::npos ? equals : equals - 2);
  const bool attached = equals != std::string::npos;
  Word value{.text = attached ? word.text.substr(equals + 1) : ""};
  if (lists(table.long_values, name)) {
    if (!attached) {
      if (read.next >= words.size() || !is_one_word(words[read.next])) return false;
      value = words[read.next++];
    }
  } else if (!lists(table.long_flags, name)) {
    return false;
  }
  read.found.push_back({.name = name, .value = std::move(value)});
  return true;
}

bool read_letters(std::span<const Word> words, const OptionTable& table, OptionsRead& read) {
  const std::string& text = words[read.next++].text;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char letter = text[i];
    FoundOption option{.name = std::string(1, letter)};
    const bool needs_value = table.values.contains(letter);
    if (needs_value || table.attached.contains(letter)) {
      option.value.text = text.substr(i + 1);
      if (needs_value && option.value.text.empty()) {
        if (read.next >= words.size() || !is_one_word(words[read.next])) return false;
        option.value = words[read.next++];
      }
      read.found.push_back(std::move(option));
      return true;
    }
    if (!table.flags.contains(letter)) return false;
    read.found.push_back(std::move(option));
  }
  return true;
}

// Unquoted expansions can become several words; in double quotes only "$@" and similar ones can.
enum class Part { kPlain, kQuoted, kExpandsInQuotes, kExpands, kGlob };

// Calls `look` for each byte of a word as written, until it returns false.
template <class Look>
void scan_written(std::string_view text, const Look& look) {
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    const bool expands = byte == '$' || byte == '`';
    if (byte == '\\' && quote != '\'') {
      ++i;
      if (i < text.size() && !look(Part::kQuoted, text[i])) return;
    } else if (quote == '\0' && (byte == '\'' || byte == '"')) {
      quote = byte;
    } else if (byte == quote && quote != '\0') {
      quote = '\0';
    } else if (quote == '\'') {
      if (!look(Part::kQuoted, byte)) return;
    } else if (quote == '"') {
      if (!look(expands ? Part::kExpandsInQuotes : Part::kQuoted, byte)) return;
    } else if (expands) {
      if (!look(Part::kExpands, byte)) return;
    } else if (!look(std::string_view("*?[{").contains(byte) ? Part::kGlob : Part::kPlain, byte)) {
      return;
    }
  }
}

}  // namespace

bool OptionsRead::has(std::string_view letter_or_name) const {
  return std::ranges::find(found, letter_or_name, &FoundOption::name) != found.end();
}

OptionsRead read_options(std::span<const Word> words, std::size_t begin, const OptionTable& table) {
  OptionsRead read{.next = begin};
  while (read.next < words.size()) {
    const Word& word = words[read.next];
    if (!may_be_option(word) || (word.literal && word.text == "-")) break;
    if (word.literal && word.text == "--") {
      ++read.next;
      break;
    }
    read.understood = word.literal && (word.text.starts_with("--") ? read_long(words, table, read)
                                                                   : read_letters(words, table, read));
    if (!read.understood) break;
  }
  return read;
}

bool lists(std::string_view list, std::string_view word) {
  if (word.empty()) return false;
  const auto words = split(list, ' ');
  return std::ranges::find(words, word) != words.end();
}

bool is_one_word(const Word& word) {
  if (word.literal) return true;
  bool one = !(word.text.contains('$') && word.text.contains('@'));
  scan_written(word.text, [&](Part part, char) {
    one = one && part != Part::kExpands && part != Part::kGlob;
    return one;
  });
  return one;
}

bool may_be_option(const Word& word) {
  if (word.literal) return word.text.starts_with('-');
  bool first = true;
  bool may = word.text.contains('$') && word.text.contains('@');
  scan_written(word.text, [&](Part part, char byte) {
    if (part == Part::kExpands) may = true;
    if (first && (byte == '-' || part == Part::kGlob || part == Part::kExpandsInQuotes)) may = true;
    first = false;
    return !may;
  });
  return may;
}

std::string quoted_line(std::span<const Word> words) {
  std::string line;
  for (const Word& word : words) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.text.empty() && std::ranges::all_of(word.text, [](char byte) {
      return is_letter_or_digit(byte) || std::string_view("_-+=./:,@%{}").contains(byte);
    });
    if (plain || !word.literal)
      line += word.text;
    else
      line += shell_quoted(word.text);
  }
  return line;
}

// Excluded: a (exports assignments), i (start-up files), k (assignments anywhere), p (keeps privileges).
bool is_safe_shell_letter(char letter) { return std::string_view("befhmntuvxBCET").contains(letter); }

bool is_safe_shell_option(std::string_view name) {
  return lists(
      "braceexpand errexit errtrace functrace monitor noclobber noexec noglob nounset notify pipefail "
      "verbose xtrace",
      name);
}

// Excluded: expand_aliases and extglob, which change the meaning of the text.
bool is_safe_shopt(std::string_view name) {
  return lists("dotglob failglob globstar inherit_errexit lastpipe nocaseglob nocasematch nullglob", name);
}

}  // namespace helve::shell
