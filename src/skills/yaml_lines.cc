#include "skills/yaml_lines.h"

#include "base/strings.h"

namespace helve::skills {
namespace {

std::string_view without_trailing_space(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r");
  return last == kNone ? std::string_view() : text.substr(0, last + 1);
}

// Behind the closing quote of a text that starts with one.
std::size_t skip_quoted(std::string_view text) {
  const char quote = text.front();
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '\'' && at + 1 < text.size() && text[at + 1] == quote)
        ++at;
      else
        return at + 1;
    }
  }
  return kNone;
}

}  // namespace

std::vector<YamlLine> split_yaml_lines(std::string_view text, int first_line) {
  std::vector<YamlLine> lines;
  int number = first_line;
  for (const std::string_view piece : split(text, '\n')) {
    YamlLine line{.number = number++,
                  .whole = piece.ends_with('\r') ? piece.substr(0, piece.size() - 1) : piece};
    line.content = without_trailing_space(line.whole);
    while (line.indent < line.content.size() && line.content[line.indent] == ' ') ++line.indent;
    line.content.remove_prefix(line.indent);
    line.tab_indented = line.content.starts_with('\t');
    lines.push_back(line);
  }
  return lines;
}

std::string_view without_comment(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '#' && (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t'))
      return without_trailing_space(text.substr(0, at));
  return without_trailing_space(text);
}

std::size_t find_key_end(std::string_view content) {
  if (content.empty()) return kNone;
  if (content.front() == '"' || content.front() == '\'') {
    std::size_t at = skip_quoted(content);
    while (at != kNone && at < content.size() && content[at] == ' ') ++at;
    const bool is_key = at != kNone && at < content.size() && content[at] == ':' &&
                        (at + 1 == content.size() || content[at + 1] == ' ' || content[at + 1] == '\t');
    return is_key ? at : kNone;
  }
  if (std::string_view("[]{},#&*!|>%@`").find(content.front()) != kNone) return kNone;
  for (std::size_t at = 0; at < content.size(); ++at) {
    if (content[at] == '#' && at > 0 && content[at - 1] == ' ') return kNone;
    if (content[at] == ':' && (at + 1 == content.size() || content[at + 1] == ' ' || content[at + 1] == '\t'))
      return at;
  }
  return kNone;
}

}  // namespace helve::skills
