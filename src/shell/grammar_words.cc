// The words of bash's grammar: quotes, expansions and substitutions.
#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "shell/grammar.h"

namespace helve::shell {
namespace {

constexpr std::string_view kEndsOfWords = " \t\n;&|()<>";

}  // namespace

bool Grammar::word() {
  if (!enter()) return false;
  const std::size_t begin = at_;
  bool parsed = true;
  while (parsed && !at_end()) {
    const char byte = text_[at_];
    if (starts_with("<(") || starts_with(">(")) {
      at_ += 2;
      parsed = substitution();
    } else if (kEndsOfWords.contains(byte)) {
      break;
    } else if (byte == '\\') {
      at_ += 2;
      parsed = at_ <= text_.size();
    } else if (byte == '\'') {
      parsed = single_quotes();
    } else if (byte == '"') {
      parsed = double_quotes();
    } else if (byte == '`') {
      parsed = backticks();
    } else if (byte == '$') {
      parsed = starts_with("$'") ? ansi_quotes() : dollar();
    } else {
      ++at_;
    }
  }
  --depth_;
  // `2` in `> 2>&1` is the descriptor of the second redirection.
  const std::string_view text = text_.substr(begin, std::min(at_, text_.size()) - begin);
  const bool descriptor = std::ranges::all_of(text, is_digit) && (starts_with("<") || starts_with(">"));
  return parsed && !text.empty() && !descriptor;
}

bool Grammar::single_quotes() {
  const std::size_t close = text_.find('\'', at_ + 1);
  at_ = std::min(close, text_.size() - 1) + 1;
  return close != std::string_view::npos;
}

bool Grammar::ansi_quotes() {
  for (at_ += 2; !at_end(); ++at_) {
    if (text_[at_] == '\\')
      ++at_;
    else if (take("'"))
      return true;
  }
  return false;
}

bool Grammar::double_quotes() {
  ++at_;
  while (!at_end()) {
    const char byte = text_[at_];
    if (byte == '"') return take("\"");
    if (byte == '\\')
      at_ += 2;
    else if (byte == '`') {
      if (!backticks()) return false;
    } else if (byte == '$') {
      if (!dollar()) return false;
    } else {
      ++at_;
    }
  }
  return false;
}

bool Grammar::backticks() {
  for (++at_; !at_end(); ++at_) {
    if (text_[at_] == '\\')
      ++at_;
    else if (take("`"))
      return true;
  }
  return false;
}

bool Grammar::dollar() {
  ++at_;
  if (starts_with("((")) {
    const std::size_t begin = at_++;
    if (parentheses() && take(")")) return true;
    at_ = begin;
  }
  if (take("(")) return substitution();
  if (take("{")) return braces();
  if (take("[")) {
    for (; !at_end(); ++at_)
      if (take("]")) return true;
    return false;
  }
  return true;
}

bool Grammar::substitution() {
  const auto outer = std::exchange(waiting_, {});
  const bool parsed = list(")", true) && take(")");
  waiting_ = outer;
  return parsed;
}

// The rest of `${…}`, after its opening brace.
bool Grammar::braces() {
  if (!enter()) return false;
  bool parsed = true;
  while (parsed && !at_end() && text_[at_] != '}') {
    const char byte = text_[at_];
    if (byte == '\\')
      at_ += 2;
    else if (byte == '\'')
      parsed = single_quotes();
    else if (byte == '"')
      parsed = double_quotes();
    else if (byte == '`')
      parsed = backticks();
    else if (byte == '$')
      parsed = dollar();
    else
      ++at_;
  }
  --depth_;
  return parsed && take("}");
}

// From an opening parenthesis to the one that closes it, in arithmetic or a pattern.
bool Grammar::parentheses() {
  if (!enter()) return false;
  ++at_;
  bool parsed = true;
  while (parsed && !at_end() && text_[at_] != ')') {
    const char byte = text_[at_];
    if (byte == '(')
      parsed = parentheses();
    else if (byte == '\\')
      at_ += 2;
    else if (byte == '\'')
      parsed = single_quotes();
    else if (byte == '"')
      parsed = double_quotes();
    else if (byte == '`')
      parsed = backticks();
    else if (byte == '$')
      parsed = dollar();
    else
      ++at_;
  }
  --depth_;
  return parsed && take(")");
}

}  // namespace helve::shell
