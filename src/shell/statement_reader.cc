#include "shell/statement_reader.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "shell/names.h"

namespace helve::shell {
namespace {

bool is_statement(NodeKind kind) {
  switch (kind) {
    case NodeKind::kCStyleFor:
    case NodeKind::kCase:
    case NodeKind::kCommand:
    case NodeKind::kCompound:
    case NodeKind::kDeclaration:
    case NodeKind::kFor:
    case NodeKind::kFunction:
    case NodeKind::kIf:
    case NodeKind::kList:
    case NodeKind::kNegated:
    case NodeKind::kPipeline:
    case NodeKind::kRedirected:
    case NodeKind::kSubshell:
    case NodeKind::kTest:
    case NodeKind::kUnset:
    case NodeKind::kVariableAssignment:
    case NodeKind::kVariableAssignments:
    case NodeKind::kWhile: return true;
    default: return false;
  }
}

}  // namespace

void StatementReader::read() {
  const SyntaxNode& root = tree_.root();
  // Continue after a syntax error, so that deny rules still apply to the commands that can be parsed.
  if (tree_.has_error() || root.kind != NodeKind::kProgram) misread("its syntax cannot be parsed");
  if (frame_.dialect == Dialect::kZsh)
    for (const std::string_view operator_of_zsh : {"&!", "&|", ">!", ">&!", ">>|"})
      if (text_.contains(operator_of_zsh))
        doubt(concat("\"", operator_of_zsh, "\" is an operator of zsh only"));
  check_gap(0, root.begin, Gaps::kWithNewlines);
  check_gap(root.end, text_.size(), Gaps::kWithNewlines);
  if (root.kind == NodeKind::kProgram)
    read_children(root);
  else
    read_statement(root);
}

void StatementReader::read_statement(const SyntaxNode& node, const Redirects& redirects) {
  if (analysis_.is_too_deep(frame_)) return;
  ++frame_.depth;
  switch (node.kind) {
    case NodeKind::kCommand: read_command(node, redirects); break;
    case NodeKind::kDeclaration:
    case NodeKind::kUnset: read_declaration(node, redirects); break;
    case NodeKind::kVariableAssignment:
    case NodeKind::kVariableAssignments: read_assignments(node, redirects); break;
    case NodeKind::kRedirected: read_redirected(node, redirects); break;
    case NodeKind::kList:
    case NodeKind::kPipeline:
    case NodeKind::kNegated: read_children(node, redirects); break;
    case NodeKind::kTest: read_test(node, redirects); break;
    default:
      if (!redirects.empty()) add_redirections(redirects, node);
      if (node.kind == NodeKind::kFor)
        read_for(node);
      else if (node.kind == NodeKind::kCStyleFor)
        read_c_style_for(node);
      else if (node.kind == NodeKind::kCase)
        read_case(node);
      else if (node.kind == NodeKind::kCaseItem)
        read_case_item(node);
      else if (node.kind == NodeKind::kFunction)
        read_function(node);
      else if (node.kind == NodeKind::kCompound && text_.substr(node.begin).starts_with("((")) {
        if (frame_.dialect == Dialect::kPosix)
          doubt("(( is a subshell in one shell and arithmetic in another");
        if (node.end >= node.begin + 4) words_.read_arithmetic(node.begin + 2, node.end - 2);
        finish_substitutions();
      } else
        read_children(node);
  }
  --frame_.depth;
}

// Reads statements between operators and keywords; redirections belong to the last one.
void StatementReader::read_children(const SyntaxNode& node, const Redirects& redirects) {
  check_gaps(node, Gaps::kWithNewlines);
  const auto children = tree_.children(node);
  const auto last = std::ranges::find_if(children.rbegin(), children.rend(),
                                         [](const SyntaxNode* child) { return is_statement(child->kind); });
  for (const SyntaxNode* child : children) {
    if (child->missing) doubt("it is not a complete command line");
    if (is_statement(child->kind)) {
      read_statement(*child, last != children.rend() && child == *last ? redirects : Redirects{});
    } else if (child->kind == NodeKind::kDoGroup || child->kind == NodeKind::kElif ||
               child->kind == NodeKind::kElse || child->kind == NodeKind::kCaseItem) {
      read_statement(*child);
    } else if (child->kind == NodeKind::kComment) {
      check_comment(*child);
    } else if (child->kind == NodeKind::kError) {
      misread("its syntax cannot be parsed");
      read_statement(*child);
    } else if (child->kind != NodeKind::kToken) {
      misread("its syntax cannot be parsed");
    }
  }
}

void StatementReader::read_redirected(const SyntaxNode& node, Redirects outer) {
  check_gaps(node, Gaps::kBlank);
  const SyntaxNode* body = nullptr;
  Redirects redirects;
  for (const SyntaxNode* child : tree_.children(node)) {
    if (is_statement(child->kind) && body == nullptr)
      body = child;
    else if (child->kind == NodeKind::kComment)
      check_comment(*child);
    else if (child->kind == NodeKind::kFileRedirect || child->kind == NodeKind::kHereDocument ||
             child->kind == NodeKind::kHereString)
      redirects.push_back(child);
    else
      misread("its syntax cannot be parsed");
  }
  redirects.insert(redirects.end(), outer.begin(), outer.end());
  if (body != nullptr) return read_statement(*body, redirects);
  if (frame_.dialect == Dialect::kZsh) doubt("zsh runs a program for a redirection without a command");
  add_redirections(redirects, node);
}

void StatementReader::read_command(const SyntaxNode& node, const Redirects& redirects) {
  check_gaps(node, Gaps::kBlank);
  SimpleCommand command;
  for (const SyntaxNode* child : tree_.children(node)) {
    if (child->missing) doubt("it is not a complete command line");
    switch (child->kind) {
      case NodeKind::kVariableAssignment: take_assignment(*child, command); break;
      case NodeKind::kFileRedirect:
      case NodeKind::kHereString:
      case NodeKind::kHereDocument: take_redirect(*child, command); break;
      case NodeKind::kComment: check_comment(*child); break;
      case NodeKind::kSubshell:
      case NodeKind::kError:
        misread("its syntax cannot be parsed");
        read_statement(*child);
        break;
      default: take_word(*child, command);
    }
  }
  for (const SyntaxNode* redirect : redirects) take_redirect(*redirect, command);
  finish(std::move(command), node);
}

// `export`, `declare` and similar builtins, which have their own nodes in the grammar; and `unset`.
void StatementReader::read_declaration(const SyntaxNode& node, const Redirects& redirects) {
  check_gaps(node, Gaps::kBlank);
  SimpleCommand command;
  for (const SyntaxNode* child : tree_.children(node)) {
    if (child->kind == NodeKind::kVariableAssignment) {
      take_assignment(*child, command);
      const Word& value = command.assignments.empty() ? Word{} : command.assignments.back().value;
      command.words.push_back(value.literal && !command.assignments.empty()
                                  ? Word{.text = concat(command.assignments.back().name, "=", value.text)}
                                  : Word{.text = std::string(slice(*child)), .literal = false});
    } else if (child->kind == NodeKind::kComment) {
      check_comment(*child);
    } else {
      take_word(*child, command);
    }
  }
  for (const SyntaxNode* redirect : redirects) take_redirect(*redirect, command);
  finish(std::move(command), node);
}

void StatementReader::read_assignments(const SyntaxNode& node, const Redirects& redirects) {
  SimpleCommand command;
  if (node.kind == NodeKind::kVariableAssignment) {
    take_assignment(node, command);
  } else {
    check_gaps(node, Gaps::kBlank);
    for (const SyntaxNode* child : tree_.children(node)) take_assignment(*child, command);
  }
  for (const SyntaxNode* redirect : redirects) take_redirect(*redirect, command);
  finish(std::move(command), node);
}

void StatementReader::add_redirections(const Redirects& redirects, const SyntaxNode& node) {
  SimpleCommand command;
  for (const SyntaxNode* redirect : redirects) take_redirect(*redirect, command);
  if (!command.words.empty()) doubt("words follow the redirection of a group");
  finish(std::move(command), node);
}

void StatementReader::finish(SimpleCommand command, const SyntaxNode& node) {
  constexpr std::size_t kLongestText = 2000;
  command.text = shortened(slice(node), kLongestText);
  analysis_.add(std::move(command), frame_);
  finish_substitutions();
  const auto after = std::move(after_);
  after_.clear();
  for (const SyntaxNode* statement : after) read_statement(*statement);
}

void StatementReader::finish_substitutions() {
  for (std::string& reason : words_.take_doubts()) doubt(std::move(reason));
  if (words_.is_misread()) analysis_.note_misread();
  for (std::string& name : words_.take_assigned_names())
    analysis_.add({.assignments = {{.name = name, .value = {.literal = false}}}, .text = concat(name, "=…")},
                  frame_);
  for (const Substitution& substitution : words_.take_substitutions()) {
    if (substitution.node != nullptr) {
      read_substitution(*substitution.node);
    } else {
      Frame inner = frame_;
      ++inner.depth;
      analysis_.read_text(substitution.backticks, inner);
    }
  }
}

void StatementReader::read_substitution(const SyntaxNode& node) {
  if (analysis_.is_too_deep(frame_)) return;
  ++frame_.depth;
  Redirects redirects;
  for (const SyntaxNode* child : tree_.children(node))
    if (child->kind == NodeKind::kFileRedirect) redirects.push_back(child);
  if (redirects.empty()) {
    read_children(node);
  } else {  // $(<file)
    check_gaps(node, Gaps::kBlank);
    add_redirections(redirects, node);
  }
  --frame_.depth;
}

void StatementReader::check_gaps(const SyntaxNode& node, Gaps gaps) {
  std::size_t end = node.begin;
  for (const SyntaxNode* child : tree_.children(node)) {
    check_gap(end, child->begin, gaps);
    if (child->kind == NodeKind::kToken) check_keyword(*child);
    end = std::max<std::size_t>(end, child->end);
  }
  check_gap(end, node.end, gaps);
}

void StatementReader::check_gap(std::size_t begin, std::size_t end, Gaps gaps) {
  for (std::size_t i = begin; i < end; ++i) {
    const char byte = text_[i];
    if (byte == ' ' || byte == '\t' || (byte == '\n' && gaps == Gaps::kWithNewlines)) continue;
    if (byte == '\\' && i + 1 < end && text_[i + 1] == '\n') {
      ++i;
      continue;
    }
    return misread("a part of it cannot be parsed");
  }
}

// `!x` and `{x` are words, although the grammar finds a keyword in them.
void StatementReader::check_keyword(const SyntaxNode& node) {
  const std::string_view keyword = slice(node);
  if (keyword.empty() || keyword.find_first_of(";&|()<>`$\"=\n") != std::string_view::npos) return;
  constexpr std::string_view kBoundaries = " \t\n;&|()<>";
  const bool begins = node.begin == 0 || kBoundaries.contains(text_[node.begin - 1]);
  const bool ends = node.end >= text_.size() || kBoundaries.contains(text_[node.end]);
  const bool escaped = node.begin > 1 && text_[node.begin - 2] == '\\' && text_[node.begin - 1] != '\n';
  if (!begins || !ends || escaped) doubt(concat("\"", keyword, "\" is in an unexpected place"));
}

// A # begins a comment only where a word could begin.
void StatementReader::check_comment(const SyntaxNode& node) {
  const char before = node.begin == 0 ? '\n' : text_[node.begin - 1];
  const char after = node.end >= text_.size() ? '\n' : text_[node.end];
  if (!std::string_view(" \t\n;&|()").contains(before) || after != '\n')
    misread("it is unclear where a comment begins");
}

}  // namespace helve::shell
