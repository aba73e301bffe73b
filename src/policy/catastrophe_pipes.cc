#include "policy/catastrophe_pipes.h"

#include "base/strings.h"
#include "policy/catastrophe_programs.h"

namespace helve::policy {

std::optional<std::size_t> source_in_pipe(const PipedLine& line, std::size_t at, bool loops) {
  const auto& commands = line.parsed.commands;
  const std::size_t depth = commands[at].wrappers.size();
  while (at > 0 && !commands[at].wrappers.empty()) --at;  // sudo sh: the pipe is before sudo
  const std::size_t place = line.places[at];
  if (at == 0 || place == std::string::npos) return std::nullopt;
  std::string_view before = std::string_view(line.text).substr(0, place);
  const auto drop_blanks = [&] {
    while (!before.empty() && std::string_view(" \t\n").contains(before.back())) before.remove_suffix(1);
  };
  drop_blanks();
  if (loops)
    for (const std::string_view word : {"while", "until", "{", "("})
      if (before.ends_with(word)) before.remove_suffix(word.size());
  drop_blanks();
  if (before.ends_with('&') && before.substr(0, before.size() - 1).ends_with('|')) before.remove_suffix(1);
  if (!before.ends_with('|') || before.ends_with("||")) return std::nullopt;
  for (std::size_t i = at; i-- > 0;)
    if (commands[i].wrappers.size() <= depth) return i;
  return std::nullopt;
}

std::optional<std::string> text_into(const PipedLine& line, std::size_t at) {
  const auto source = source_in_pipe(line, at, false);
  return source ? text_of_command(line, *source) : std::nullopt;
}

std::optional<std::string> text_of_command(const PipedLine& line, std::size_t at) {
  const shell::SimpleCommand& command = line.parsed.commands[at];
  if (auto text = line.values.text_of(command, text_into(line, at))) return text;
  const auto fields = line.values.output_of(command);
  if (!fields) return std::nullopt;
  std::string text;
  for (const shell::Redirection& redirection : command.redirections)
    if (redirection.kind == shell::Redirection::Kind::kHereDocument && redirection.target.literal)
      return redirection.target.text;
  for (const std::string& field : *fields) text += concat(text.empty() ? "" : " ", unescaped(field));
  return text;
}

shell::Word substitution_of(std::string_view process_substitution) {
  return {.text = concat("\"$", process_substitution.substr(1), "\""), .literal = false};
}

std::string without_extended_patterns(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = at + 1 < text.size() && text[at + 1] == '(' &&
                        std::string_view("!@+?*").contains(text[at]) && at > 0 &&
                        std::string_view(" \t/").contains(text[at - 1]);
    const std::size_t close = begins ? text.find(')', at) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += text[at];
      continue;
    }
    if (text[at] == '!') {
      out += '*';
    } else {
      // A pattern that may be missing has an empty alternative.
      const std::string inside = replace_all(text.substr(at + 2, close - at - 2), "|", ",");
      const bool optional = text[at] == '?' || text[at] == '*';
      out += inside.contains(',') || optional ? concat("{", inside, optional ? ",}" : "}") : inside;
    }
    at = close;
  }
  return out;
}

}  // namespace helve::policy
