// Reads the parts of a command: words, assignments, redirections and here-documents.
#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/strings.h"
#include "shell/names.h"
#include "shell/statement_reader.h"

namespace helve::shell {
namespace {

bool is_number(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

}  // namespace

void StatementReader::take_word(const SyntaxNode& node, SimpleCommand& command) {
  if (analysis_.is_out_of_time()) return;
  WordReader::Result result = words_.read_word(node.begin);
  if (result.end != node.end || node.end == node.begin) misread("it is unclear where a word ends");
  if (slice(node).starts_with('{') && node.end < text_.size() &&
      std::string_view("<>").contains(text_[node.end]))
    doubt("a redirection stores its descriptor in a variable");
  if (command.words.empty() && is_reserved_word(slice(node), frame_.dialect))
    doubt(concat("\"", slice(node), "\" is in an unexpected place"));
  command.words.push_back(std::move(result.word));
}

void StatementReader::take_assignment(const SyntaxNode& node, SimpleCommand& command) {
  if (node.kind != NodeKind::kVariableAssignment) return misread("its syntax cannot be parsed");
  WordReader::AssignmentResult result = words_.read_assignment(node.begin);
  if (result.end != node.end) return misread("it is unclear where an assignment ends");
  command.assignments.push_back(std::move(result.assignment));
}

void StatementReader::take_redirect(const SyntaxNode& node, SimpleCommand& command) {
  if (node.kind == NodeKind::kHereDocument)
    take_here_document(node, command);
  else if (node.kind == NodeKind::kHereString)
    take_here_string(node, command);
  else
    take_file_redirect(node, command);
}

void StatementReader::take_file_redirect(const SyntaxNode& node, SimpleCommand& command) {
  using Kind = Redirection::Kind;
  check_gaps(node, Gaps::kBlank);
  Redirection redirection;
  std::string_view sign;
  bool has_target = false;
  for (const SyntaxNode* child : tree_.children(node)) {
    if (child->kind == NodeKind::kFileDescriptor) {
      const std::string_view digits = slice(*child);
      // zsh treats a longer number as a separate word.
      if (!is_number(digits) || (digits.size() > 1 && frame_.dialect == Dialect::kZsh) ||
          std::from_chars(digits.data(), digits.data() + digits.size(), redirection.descriptor).ec !=
              std::errc())
        misread("the descriptor of a redirection cannot be parsed");
    } else if (child->kind == NodeKind::kToken && sign.empty()) {
      sign = slice(*child);
    } else if (child->kind == NodeKind::kComment) {
      check_comment(*child);
    } else if (child->kind == NodeKind::kError) {
      misread("its syntax cannot be parsed");
    } else if (!has_target && !sign.ends_with('-')) {
      WordReader::Result result = words_.read_word(child->begin);
      if (result.end != child->end || child->end == child->begin) misread("it is unclear where a word ends");
      redirection.target = std::move(result.word);
      has_target = true;
    } else {
      take_word(*child, command);  // the grammar attaches arguments after a redirection to it
    }
  }
  const std::string_view target = redirection.target.text;
  if (sign == "<&-" || sign == ">&-") {
    const auto after = static_cast<std::size_t>(sign.data() - text_.data()) + sign.size();
    if (after < text_.size() && !std::string_view(" \t\n;&|()<>").contains(text_[after]))
      misread("a redirection cannot be parsed");
    redirection.kind = Kind::kDuplicate;
    redirection.target = {.text = "-"};
  } else if (sign == "<&" || sign == ">&") {
    const std::string_view number = target.substr(0, target.size() - (target.ends_with('-') ? 1 : 0));
    const bool duplicate = target == "-" || (redirection.target.literal && is_number(number));
    redirection.kind = duplicate || sign == "<&" ? Kind::kDuplicate : Kind::kWrite;
    if (!duplicate && sign == ">&" && redirection.descriptor == -1) redirection.descriptor = -2;
  } else if (sign == "&>" || sign == "&>>") {
    redirection.kind = sign == "&>" ? Kind::kWrite : Kind::kAppend;
    redirection.descriptor = -2;
    if (frame_.dialect == Dialect::kPosix)
      doubt("&> is a redirection in one shell and ends a command in another");
  } else {
    redirection.kind = sign == "<" ? Kind::kRead : sign == ">>" ? Kind::kAppend : Kind::kWrite;
    if (sign != "<" && sign != ">" && sign != ">>" && sign != ">|") misread("a redirection cannot be parsed");
  }
  command.redirections.push_back(std::move(redirection));
}

void StatementReader::take_here_string(const SyntaxNode& node, SimpleCommand& command) {
  check_gaps(node, Gaps::kBlank);
  const auto children = tree_.children(node);
  const SyntaxNode& last = *children.back();
  WordReader::Result result = words_.read_word(last.begin);
  if (children.size() != 2 || result.end != last.end) misread("a here-string cannot be parsed");
  command.redirections.push_back({.kind = Redirection::Kind::kHereString, .target = std::move(result.word)});
}

// `<<EOF`, the rest of the line (which the grammar puts inside), the text and its end.
void StatementReader::take_here_document(const SyntaxNode& node, SimpleCommand& command) {
  std::size_t line_end = node.begin;
  for (const SyntaxNode* child : tree_.children(node)) {
    if (child->kind == NodeKind::kHereDocumentBody || child->kind == NodeKind::kHereDocumentEnd) continue;
    check_gap(line_end, child->begin, Gaps::kBlank);
    line_end = child->end;
    switch (child->kind) {
      case NodeKind::kToken:
      case NodeKind::kHereDocumentStart: break;
      case NodeKind::kFileRedirect:
      case NodeKind::kHereString: take_redirect(*child, command); break;
      case NodeKind::kOther: take_word(*child, command); break;
      case NodeKind::kComment: check_comment(*child); break;
      case NodeKind::kFileDescriptor:
      case NodeKind::kError: misread("its syntax cannot be parsed"); break;
      default: after_.push_back(child);
    }
  }
  take_here_document_body(node, line_end, command);
}

void StatementReader::take_here_document_body(const SyntaxNode& node, std::size_t line_end,
                                              SimpleCommand& command) {
  const SyntaxNode* start = nullptr;
  const SyntaxNode* end = nullptr;
  for (const SyntaxNode* child : tree_.children(node)) {
    if (child->kind == NodeKind::kHereDocumentStart) start = child;
    if (child->kind == NodeKind::kHereDocumentEnd) end = child;
  }
  if (start == nullptr || end == nullptr) return doubt("a here-document is not complete");
  const WordReader::Result delimiter = words_.read_word(start->begin);
  const std::string_view mark = delimiter.word.text;
  const bool quoted = slice(*start) != mark;
  const std::size_t newline = text_.find('\n', start->end);
  const bool plain_line = newline != std::string_view::npos && newline >= line_end &&
                          delimiter.end == start->end && delimiter.word.literal;
  if (!plain_line) return misread("it is unclear where a here-document begins");
  check_gap(line_end, newline, Gaps::kBlank);

  // The text ends at the first line that equals the delimiter; the grammar must agree.
  const bool tabs = text_.substr(node.begin, start->begin - node.begin).contains("<<-");
  bool joined = false;  // with the line before, by a backslash at its end
  for (std::size_t line = newline + 1; line <= text_.size();) {
    const std::size_t stop = std::min(text_.find('\n', line), text_.size());
    std::string_view content = text_.substr(line, stop - line);
    if (tabs) content.remove_prefix(std::min(content.find_first_not_of('\t'), content.size()));
    const bool joins = !quoted && content.ends_with('\\');
    // In $(…) some shells also accept a delimiter before the parenthesis, and joined lines can form one.
    const bool almost = content.starts_with(mark) && content.size() > mark.size() &&
                        std::string_view(") `").contains(content[mark.size()]);
    const bool part =
        (joins && mark.starts_with(content.substr(0, content.size() - 1))) || (joined && content == mark);
    if (almost || part) return misread("it is unclear where a here-document ends");
    if (content == mark) {
      if (stop != end->end) return misread("it is unclear where a here-document ends");
      Word text = quoted ? Word{.text = std::string(text_.substr(newline + 1, line - newline - 1))}
                         : words_.read_here_document(newline + 1, line);
      command.redirections.push_back({.kind = Redirection::Kind::kHereDocument, .target = std::move(text)});
      return;
    }
    joined = joins;
    line = stop + 1;
  }
  doubt("a here-document is not complete");
}

}  // namespace helve::shell
