// Reads words outside of arguments: in assignments, arrays, arithmetic, tests and here-documents.
#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "shell/word_reader.h"

namespace helve::shell {
namespace {

bool starts_name(char byte) { return is_letter(byte) || byte == '_'; }

}  // namespace

WordReader::AssignmentResult WordReader::read_assignment(std::size_t begin) {
  std::size_t i = begin;
  while (starts_name(at(i)) || (i > begin && is_digit(at(i)))) ++i;
  AssignmentResult result{.assignment = {.name = std::string(text_.substr(begin, i - begin))}, .end = begin};
  const bool element = at(i) == '[';
  if (element) {
    const std::size_t subscript = ++i;
    while (is_digit(at(i))) ++i;
    if (at(i) != ']' || i == subscript) {
      doubt("the subscript of an array is evaluated as arithmetic");
      const std::size_t close = text_.find("]=", i);
      if (close == std::string_view::npos) return {};
      (void)read_loosely(subscript, close);
      i = close;
    }
    ++i;
  }
  const bool append = at(i) == '+';
  if (append) ++i;
  if (at(i) != '=' || result.assignment.name.empty()) return {};
  ++i;
  if (at(i) == '(') {
    result.end = read_array(i);
    if (result.end < text_.size() && !std::string_view(" \t\n;&|()<>").contains(text_[result.end]))
      misread("an array cannot be parsed");
    result.assignment.value = {.text = std::string(text_.substr(i, result.end - i)), .literal = false};
    return result;
  }
  Result value = read_word(i, Place::kAssignedValue);
  if (append || element) value.word = {.text = std::string(text_.substr(i, value.end - i)), .literal = false};
  result.assignment.value = std::move(value.word);
  result.end = value.end;
  return result;
}

// Starts at the opening parenthesis; the elements may be on several lines.
std::size_t WordReader::read_array(std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < text_.size() && text_[i] != ')') {
    if (std::string_view(" \t\n").contains(text_[i])) {
      ++i;
      continue;
    }
    const std::size_t close = text_[i] == '[' ? text_.find(']', i) : std::string_view::npos;
    if (text_[i] == '#' || (close != std::string_view::npos && at(close + 1) == '='))
      misread("an element of an array cannot be parsed");
    const std::size_t end = read_word(i).end;
    if (end == i) {
      misread("an array cannot be parsed");
      return text_.size();
    }
    i = end;
  }
  return std::min(i + 1, text_.size());
}

Word WordReader::read_here_document(std::size_t begin, std::size_t end) {
  literal_ = true;
  std::string value;
  for (std::size_t i = begin; i < end;) {
    const char byte = text_[i];
    if (byte == '\\' && i + 1 < end) {
      const char next = text_[i + 1];
      if (!std::string_view("$`\\\n").contains(next)) value += byte;
      if (next != '\n') value += next;
      i += 2;
    } else if (byte == '$') {
      i = read_dollar(i, value, true);
    } else if (byte == '`') {
      i = read_backticks(i);
    } else {
      value += byte;
      ++i;
    }
    if (i > end) doubt("an expansion does not end within its here-document");
  }
  if (!literal_) value = text_.substr(begin, end - begin);
  return {.text = std::move(value), .literal = literal_};
}

std::vector<Word> WordReader::read_loosely(std::size_t begin, std::size_t end) {
  std::vector<Word> words;
  for (std::size_t i = begin; i < end;) {
    const bool substitution = at(i + 1) == '(' && (text_[i] == '<' || text_[i] == '>') &&
                              tree_.find(NodeKind::kProcessSubstitution, i) != nullptr;
    if (!substitution && std::string_view(" \t\n;&|()<>").contains(text_[i])) {
      ++i;
      continue;
    }
    Result word = read_word(i);
    words.push_back(std::move(word.word));
    i = word.end;
    if (i > end) misread("it is unclear where a word ends");
  }
  return words;
}

std::size_t WordReader::read_arithmetic(std::size_t begin, std::size_t end) {
  constexpr std::string_view kOperators = " \t\n+-*/%<>=!&|^~?:(),;";
  std::string ignored;
  bool sure = true;
  std::size_t i = begin;
  while (i < end) {
    const char byte = text_[i];
    if (is_digit(byte)) {
      if (byte == '0' && (at(i + 1) == 'x' || at(i + 1) == 'X')) i += 2;
      while (i < end && (is_digit(text_[i]) || (text_[i] >= 'a' && text_[i] <= 'f'))) ++i;
    } else if (byte == '$' && std::string_view("?#$").contains(at(i + 1)) && i + 1 < end) {
      i += 2;  // always a number
    } else if (byte == '$') {
      sure = false;
      i = read_dollar(i, ignored, true);
    } else if (byte == '`') {
      sure = false;
      i = read_backticks(i);
    } else {
      sure = sure && kOperators.contains(byte);
      ++i;
    }
    if (i > end) misread("it is unclear where arithmetic ends");
  }
  if (!sure) doubt("arithmetic with variables can run commands that are in their values");
  return i;
}

}  // namespace helve::shell
