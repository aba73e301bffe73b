#include "shell/word_reader.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::shell {
namespace {

constexpr int kDeepestWord = 50;

bool is_name_start(char byte) { return is_letter(byte) || byte == '_'; }
bool ends_word(char byte) { return std::string_view(" \t\n;&|()<>").contains(byte); }
bool is_special_parameter(char byte) { return byte != '\0' && std::string_view("*@?!#-$_").contains(byte); }

}  // namespace

WordReader::Result WordReader::read_word(std::size_t begin, Place place) {
  literal_ = true;
  std::string value;
  std::size_t i = begin;
  if (dialect_ == Dialect::kZsh && at(begin) == '=' && place == Place::kArgument)
    doubt("a word begins with =, which zsh replaces by the path of a program");
  while (i < text_.size()) {
    const char byte = text_[i];
    if ((byte == '<' || byte == '>') && at(i + 1) == '(' &&
        tree_.find(NodeKind::kProcessSubstitution, i) != nullptr) {
      i = take_node(NodeKind::kProcessSubstitution, i);
    } else if (ends_word(byte)) {
      break;
    } else if (byte == '\\') {
      if (i + 1 == text_.size()) doubt("it ends with a backslash");
      if (at(i + 1) != '\n') value += text_.substr(i + 1, 1);
      // A shell joins the lines first: `x\` and `=1 y` are an assignment and a command.
      else if (i > begin && i + 2 < text_.size() && !ends_word(text_[i + 2]))
        doubt("a word continues on the next line");
      i = std::min(i + 2, text_.size());
    } else if (byte == '\'') {
      const std::size_t close = text_.find('\'', i + 1);
      if (close == std::string_view::npos) doubt("a single quote is not closed");
      const std::size_t end = std::min(close, text_.size());
      value += text_.substr(i + 1, end - i - 1);
      i = std::min(end + 1, text_.size());
    } else if (byte == '"') {
      i = read_double_quotes(i, value);
    } else if (byte == '$') {
      i = read_dollar(i, value, false);
    } else if (byte == '`') {
      i = read_backticks(i);
    } else {
      const bool tilde =
          byte == '~' && (i == begin || (place == Place::kAssignedValue && text_[i - 1] == ':'));
      if (byte == '*' || byte == '?' || byte == '[' || tilde ||
          (literal_ && byte == '{' && is_brace_expansion(i)))
        literal_ = false;
      value += byte;
      ++i;
    }
  }
  if (!literal_) value = text_.substr(begin, i - begin);
  return {.word = {.text = std::move(value), .literal = literal_}, .end = i};
}

std::size_t WordReader::read_double_quotes(std::size_t begin, std::string& out) {
  for (std::size_t i = begin + 1; i < text_.size();) {
    const char byte = text_[i];
    if (byte == '"') return i + 1;
    if (byte == '\\' && i + 1 < text_.size()) {
      const char next = text_[i + 1];
      if (!std::string_view("$`\"\\\n").contains(next)) out += byte;
      if (next != '\n') out += next;
      i += 2;
    } else if (byte == '$') {
      i = read_dollar(i, out, true);
    } else if (byte == '`') {
      i = read_backticks(i);
    } else {
      out += byte;
      ++i;
    }
  }
  doubt("a double quote is not closed");
  return text_.size();
}

std::size_t WordReader::read_ansi_quotes(std::size_t begin, std::string& out) {
  if (dialect_ == Dialect::kPosix) doubt("$'…' means different things to different shells");
  for (std::size_t i = begin + 2; i < text_.size();) {
    const char byte = text_[i];
    if (byte == '\'') return i + 1;
    if (byte != '\\') {
      out += byte;
      ++i;
      continue;
    }
    constexpr std::string_view kLetters = "abeEfnrtv\\'\"?";
    constexpr std::string_view kValues = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
    const char letter = at(i + 1);
    i += 2;
    if (const std::size_t index = kLetters.find(letter); letter != '\0' && index != std::string_view::npos) {
      out += kValues[index];
      continue;
    }
    const bool octal = is_octal_digit(letter);
    const std::size_t most = octal ? 3 : letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (octal) --i;
    char32_t value = 0;
    std::size_t digits = 0;
    for (; digits < most; ++digits, ++i) {
      const int digit = hex_digit_value(at(i));
      if (digit < 0 || (octal && digit > 7)) break;
      value = value * (octal ? 8 : 16) + static_cast<char32_t>(digit);
    }
    // Other escapes depend on the shell's version, and NUL is dropped.
    if (digits == 0 || value == 0 || value > 0x7F) {
      misread("an escape in $'…' cannot be parsed");
      continue;
    }
    append_utf8(out, value);
  }
  doubt("a single quote is not closed");
  return text_.size();
}

std::size_t WordReader::read_dollar(std::size_t begin, std::string& out, bool quoted) {
  const char next = at(begin + 1);
  if (next == '\\' && at(begin + 2) == '\n') doubt("an expansion continues on the next line");
  if (next == '\'' && !quoted) return read_ansi_quotes(begin, out);
  if (next == '"' && !quoted) {
    literal_ = false;  // the value depends on a translation
    return read_double_quotes(begin + 1, out);
  }
  if (next == '(') {
    const bool arithmetic = at(begin + 2) == '(';
    if (at(begin + 2) == '\\') doubt("an expansion continues on the next line");
    if (!arithmetic) return take_node(NodeKind::kCommandSubstitution, begin);
    const SyntaxNode* node = tree_.find(NodeKind::kArithmeticExpansion, begin);
    if (node == nullptr || node->end < begin + 5) {
      doubt("$(( can begin arithmetic as well as a command");
      return take_node(NodeKind::kCommandSubstitution, begin);
    }
    literal_ = false;
    read_arithmetic(begin + 3, node->end - 2);
    return node->end;
  }
  if (next == '[') {
    const SyntaxNode* node = tree_.find(NodeKind::kArithmeticExpansion, begin);
    literal_ = false;
    if (node == nullptr) {
      misread("$[ cannot be parsed");
      return begin + 2;
    }
    read_arithmetic(begin + 2, node->end - 1);
    return node->end;
  }
  if (next == '{') return read_braces(begin, quoted);
  if (next == '`') {
    misread("$` cannot be parsed");
    return begin + 1;
  }
  if (is_name_start(next)) {
    literal_ = false;
    std::size_t end = begin + 1;
    while (is_word_character(at(end))) ++end;
    if (dialect_ == Dialect::kZsh && at(end) == '[')
      doubt("zsh evaluates the text in brackets after a variable");
    return end;
  }
  if (is_digit(next) || is_special_parameter(next)) {
    literal_ = false;
    return begin + 2;
  }
  if (dialect_ == Dialect::kZsh && next != '\0' && std::string_view("=^~+:").contains(next))
    misread("an expansion of zsh cannot be parsed");
  out += '$';
  return begin + 1;
}

std::size_t WordReader::read_braces(std::size_t begin, bool quoted) {
  literal_ = false;
  if (depth_ >= kDeepestWord) {
    doubt("expansions are nested too deeply");
    return text_.size();
  }
  ++depth_;
  std::size_t i = begin + 2;
  const bool length = at(i) == '#' && at(i + 1) != '}';
  if (length) ++i;
  if (at(i) == '!' && at(i + 1) != '}') {
    doubt("${!…} uses the value of one variable as the name of another");
    ++i;
  }
  const std::size_t name_begin = i;
  if (is_word_character(at(i))) {
    while (is_word_character(at(i))) ++i;
  } else if (is_special_parameter(at(i))) {
    ++i;
  } else {
    misread("an expansion cannot be parsed");
  }
  const std::string name(text_.substr(name_begin, i - name_begin));
  if (at(i) == '[') {
    std::size_t close = i + 1;
    while (is_digit(at(close)) || at(close) == '@' || at(close) == '*') ++close;
    if (at(close) == ']' && close > i + 1)
      i = close + 1;
    else
      doubt("the subscript of an array is evaluated as arithmetic");
  }
  if (at(i) == '\\') doubt("an expansion continues on the next line");
  if (at(i) == '@') {
    if (at(i + 1) == '\\') doubt("an expansion continues on the next line");
    if (at(i + 1) == 'P') doubt("${…@P} runs the commands in a variable's value");
  } else if (at(i) == '=' || (at(i) == ':' && at(i + 1) == '=')) {
    assigned_names_.push_back(name);
  } else if (at(i) == ':' && !std::string_view("-?+").contains(at(i + 1))) {
    i = read_arithmetic(i + 1, std::min(text_.find('}', i), text_.size()));
  }
  const std::size_t end = read_pattern(i, quoted);
  --depth_;
  const SyntaxNode* node = tree_.find(NodeKind::kExpansion, begin);
  if (node == nullptr || node->end != end) misread("it is unclear where an expansion ends");
  return end;
}

// Reads the rest of `${name…}` up to its closing brace.
std::size_t WordReader::read_pattern(std::size_t begin, bool quoted) {
  std::string ignored;
  for (std::size_t i = begin; i < text_.size();) {
    const char byte = text_[i];
    if (byte == '}') return i + 1;
    if (byte == '\\') {
      i += 2;
    } else if (byte == '\'' || byte == '"') {
      // In double quotes, their meaning depends on the operator and on the shell.
      if (quoted) misread("quotes within an expansion within quotes cannot be parsed");
      if (byte == '"') {
        i = read_double_quotes(i, ignored);
      } else {
        const std::size_t close = text_.find('\'', i + 1);
        i = close == std::string_view::npos ? text_.size() : close + 1;
      }
    } else if (byte == '$') {
      i = read_dollar(i, ignored, quoted);
    } else if (byte == '`') {
      i = read_backticks(i);
    } else if ((byte == '<' || byte == '>') && at(i + 1) == '(' && !quoted) {
      i = take_node(NodeKind::kProcessSubstitution, i);
    } else {
      ++i;
    }
  }
  doubt("an expansion is not closed");
  return text_.size();
}

// A shell first takes all text up to the next backtick, then parses it as commands.
std::size_t WordReader::read_backticks(std::size_t begin) {
  literal_ = false;
  const std::size_t close = text_.find('`', begin + 1);
  if (close == std::string_view::npos) {
    doubt("a backtick is not closed");
    return text_.size();
  }
  const std::string_view inside = text_.substr(begin + 1, close - begin - 1);
  if (inside.contains('\\')) doubt("a backslash within backticks means different things to different shells");
  substitutions_.push_back({.backticks = std::string(inside)});
  return close + 1;
}

std::size_t WordReader::take_node(NodeKind kind, std::size_t begin) {
  literal_ = false;
  const SyntaxNode* node = tree_.find(kind, begin);
  if (node == nullptr) {
    doubt("a substitution is in an unexpected place");
    return begin + 2;
  }
  if (found_nodes_.insert(node).second) substitutions_.push_back({.node = node});
  return node->end;
}

void WordReader::doubt(std::string reason) {
  if (std::ranges::find(doubts_, reason) == doubts_.end()) doubts_.push_back(std::move(reason));
}

void WordReader::misread(std::string reason) {
  is_misread_ = true;
  doubt(std::move(reason));
}

// `{a,b}` and `{1..3}` are expanded, `{}` and `@{1}` are not.
bool WordReader::is_brace_expansion(std::size_t begin) {
  if (begin >= plain_braces_.first && begin < plain_braces_.second) return false;
  const std::size_t end = std::min(text_.find_first_of(" \t\n", begin), text_.size());
  const std::string_view rest = text_.substr(begin, end - begin);
  const std::size_t separator = std::min(rest.find(','), rest.find(".."));
  if (separator != std::string_view::npos && rest.find('}', separator) != std::string_view::npos) return true;
  plain_braces_ = {begin, end};
  return false;
}

}  // namespace helve::shell
