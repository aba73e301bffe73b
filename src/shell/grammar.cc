#include "shell/grammar.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"

namespace helve::shell {
namespace {

constexpr int kDeepestGrammar = 60;
constexpr std::size_t kMostSteps = 200'000;  // `$((` is tried as arithmetic and as a command, at each level
constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kMeta = " \t\n;&|()<>";

// Keywords that end a list or a part of a compound command.
constexpr auto kClosers =
    std::to_array<std::string_view>({"then", "else", "elif", "fi", "do", "done", "esac", "}", "]]"});

// Keywords that begin a compound command.
bool is_keyword(std::string_view word) {
  constexpr auto kKeywords = std::to_array<std::string_view>(
      {"if", "for", "select", "while", "until", "case", "{", "[[", "function"});
  return std::ranges::find(kKeywords, word) != kKeywords.end();
}

bool is_closer(std::string_view word) { return std::ranges::find(kClosers, word) != kClosers.end(); }

}  // namespace

bool Grammar::accepts() { return list("", true) && at_end(); }

bool Grammar::enter() { return ++depth_ <= kDeepestGrammar && ++steps_ <= kMostSteps; }

bool Grammar::take(std::string_view what) {
  if (!starts_with(what)) return false;
  at_ += what.size();
  return true;
}

std::string_view Grammar::plain_word() const { return rest().substr(0, rest().find_first_of(kMeta)); }

bool Grammar::take_keyword(std::string_view keyword) {
  if (plain_word() != keyword) return false;
  at_ += keyword.size();
  return true;
}

// Skips blanks, joined lines and a comment.
void Grammar::skip_blanks() {
  while (!at_end()) {
    if (kBlanks.contains(text_[at_]))
      ++at_;
    else if (starts_with("\\\n"))
      at_ += 2;
    else
      break;
  }
  const bool begins_word = at_ == 0 || kMeta.contains(text_[at_ - 1]);
  if (begins_word && starts_with("#")) at_ = std::min(text_.find('\n', at_), text_.size());
}

bool Grammar::skip_newlines() {
  for (skip_blanks(); starts_with("\n"); skip_blanks()) {
    ++at_;
    if (!skip_here_documents()) return false;
  }
  return true;
}

bool Grammar::skip_here_documents() {
  for (const HereDocument& document : waiting_) {
    bool closed = false;
    while (!closed && !at_end()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      if (document.strips_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      closed = line == document.delimiter;
    }
    if (!closed) return false;
  }
  waiting_.clear();
  return true;
}

// Commands up to the end, the closing sign (`)` or a part of a case) or a closing keyword, which is not
// taken.
bool Grammar::list(std::string_view closer, bool may_be_empty) {
  if (!enter()) return false;
  bool empty = true;
  const auto at_closer = [&] {
    if (at_end()) return true;
    if (!closer.empty() && starts_with(closer)) return true;
    return is_closer(plain_word());
  };
  while (skip_newlines() && !at_closer()) {
    if (!pipeline()) return false;
    empty = false;
    for (skip_blanks(); starts_with("&&") || starts_with("||"); skip_blanks()) {
      at_ += 2;
      if (!skip_newlines() || !pipeline()) return false;
    }
    if (at_closer() || starts_with(";;") || starts_with(";&")) break;
    if (starts_with("\n")) continue;
    if (!take(";") && !take("&")) return false;
  }
  --depth_;
  return waiting_.empty() && (may_be_empty || !empty);
}

// A list that is not empty, and one of the keywords after it.
bool Grammar::list_until(std::string_view first, std::string_view second, std::string_view third) {
  if (!list(")", false)) return false;
  const std::string_view keyword = plain_word();
  return !keyword.empty() && (keyword == first || keyword == second || keyword == third);
}

bool Grammar::pipeline() {
  for (skip_blanks(); take_keyword("!"); skip_blanks()) {
  }
  if (take_keyword("time")) {
    skip_blanks();
    if (take_keyword("-p")) skip_blanks();
  }
  if (!command()) return false;
  for (skip_blanks(); starts_with("|") && !starts_with("||"); skip_blanks()) {
    if (!take("|&")) ++at_;
    if (!skip_newlines() || plain_word() == "!" || !command()) return false;
  }
  return true;
}

bool Grammar::command() {
  if (!enter()) return false;
  bool parsed = false;
  const std::string_view keyword = plain_word();
  if (starts_with("(") || is_keyword(keyword))
    parsed = compound(keyword) && redirections();
  else if (take_keyword("coproc"))
    parsed = coprocess();
  else if (keyword != "!" && keyword != "in" && !is_closer(keyword))
    parsed = simple_command();
  --depth_;
  return parsed;
}

// The second word may be a keyword, if the first is the name of the coprocess; that is not supported.
bool Grammar::coprocess() {
  skip_blanks();
  const std::size_t begin = at_;
  if (starts_with("(") || !word()) return false;
  skip_blanks();
  if (starts_with("(") || is_keyword(plain_word())) return false;
  at_ = begin;
  return command();
}

bool Grammar::compound(std::string_view keyword) {
  if (starts_with("(")) return arithmetic_or_subshell();
  at_ += keyword.size();
  if (keyword == "if") return if_clause();
  if (keyword == "for" || keyword == "select") return for_clause();
  if (keyword == "while" || keyword == "until") return list_until("do", "", "") && loop_body();
  if (keyword == "case") return case_clause();
  if (keyword == "{") return list_until("}", "", "") && take_keyword("}");
  if (keyword == "[[") return condition();
  return false;  // functions are not understood anyway
}

bool Grammar::if_clause() {
  while (list_until("then", "", "") && take_keyword("then")) {
    if (!list_until("elif", "else", "fi")) return false;
    if (take_keyword("elif")) continue;
    if (take_keyword("else") && !list_until("fi", "", "")) return false;
    return take_keyword("fi");
  }
  return false;
}

bool Grammar::loop_body() {
  if (take_keyword("{")) return list_until("}", "", "") && take_keyword("}");
  return take_keyword("do") && list_until("done", "", "") && take_keyword("done");
}

bool Grammar::for_clause() {
  skip_blanks();
  if (starts_with("((")) {
    at_ += 1;
    if (!parentheses() || !take(")")) return false;
    skip_blanks();
    take(";");
    return skip_newlines() && loop_body();
  }
  if (!word() || !skip_newlines()) return false;
  if (take_keyword("in")) {
    for (skip_blanks(); !at_end() && !starts_with(";") && !starts_with("\n"); skip_blanks())
      if (!word()) return false;
    if (starts_with(";;") || starts_with(";&") || (!take(";") && !starts_with("\n"))) return false;
  } else if (starts_with(";") && !starts_with(";;")) {
    ++at_;
  }
  return skip_newlines() && loop_body();
}

bool Grammar::case_clause() {
  skip_blanks();
  if (!word() || !skip_newlines() || !take_keyword("in")) return false;
  while (skip_newlines()) {
    if (take_keyword("esac")) return true;
    if (!case_item()) return false;
  }
  return false;
}

bool Grammar::case_item() {
  take("(");
  do {
    skip_blanks();
    if (!word()) return false;
    skip_blanks();
  } while (take("|"));
  if (!take(")") || !list(";;", true)) return false;
  return take(";;&") || take(";;") || take(";&") || plain_word() == "esac";
}

// `((…))` is arithmetic if it ends like it, else two subshells.
bool Grammar::arithmetic_or_subshell() {
  const std::size_t begin = at_;
  if (starts_with("((")) {
    ++at_;
    if (parentheses() && take(")")) return true;
    at_ = begin;
  }
  ++at_;
  return list(")", false) && take(")");
}

bool Grammar::at_redirection() const {
  std::size_t i = at_;
  while (i < text_.size() && is_digit(text_[i])) ++i;
  const std::string_view rest = text_.substr(i);
  if (rest.starts_with("<") || rest.starts_with(">"))
    return !(i == at_ && (rest.starts_with("<(") || rest.starts_with(">(")));
  return i == at_ && rest.starts_with("&>");
}

bool Grammar::redirections() {
  for (skip_blanks(); at_redirection(); skip_blanks())
    if (!redirection()) return false;
  return true;
}

bool Grammar::redirection() {
  while (is_digit(text_[at_])) ++at_;
  if (starts_with("<<") && !starts_with("<<<")) {
    at_ += 2;
    return here_document(take("-"));
  }
  constexpr auto kSigns = std::to_array<std::string_view>(
      {"&>>", "&>", "<<<", "<&-", ">&-", "<&", "<>", "<", ">&", ">>", ">|", ">"});
  for (const std::string_view sign : kSigns) {
    if (!take(sign)) continue;
    if (sign.ends_with('-')) return true;
    skip_blanks();
    return word();
  }
  return false;
}

bool Grammar::here_document(bool strips_tabs) {
  skip_blanks();
  const std::size_t begin = at_;
  if (!word()) return false;
  std::string delimiter;
  for (const char c : text_.substr(begin, at_ - begin))
    if (c != '\'' && c != '"' && c != '\\') delimiter += c;
  waiting_.push_back({std::move(delimiter), strips_tabs});
  return true;
}

bool Grammar::simple_command() {
  bool any = false;
  bool assigns = true;    // only assignments so far
  bool declares = false;  // by `export` and the like, whose arguments may be arrays
  for (skip_blanks(); !at_end(); skip_blanks()) {
    if (at_redirection()) {
      if (!redirection()) return false;
      any = true;
      continue;
    }
    if (kMeta.contains(text_[at_]) && !starts_with("<(") && !starts_with(">(")) break;
    const std::size_t begin = at_;
    if (!word()) return false;
    any = true;
    const std::string_view text = text_.substr(begin, at_ - begin);
    const std::size_t name = text.find_first_of("=\"'$`\\");
    const bool assignment = name != std::string_view::npos && name > 0 && text[name] == '=';
    if (starts_with("(")) {  // name=(…); anything else is an error or a function
      if (!assignment || !text.ends_with('=') || name + 1 != text.size() || !(assigns || declares))
        return false;
      if (!array()) return false;
    } else if (!assignment && assigns) {
      assigns = false;
      constexpr auto kDeclaring =
          std::to_array<std::string_view>({"export", "declare", "local", "readonly", "typeset"});
      declares = std::ranges::find(kDeclaring, text) != kDeclaring.end();
    }
  }
  return any;
}

bool Grammar::array() {
  ++at_;
  while (skip_newlines() && !starts_with(")"))
    if (!word()) return false;
  return take(")");
}

bool Grammar::condition() {
  if (!condition_list() || !skip_newlines()) return false;
  return take_keyword("]]");
}

bool Grammar::condition_list() {
  if (!enter()) return false;
  do {
    if (!condition_term()) return false;
    skip_blanks();
  } while (take("&&") || take("||"));
  --depth_;
  return true;
}

bool Grammar::condition_term() {
  if (!skip_newlines()) return false;
  while (take_keyword("!"))
    if (!skip_newlines()) return false;
  if (take("(")) return condition_list() && skip_newlines() && take(")");
  const std::string_view first = plain_word();
  if (first.empty() || first == "]]") return false;
  const bool unary = first.size() == 2 && first[0] == '-' && is_letter(first[1]);
  if (!word()) return false;
  skip_blanks();
  if (unary) return plain_word() != "]]" && condition_operand(false);
  constexpr auto kComparisons = std::to_array<std::string_view>(
      {"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "==", "=", "!=", "=~"});
  const auto comparison = std::ranges::find(kComparisons, plain_word());
  bool is_pattern = false;
  if (comparison != kComparisons.end()) {
    at_ += comparison->size();
    is_pattern = !comparison->starts_with('-');
  } else if (!take("<") && !take(">")) {
    return true;
  }
  skip_blanks();
  return plain_word() != "]]" && condition_operand(is_pattern);
}

// A pattern or regular expression may have parentheses.
bool Grammar::condition_operand(bool is_pattern) {
  const std::size_t begin = at_;
  while (!at_end()) {
    if (is_pattern && starts_with("(")) {
      if (!parentheses()) return false;
    } else if (is_pattern && starts_with("|") && !starts_with("||")) {
      ++at_;
    } else if (kMeta.contains(text_[at_]) || !word()) {
      break;
    }
  }
  return at_ > begin;
}

}  // namespace helve::shell
