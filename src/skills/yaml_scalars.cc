#include "skills/yaml_scalars.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/to_number.h"
#include "base/utf8.h"

namespace helve::skills {
namespace {

std::string_view without_trailing_space(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r");
  return last == kNone ? std::string_view() : text.substr(0, last + 1);
}

// The offset after the closing quote of a text that starts with a quote.
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

constexpr auto kSimpleEscapes = std::to_array<std::pair<char, std::string_view>>({
    {'n', "\n"},
    {'t', "\t"},
    {'r', "\r"},
    {'"', "\""},
    {'\\', "\\"},
    {'/', "/"},
    {' ', " "},
    {'0', std::string_view("\0", 1)},
    {'a', "\a"},
    {'b', "\b"},
    {'e', "\x1b"},
    {'f', "\f"},
    {'v', "\v"},
    {'_', "\u00A0"},
    {'N', "\u0085"},
    {'L', "\u2028"},
    {'P', "\u2029"},
});

// Parses `digits` hexadecimal digits at the start of the text.
std::optional<char32_t> read_hex(std::string_view text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  return to_number<std::uint32_t>(text.substr(0, digits), 16);
}

bool is_surrogate(char32_t character) { return character >= 0xD800 && character <= 0xDFFF; }

void append_character(std::string& out, char32_t character) {
  if (is_surrogate(character) || character > 0x10FFFF)
    out += kReplacementCharacter;
  else
    append_utf8(out, character);
}

// Parses one escape after its backslash. Returns its length; 0 when YAML has no such escape.
std::size_t read_escape(std::string_view text, std::string& out) {
  if (text.empty()) return 0;
  for (const auto& [name, bytes] : kSimpleEscapes) {
    if (text.front() != name) continue;
    out += bytes;
    return 1;
  }
  const std::size_t digits = text.front() == 'x' ? 2 : text.front() == 'u' ? 4 : text.front() == 'U' ? 8 : 0;
  const auto character = digits == 0 ? std::nullopt : read_hex(text.substr(1), digits);
  if (!character) return 0;
  // JSON writes characters outside of the basic plane as surrogate pairs.
  if (digits == 4 && *character >= 0xD800 && *character < 0xDC00 && text.substr(5).starts_with("\\u")) {
    const auto low = read_hex(text.substr(7), 4);
    if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
      append_utf8(out, 0x10000 + ((*character - 0xD800) << 10) + (*low - 0xDC00));
      return 11;
    }
  }
  append_character(out, *character);
  return 1 + digits;
}

class QuotedReader {
 public:
  explicit QuotedReader(char quote) : quote_(quote) {}

  // Returns true when the quote closed on this line.
  bool read_line(std::string_view line) {
    joined_ = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == quote_) {
        if (quote_ == '"' || !line.substr(at + 1).starts_with('\'')) {
          scalar_.rest = line.substr(at + 1);
          return true;
        }
        scalar_.text += '\'';
        ++at;
      } else if (quote_ == '"' && line[at] == '\\') {
        if (at + 1 == line.size()) {
          joined_ = true;  // an escaped line break is removed; the spaces before it stay
          protected_ = scalar_.text.size();
          return false;
        }
        const std::size_t taken = read_escape(line.substr(at + 1), scalar_.text);
        if (taken == 0) {
          if (scalar_.odd_escape.empty()) scalar_.odd_escape = line.substr(at, 2);
          scalar_.text += '\\';
        }
        at += taken;
        protected_ = scalar_.text.size();
      } else {
        scalar_.text += line[at];
      }
    }
    return false;
  }

  // A line break becomes a space, and each blank line after it a line break.
  void fold(std::size_t blank_lines) {
    while (scalar_.text.size() > protected_ && (scalar_.text.back() == ' ' || scalar_.text.back() == '\t'))
      scalar_.text.pop_back();
    if (blank_lines > 0)
      scalar_.text.append(blank_lines, '\n');
    else if (!joined_)
      scalar_.text += ' ';
    protected_ = scalar_.text.size();
  }

  QuotedScalar take(std::size_t lines) {
    scalar_.lines = lines;
    return std::move(scalar_);
  }

 private:
  char quote_;
  QuotedScalar scalar_;
  std::size_t protected_ = 0;  // trailing spaces up to here came from escapes and stay
  bool joined_ = false;
};

// Joins the lines of a `>` block: a line break between two lines of text becomes a space.
std::string fold_lines(const std::vector<std::string_view>& lines) {
  std::string out;
  const auto is_text = [&](std::size_t i) {
    return !lines[i].empty() && lines[i][0] != ' ' && lines[i][0] != '\t';
  };
  std::size_t i = 0;
  while (i < lines.size()) {
    out += lines[i];
    std::size_t next = i + 1;
    while (next < lines.size() && lines[next].empty()) ++next;
    const std::size_t blank = next - i - 1;
    const bool at_end = next == lines.size();
    // Between two lines of text, one line break becomes a space; of several, the first is dropped.
    const bool folds = !at_end && is_text(i) && is_text(next);
    if (folds && blank == 0)
      out += ' ';
    else
      out.append(folds || at_end ? blank : blank + 1, '\n');
    i = next;
  }
  return out;
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

std::optional<QuotedScalar> read_quoted(std::string_view first, std::span<const YamlLine> more) {
  QuotedReader reader(first.front());
  if (reader.read_line(first.substr(1))) return reader.take(1);
  std::size_t blank_lines = 0;
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (more[i].is_blank()) {
      ++blank_lines;
      continue;
    }
    reader.fold(blank_lines);
    blank_lines = 0;
    if (reader.read_line(trim(more[i].content))) return reader.take(i + 2);
  }
  return std::nullopt;
}

std::optional<BlockHeader> read_block_header(std::string_view text) {
  text = without_comment(text);
  if (text.empty() || (text.front() != '|' && text.front() != '>') || text.size() > 3) return std::nullopt;
  BlockHeader header{.folded = text.front() == '>'};
  for (const char sign : text.substr(1)) {
    if ((sign == '-' || sign == '+') && header.chomping == ' ')
      header.chomping = sign;
    else if (sign >= '1' && sign <= '9' && header.indent == 0)
      header.indent = static_cast<std::size_t>(sign - '0');
    else
      return std::nullopt;
  }
  return header;
}

BlockScalar read_block(const BlockHeader& header, std::size_t parent_indent,
                       std::span<const YamlLine> lines) {
  std::size_t indent = header.indent == 0 ? 0 : parent_indent + header.indent;
  std::vector<std::string_view> texts;
  for (const YamlLine& line : lines) {
    if (line.is_blank()) {
      texts.push_back(line.whole.size() > indent && indent > 0 ? line.whole.substr(indent)
                                                               : std::string_view());
      continue;
    }
    if (indent == 0) indent = line.indent;
    if (line.indent < indent || line.indent <= parent_indent) break;
    texts.push_back(line.whole.substr(indent));
  }
  BlockScalar block{.lines = texts.size()};
  std::size_t trailing = 0;
  while (!texts.empty() && trim(texts.back()).empty()) {
    texts.pop_back();
    ++trailing;
  }
  block.text = header.folded ? fold_lines(texts) : [&] {
    std::string out;
    for (std::size_t i = 0; i < texts.size(); ++i) out += concat(i == 0 ? "" : "\n", texts[i]);
    return out;
  }();
  if (header.chomping == '+')
    block.text.append(trailing + (texts.empty() ? 0 : 1), '\n');
  else if (header.chomping == ' ' && !texts.empty())
    block.text += '\n';
  return block;
}

}  // namespace helve::skills
