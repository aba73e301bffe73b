#include "code/macro_noise.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "base/strings.h"

namespace helve::code {
namespace {

struct Token {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool is_word = false;
  bool is_macro = false;     // a word in capitals
  bool starts_line = false;  // nothing but white space before it
  bool ends_line = false;
};

bool is_word_start(char c) { return is_letter(c) || c == '_'; }

// Compiler and kernel markers before a name: `__init`, `notrace`.
bool is_marker(std::string_view word) {
  for (const std::string_view known : {"notrace", "asmlinkage", "noinline", "noinstr"})
    if (word == known) return true;
  if (!word.starts_with("__")) return false;
  // Exceptions: keywords of the grammar, and types.
  for (const std::string_view known :
       {"__attribute", "__asm", "__declspec", "__extension", "__inline", "__restrict", "__volatile",
        "__typeof",    "__int", "__u8",       "__u16",       "__u32",    "__u64",      "__s",
        "__le",        "__be",  "__builtin",  "__VA_ARGS",   "__func",   "__cdecl",    "__thread"})
    if (word.starts_with(known)) return word == "__sched" || word == "__section";
  return word.size() > 4;
}

// In capitals, and long enough not to be a type parameter.
bool looks_like_macro(std::string_view word) {
  return word.size() >= 4 && word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string_view::npos &&
         word.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
}

std::size_t end_of_literal(std::string_view text, std::size_t i) {
  const char quote = text[i];
  for (++i; i < text.size() && text[i] != quote && text[i] != '\n'; ++i)
    if (text[i] == '\\') ++i;
  return std::min(i + 1, text.size());
}

std::size_t end_of_directive(std::string_view text, std::size_t i) {
  while (i < text.size() && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return std::min(i, text.size());
}

// Where the condition of `#if` or `#elif` begins; `end` for other directives.
std::size_t begin_of_condition(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t at = begin + 1;
  while (at < end && (text[at] == ' ' || text[at] == '\t')) ++at;
  for (const std::string_view word : {"if", "elif"})
    if (text.substr(at, word.size()) == word && at + word.size() < end &&
        !is_word_character(text[at + word.size()]))
      return at + word.size() + 1;
  return end;
}

// Whether the last tokens are a class head before its body.
bool in_class_head(std::string_view text, const std::vector<Token>& tokens) {
  constexpr std::size_t kMost = 40;
  for (std::size_t i = tokens.size(); i > 0 && tokens.size() - i < kMost; --i) {
    const Token& token = tokens[i - 1];
    const std::string_view word = text.substr(token.begin, token.end - token.begin);
    if (word == ";" || word == "{" || word == "}" || word == ")" || word == "=") return false;
    // Not in `template <class T>`.
    if (word == "class" || word == "struct") {
      const char before = i > 1 ? text[tokens[i - 2].begin] : ';';
      return i < tokens.size() && before != '<' && before != ',';
    }
  }
  return false;
}

// The end of the #endif for the #if at `begin`; 0 if there are braces or statements in between.
std::size_t end_of_plain_condition(std::string_view text, std::size_t begin) {
  constexpr std::size_t kMost = 4000;  // bytes
  int depth = 0;
  for (std::size_t at = begin; at < text.size() && at < begin + kMost;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = trim(text.substr(at, end - at));
    if (line.starts_with('#')) {
      line = trim(line.substr(1));
      if (line.starts_with("if")) ++depth;
      if (line.starts_with("endif") && --depth == 0) return end;
    } else if (line.substr(0, line.find("//")).find_first_of("{};") != std::string_view::npos) {
      return 0;
    }
    at = end + 1;
  }
  return 0;
}

// Splits into words and single characters, without comments, literals and preprocessor lines.
std::vector<Token> tokens_of(std::string_view text, std::vector<Token>& conditions,
                             std::vector<Token>& head_conditions) {
  std::vector<Token> tokens;
  bool starts_line = true;
  const auto add = [&](std::size_t begin, std::size_t end, bool is_word) {
    tokens.push_back({.begin = static_cast<std::uint32_t>(begin),
                      .end = static_cast<std::uint32_t>(end),
                      .is_word = is_word,
                      .is_macro = is_word && (looks_like_macro(text.substr(begin, end - begin)) ||
                                              is_marker(text.substr(begin, end - begin))),
                      .starts_line = starts_line});
    starts_line = false;
  };
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') {
      if (!tokens.empty()) tokens.back().ends_line = true;
      starts_line = true;
      ++i;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++i;
    } else if (c == '#' && starts_line) {
      std::size_t end = end_of_directive(text, i);
      // The grammar allows no condition here: class Name #if … : Base #endif {
      const bool opens = trim(text.substr(i + 1, end - i - 1)).starts_with("if");
      if (const std::size_t whole =
              opens && in_class_head(text, tokens) ? end_of_plain_condition(text, i) : 0;
          whole > 0) {
        head_conditions.push_back(
            {.begin = static_cast<std::uint32_t>(i), .end = static_cast<std::uint32_t>(whole)});
        end = whole;
      } else if (const std::size_t condition = begin_of_condition(text, i, end); condition < end)
        conditions.push_back(
            {.begin = static_cast<std::uint32_t>(condition), .end = static_cast<std::uint32_t>(end)});
      i = end;
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i).starts_with("/*")) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
    } else if (c == '"' || c == '\'') {
      const std::size_t end = end_of_literal(text, i);
      add(i, end, false);
      i = end;
    } else {
      std::size_t end = i + 1;
      if (is_word_start(c))
        while (end < text.size() && is_word_character(text[end])) ++end;
      else if (is_digit(c))
        while (end < text.size() && (is_word_character(text[end]) || text[end] == '.')) ++end;
      add(i, end, is_word_start(c));
      i = end;
    }
  }
  if (!tokens.empty()) tokens.back().ends_line = true;
  return tokens;
}

// Blanks macros among the tokens of one text.
class Blanker {
 public:
  explicit Blanker(std::string_view text)
      : text_(text), tokens_(tokens_of(text, conditions_, head_conditions_)) {}

  std::string run() {
    // Conditions are blanked because they may contain anything: FMT_HAS_INCLUDE(<version>)
    for (const Token& condition : conditions_) {
      blank_bytes(condition.begin, condition.end);
      blanked_[condition.begin] = '1';
    }
    for (const Token& condition : head_conditions_) blank_bytes(condition.begin, condition.end);
    for (std::size_t i = 0; i < tokens_.size();) {
      std::size_t end = tokens_[i].is_macro ? end_of_call(i + 1) : i;
      if (end > i && !is_noise(i, end)) end = i;
      // f(T x = {}) is unknown to the grammar.
      if (word(i) == "=" && word(i + 1) == "{" && word(i + 2) == "}" &&
          (word(i + 3) == ")" || word(i + 3) == ","))
        end = i + 3;
      if (end > i) {
        const bool after_comma = last_kept_ != kNone && word(last_kept_) == "," && tokens_[i].is_macro;
        blank(i, end);
        if (after_comma) blank(last_kept_, last_kept_ + 1);  // in a template parameter list
        i = end;
      } else {
        last_kept_ = i++;
      }
    }
    return std::move(blanked_);
  }

 private:
  std::string_view word(std::size_t i) const {
    return i < tokens_.size() ? text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin)
                              : std::string_view();
  }
  // The end of `(…)` at token i, if there is one.
  std::size_t end_of_call(std::size_t i) const {
    if (word(i) != "(") return i;
    int depth = 0;
    for (std::size_t at = i; at < tokens_.size() && at < i + 2000; ++at) {
      if (word(at) == "(") ++depth;
      if (word(at) == ")" && --depth == 0) return at + 1;
    }
    return i;
  }
  bool is_plain_word(std::size_t i) const { return i < tokens_.size() && tokens_[i].is_word; }

  // The end of the type at token i, such as `std::vector<int>*` or `const char *`; i itself if there is none.
  std::size_t end_of_type(std::size_t i) const {
    std::size_t at = i;
    if (!is_plain_word(at)) return i;
    for (++at; at < tokens_.size() && at < i + 200;) {
      if (word(at) == "<") {
        int depth = 0;
        for (; at < tokens_.size() && at < i + 200; ++at) {
          if (word(at) == "<") ++depth;
          if (word(at) == ">" && --depth == 0) break;
          if (word(at) == ";" || word(at) == "{") return i;
        }
        ++at;
      } else if (word(at) == ":" && word(at + 1) == ":" && is_plain_word(at + 2)) {
        at += 3;
      } else if (word(at) == "*" || word(at) == "&") {
        ++at;
      } else {
        break;
      }
    }
    return at;
  }

  // int x GUARDED_BY(m): the macro follows a type and a name. A variable would follow only a type.
  bool follows_declaration(std::size_t i) const {
    if (i < 2 || !is_plain_word(i - 1) || word(i - 1) == "return") return false;
    const std::string_view type = word(i - 2);
    if (type == "const") return i >= 3 && (word(i - 3) == "*" || word(i - 3) == "&");
    return type == "*" || type == "&" || type == ">" ||
           (is_plain_word(i - 2) && type != "return" && type != "static" && type != "extern" &&
            type != "inline");
  }

  // template <class T, ENABLE_IF(x)>: searches back for `template` within the declaration.
  bool is_template_parameter(std::size_t i) const {
    for (std::size_t steps = 0; i > 0 && steps < 80; ++steps) {
      const std::string_view token = word(--i);
      if (token == "template") return word(i + 1) == "<";
      if (token == ";" || token == "{" || token == "}") return false;
    }
    return false;
  }

  // void __sched notrace f(void), struct x __user *p, f() __acquires(lock) {
  bool is_misplaced_marker(std::size_t i, std::size_t end, std::string_view before) const {
    const std::string_view after = word(end);
    if (end > i + 1)
      return (before == ")" && (after == "{" || after == ";")) || (is_plain_word(end) && before != "=");
    if (!word(i).starts_with("__")) return is_plain_word(end);
    if (before == ")" || before == "]") return after == "{" || after == ";" || after == "=";
    if (before == "*") return is_plain_word(end);
    const bool after_type = last_kept_ != kNone && is_plain_word(last_kept_) && before != "return" &&
                            before != "struct" && before != "union" && before != "enum" && before != "goto" &&
                            before != "case" && before != "typedef";
    if (before == "static" || before == "inline" || before == "const" || before == "extern" ||
        before == "volatile")
      return is_plain_word(end) && is_plain_word(end + 1);
    return after_type && (is_plain_word(end) || after == "*" || after == ";" || after == "=");
  }

  // Recognised by typical words in their names.
  static bool is_specifier(std::string_view macro) {
    for (const std::string_view part :
         {"CONSTEXPR", "INLINE", "_API", "EXPORT", "NODISCARD", "DEPRECATED", "ATTRIBUTE", "VISIB",
          "NORETURN", "CDECL", "STDCALL", "_CALL", "EXTERN", "NOINLINE"})
      if (macro.find(part) != std::string_view::npos) return true;
    return false;
  }

  bool is_noise(std::size_t i, std::size_t end) const {
    const std::string_view before = last_kept_ == kNone ? std::string_view() : word(last_kept_);
    const bool has_arguments = end > i + 1;
    if (is_marker(word(i))) return is_misplaced_marker(i, end, before);
    // class MACRO Name, but not the name itself: class NAME final : Base
    if (before == "class" || before == "struct" || before == "union" || (before == "enum"))
      return is_plain_word(end) && word(end) != "final" && (word(end) != "class" || before == "enum");
    const std::string_view after = word(end);
    if (before == ")") {
      // f() MACRO(x); f() MACRO { and f() MACRO(x) : a(b) {
      const bool closes = after == ";" || after == "{" || after == "=" || after == "const" ||
                          after == "override" || after == "noexcept" || (after == ":" && has_arguments);
      if (closes && (has_arguments || (!tokens_[i].starts_line && after != ";"))) return true;
    }
    if (has_arguments && (after == ";" || after == "=") && follows_declaration(i)) return true;
    if (has_arguments && (after == ">" || after == ",") && is_template_parameter(i)) return true;
    const bool statement = before.empty() || before == ";" || before == "}" || before == "{" ||
                           before == ">" || before == ":" || before == ")" || before == "static" ||
                           before == "inline" || before == "extern" || before == "friend" ||
                           before == "virtual" || before == "constexpr" || before == "explicit" ||
                           before == "const";
    if (!statement) return false;
    // On its own line, followed by a new declaration.
    if (tokens_[i].starts_line && end > 0 && tokens_[end - 1].ends_line && (before != ":"))
      return (is_plain_word(end) || after == "[" || after == "~" || after == "}" || after.empty()) &&
             after != "else" && !(after == "}" && !has_arguments && before == "{") &&
             (after != "}" || before == ";" || before == "}");
    // MACRO type name: followed by two words, unlike a type.
    if (has_arguments && before != "{" && before != ";" && before != "}" && before != ">" && !before.empty())
      return false;
    // MACRO ~Name()
    if (after == "~" && is_plain_word(end + 1) && word(end + 2) == "(") return true;
    if (!is_plain_word(end)) return false;
    if (before == "explicit" || is_specifier(word(i))) return true;
    if (after == "operator" || after == "const" || after == "constexpr" || after == "static" ||
        after == "inline" || after == "explicit" || after == "virtual" || after == "extern" ||
        after == "template" || after == "typedef" || after == "class" || after == "struct" ||
        after == "auto" || after == "unsigned" || after == "enum")
      return after != "const" || before != "const";
    const std::size_t type_end = end_of_type(end);
    return type_end > end && is_plain_word(type_end) && word(type_end) != "and" && word(type_end) != "or";
  }

  void blank(std::size_t first, std::size_t end) { blank_bytes(tokens_[first].begin, tokens_[end - 1].end); }
  void blank_bytes(std::uint32_t begin, std::uint32_t end) {
    if (blanked_.empty()) blanked_ = text_;
    for (std::uint32_t at = begin; at < end; ++at)
      if (blanked_[at] != '\n' && blanked_[at] != '\r') blanked_[at] = ' ';
  }

  std::string_view text_;
  std::vector<Token> conditions_;
  std::vector<Token> head_conditions_;  // complete conditions in class heads
  std::vector<Token> tokens_;
  std::string blanked_ = {};
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t last_kept_ = kNone;  // the last token that is not blanked
};

}  // namespace

std::string without_macro_noise(std::string_view text) { return Blanker(text).run(); }

std::string with_one_branch(std::string_view text, Branch wanted) {
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::vector<std::vector<Range>> open;  // the branches so far of each enclosing #if
  std::vector<Range> blank;
  bool any_choice = false;
  for (std::size_t start = 0, end = 0; start < text.size(); start = end + 1) {
    end = std::min(text.find('\n', start), text.size());
    std::string_view line = trim(text.substr(start, end - start));
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    const bool opens = line.starts_with("if");
    const bool closes = line.starts_with("endif");
    if (!opens && !closes && !line.starts_with("el")) continue;
    blank.push_back({start, end});
    if (opens) open.emplace_back();
    if (open.empty()) continue;
    if (!opens && !open.back().empty()) open.back().back().end = start;
    if (!closes) open.back().push_back({end, end});
    if (!closes) continue;
    const std::vector<Range>& branches = open.back();
    const std::size_t kept = wanted == Branch::kFirst ? 0 : branches.size() - 1;
    for (std::size_t i = 0; i < branches.size(); ++i)
      if (i != kept) blank.push_back(branches[i]);
    any_choice = any_choice || branches.size() > 1;
    open.pop_back();
  }
  if (!any_choice) return {};
  std::string blanked(text);
  for (const Range& range : blank)
    for (std::size_t at = range.begin; at < range.end; ++at)
      if (blanked[at] != '\n' && blanked[at] != '\r') blanked[at] = ' ';
  return blanked;
}

}  // namespace helve::code
