// What the commands of a line print, as far as the line tells it.
#include <algorithm>

#include "base/strings.h"
#include "policy/command_words.h"
#include "policy/line_values.h"
#include "policy/printed_text.h"
#include "shell/options.h"

namespace helve::policy {
namespace {

using shell::Redirection;
using shell::SimpleCommand;
using shell::Word;

// The operands of a printing command.
std::vector<Word> printed_words(const SimpleCommand& command) {
  std::vector<Word> found;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const Word& word = command.words[i];
    if (word.literal && found.empty() &&
        (word.text == "-n" || word.text == "-e" || word.text == "-E" || word.text == "--" ||
         word.text == "-ne" || word.text == "-en"))
      continue;
    found.push_back(word);
  }
  return found;
}

bool reads_escapes(const SimpleCommand& command) {
  return std::ranges::any_of(command.words,
                             [](const Word& word) { return shell::lists("-e -ne -en", word.text); });
}

}  // namespace

Fields LineValues::fields_of(std::string_view text) {
  Fields fields;
  const std::string blanks = replace_all(replace_all(text, "\n", " "), "\t", " ");
  for (const std::string_view word : split(blanks, ' '))
    if (!word.empty()) fields.push_back(escape_pattern(word));
  return fields;
}

std::optional<std::string> LineValues::text_of(const SimpleCommand& command,
                                               const std::optional<std::string>& input) const {
  std::optional<std::string> text = input;
  for (const Redirection& redirection : command.redirections) {
    if (redirection.kind != Redirection::Kind::kHereString &&
        redirection.kind != Redirection::Kind::kHereDocument)
      continue;
    const Values values = plain_values(redirection.target);
    if (values.empty()) return std::nullopt;
    text = values.front();
  }
  if (command.words.empty()) return std::nullopt;
  const std::string_view program = program_name(command.words.front().text);
  const bool echo = program == "echo" || program == "print";
  if ((program == "printf" && command.words.size() > 1) || (echo && reads_escapes(command))) {
    std::vector<std::string> words;
    for (const Word& word : printed_words(command)) {
      const Fields each = expand(word);
      if (each.empty() || std::ranges::any_of(each, has_active_wildcard)) return std::nullopt;
      for (const std::string& field : each) words.push_back(plain_text(field));
    }
    return echo ? without_escapes(join(words, " ")) : formatted(words);
  }
  if (!text) return std::nullopt;
  std::vector<std::string> words;
  for (const std::string& field : expand_command(command)) words.push_back(plain_text(field));
  return program == "cat" ? std::nullopt : filtered(words, *text);
}

std::optional<Fields> LineValues::output_of(const SimpleCommand& command) const {
  Fields fields;
  for (const Redirection& redirection : command.redirections)
    if (redirection.kind == Redirection::Kind::kHereString ||
        redirection.kind == Redirection::Kind::kHereDocument)
      for (const std::string& raw : split_words(redirection.target.text))
        for (std::string& field : expand({.text = raw, .literal = false})) fields.push_back(std::move(field));
  if (command.words.empty()) return fields.empty() ? std::nullopt : std::optional(fields);
  if (const auto text = text_of(command, std::nullopt)) return fields_of(*text);
  const std::string_view program = program_name(command.words.front().text);
  if (program == "cat" && !fields.empty()) return fields;
  if (program == "pwd" && !directory_.empty()) return Fields{escape_pattern(directory_)};
  if (program == "echo" || program == "printf" || program == "print") {
    for (const Word& word : printed_words(command)) {
      Fields each = expand(word);
      if (each.empty()) return std::nullopt;
      if (program == "printf" && fields.empty() && word.text.contains('%')) continue;
      for (std::string& field : each) {
        for (const std::string_view end : {"\\\\n", "\\\\0"})  // an escaped backslash and a letter
          if (field.ends_with(end)) field.erase(field.size() - end.size());
        fields.push_back(std::move(field));
      }
    }
    return fields;
  }
  if (program == "ls" || program == "find") {
    bool itself = program == "find";
    for (std::size_t i = 1; i < command.words.size(); ++i) {
      const Word& word = command.words[i];
      if (word.literal && word.text.starts_with('-')) {
        if (program == "find") break;
        itself = itself || word.text.find('d') != std::string::npos;
        continue;
      }
      for (std::string& field : expand(word)) fields.push_back(std::move(field));
    }
    if (fields.empty()) fields.emplace_back(".");
    if (!itself)
      for (std::string& field : fields) field += "/*";
    return fields;
  }
  return std::nullopt;
}

}  // namespace helve::policy
