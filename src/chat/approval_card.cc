#include "chat/approval_card.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "base/utf8.h"
#include "core/approval.h"
#include "terminal/diff_view.h"

namespace helve::chat {
namespace {

using terminal::Colour;
using terminal::Line;

constexpr std::string_view kBar = "┃ ";
constexpr std::size_t kLongestArgument = 2000;  // bytes
constexpr std::size_t kBytesPerLine = 50;       // a fact may have this times the card's lines

terminal::Line barred(terminal::Colour colour, const terminal::Line& inner) {
  terminal::Line line = inner;
  line.margin = {terminal::Span(kBar, {colour})};
  return line;
}

std::vector<terminal::Line> lines_of(std::string_view text, std::string_view first_mark, std::size_t most) {
  std::vector<terminal::Line> lines;
  const auto rows = split(trim(text), '\n');
  for (const std::string_view row : rows) {
    if (lines.size() == most) {
      lines.emplace_back(concat("… ", count_of(rows.size() - most, "more line")),
                         terminal::Style{terminal::Colour::kDim});
      break;
    }
    terminal::Line line(lines.empty() ? std::string(first_mark) : std::string(first_mark.size(), ' '));
    line.add(shortened(row, std::max(kLongestArgument, most * kBytesPerLine)), {.bold = !first_mark.empty()});
    line.hang = first_mark.size();
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::vector<terminal::Line> approval_card(const PermissionRequest& request, std::size_t most_lines) {
  const core::ApprovalText text = core::approval_text(request);
  const bool is_command = request.tool == "exec";

  std::vector<terminal::Line> inner;
  terminal::Line& title = inner.emplace_back(text.title, terminal::Style{.bold = true});
  if (!request.server.empty()) title.add(concat(" (", request.server, ")"), {terminal::Colour::kDim});
  if (!request.diff.empty())
    for (terminal::Line& line : terminal::diff_view(request.diff, most_lines))
      inner.push_back(std::move(line));
  else
    for (terminal::Line& line : lines_of(text.subject, is_command ? "$ " : "", most_lines))
      inner.push_back(std::move(line));
  for (const auto& [label, value] : text.facts) {
    terminal::Line& line = inner.emplace_back(concat(label, ": "), terminal::Style{terminal::Colour::kDim});
    line.add(shortened(value, most_lines * kBytesPerLine));
    line.hang = 2;
  }
  std::vector<terminal::Line> card;
  for (const terminal::Line& line : inner) card.push_back(barred(terminal::Colour::kYellow, line));
  return card;
}

terminal::Line approval_choices(const PermissionRequest& request) {
  terminal::Line line;
  line.margin = {terminal::Span(kBar, {terminal::Colour::kYellow})};
  const auto choice = [&](std::string_view key, std::string_view words) {
    line.add(line.spans.empty() ? "[" : "  [").add(key, {.bold = true}).add("]").add(words);
  };
  choice("y", "es");
  choice("s", "ession");
  if (!request.rules.empty()) choice("a", "lways");
  choice("n", "o");
  return line.add("  Esc interrupts", {terminal::Colour::kDim});
}

std::vector<terminal::Line> question_card(const Question& question) {
  std::vector<terminal::Line> card;
  for (const std::string_view row : split(trim(question.text), '\n'))
    card.push_back(barred(terminal::Colour::kCyan, terminal::Line(row, {.bold = true})));
  for (std::size_t at = 0; at < question.choices.size(); ++at) {
    const Choice& choice = question.choices[at];
    terminal::Line line(concat(at + 1, ") "));
    line.hang = line.width();
    line.add(choice.label.empty() ? choice.value : choice.label);
    card.push_back(barred(terminal::Colour::kCyan, line));
  }
  if (!question.url.empty())
    card.push_back(barred(terminal::Colour::kCyan, terminal::Line(concat("open: ", question.url))));
  std::string how = question.choices.empty() ? ""
                    : question.several       ? "Type numbers separated by commas, or text."
                                             : "Type a number or text.";
  if (!question.own_words && !question.choices.empty())
    how = question.several ? "Type numbers separated by commas." : "Type a number.";
  if (!question.suggested.empty()) how += concat(" Enter: ", join(question.suggested, ", "), ".");
  how += " Esc: no answer.";
  card.push_back(barred(terminal::Colour::kCyan, terminal::Line(trim(how), {terminal::Colour::kDim})));
  return card;
}

}  // namespace helve::chat
