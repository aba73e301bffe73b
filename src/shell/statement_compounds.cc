// Reads compound commands that contain words: loops, case, tests, functions.
#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "shell/names.h"
#include "shell/statement_reader.h"

namespace helve::shell {
namespace {

bool compares_numbers(std::string_view word) {
  constexpr std::string_view kComparisons[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
  return std::ranges::find(kComparisons, word) != std::end(kComparisons);
}

bool is_integer(const Word& word) {
  const std::string_view digits = std::string_view(word.text).substr(word.text.starts_with('-') ? 1 : 0);
  return word.literal && !digits.empty() && std::ranges::all_of(digits, is_digit);
}

}  // namespace

// `[[ … ]]` runs only the substitutions in it; `[ … ]` is an ordinary command.
void StatementReader::read_test(const SyntaxNode& node, const Redirects& redirects) {
  const bool extended = text_.substr(node.begin).starts_with("[[");
  const std::size_t sign = extended ? 2 : 1;
  const auto children = tree_.children(node);
  if (std::ranges::any_of(children, [](const SyntaxNode* child) {
        return child->kind == NodeKind::kError || child->missing || child->kind == NodeKind::kRedirected;
      }))
    misread("its syntax cannot be parsed");
  if (node.end < node.begin + 2 * sign) return misread("its syntax cannot be parsed");
  for (const SyntaxNode* child : {children.front(), children.back()}) check_keyword(*child);
  const std::size_t begin = node.begin + sign;
  const std::size_t end = node.end - sign;
  if (!extended) {
    SimpleCommand command{.words = {{.text = "["}}};
    for (std::size_t i = begin; i < end;) {
      if (text_[i] == ' ' || text_[i] == '\t') {
        ++i;
        continue;
      }
      WordReader::Result result = words_.read_word(i);
      if (result.end == i || result.end > end) {
        misread("a test cannot be parsed");
        break;
      }
      i = result.end;
      command.words.push_back(std::move(result.word));
    }
    command.words.push_back({.text = "]"});
    for (const SyntaxNode* redirect : redirects) take_redirect(*redirect, command);
    return finish(std::move(command), node);
  }
  if (!redirects.empty()) add_redirections(redirects, node);
  if (frame_.dialect == Dialect::kPosix) doubt("[[ is a command in one shell and a test in another");
  const std::vector<Word> words = words_.read_loosely(begin, end);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text == "-v" || words[i].text == "-R") doubt("[[ -v evaluates the subscript of an array");
    if (compares_numbers(words[i].text) &&
        !(i > 0 && i + 1 < words.size() && is_integer(words[i - 1]) && is_integer(words[i + 1])))
      doubt(concat("[[ … ", words[i].text, " … ]] with variables can run commands that are in their values"));
  }
  finish_substitutions();
}

void StatementReader::read_for(const SyntaxNode& node) {
  check_gaps(node, Gaps::kWithNewlines);
  std::size_t keywords = 0;
  bool named = false;
  const SyntaxNode* body = nullptr;
  std::string name;
  std::size_t previous = node.begin;
  for (const SyntaxNode* child : tree_.children(node)) {
    if (child->kind == NodeKind::kToken) {
      ++keywords;
    } else if (child->kind == NodeKind::kDoGroup) {
      body = child;
    } else if (child->kind == NodeKind::kComment) {
      check_comment(*child);
    } else if (child->kind == NodeKind::kError || child->missing) {
      misread("its syntax cannot be parsed");
    } else if (!named) {
      name = slice(*child);
      named = true;
    } else {
      check_gap(previous, child->begin, Gaps::kBlank);
      if (words_.read_word(child->begin).end != child->end) misread("it is unclear where a word ends");
    }
    previous = child->end;
  }
  // Only a risky loop variable affects the commands in the loop.
  if (is_risky_variable(name))
    analysis_.add(
        {.assignments = {{.name = name, .value = {.literal = false}}}, .text = concat("for ", name)}, frame_);
  finish_substitutions();
  if (body != nullptr) read_statement(*body);
}

void StatementReader::read_c_style_for(const SyntaxNode& node) {
  const std::size_t open = text_.find("((", node.begin);
  for (const SyntaxNode* child : tree_.children(node)) {
    if (child->kind == NodeKind::kToken && slice(*child) == "))" && open < child->begin)
      words_.read_arithmetic(open + 2, child->begin);
  }
  finish_substitutions();
  for (const SyntaxNode* child : tree_.children(node)) {
    if (child->kind == NodeKind::kDoGroup || child->kind == NodeKind::kCompound) read_statement(*child);
    if (child->kind == NodeKind::kError || child->missing) misread("its syntax cannot be parsed");
  }
}

void StatementReader::read_case(const SyntaxNode& node) {
  check_gaps(node, Gaps::kWithNewlines);
  for (const SyntaxNode* child : tree_.children(node)) {
    if (child->kind == NodeKind::kToken) continue;
    if (child->kind == NodeKind::kCaseItem) {
      finish_substitutions();
      read_statement(*child);
    } else if (child->kind == NodeKind::kComment) {
      check_comment(*child);
    } else if (child->kind == NodeKind::kError || child->missing) {
      misread("its syntax cannot be parsed");
    } else if (words_.read_word(child->begin).end != child->end) {
      misread("it is unclear where a word ends");
    }
  }
  finish_substitutions();
}

// A case item: patterns, a parenthesis, statements.
void StatementReader::read_case_item(const SyntaxNode& node) {
  check_gaps(node, Gaps::kWithNewlines);
  bool patterns = true;
  for (const SyntaxNode* child : tree_.children(node)) {
    if (child->missing || child->kind == NodeKind::kError) {
      misread("its syntax cannot be parsed");
    } else if (child->kind == NodeKind::kToken) {
      patterns = patterns && slice(*child) != ")";
    } else if (child->kind == NodeKind::kComment) {
      check_comment(*child);
    } else if (!patterns) {
      read_statement(*child);
    } else if (words_.read_word(child->begin).end != child->end) {
      misread("it is unclear where a word ends");
    } else {
      finish_substitutions();
    }
  }
}

void StatementReader::read_function(const SyntaxNode& node) {
  doubt("it defines a function, which can stand for any command after it");
  for (const SyntaxNode* child : tree_.children(node)) {
    if (child->kind == NodeKind::kCompound || child->kind == NodeKind::kSubshell ||
        child->kind == NodeKind::kIf || child->kind == NodeKind::kTest)
      read_statement(*child);
    if (child->kind == NodeKind::kFileRedirect) add_redirections({child}, node);
  }
}

}  // namespace helve::shell
