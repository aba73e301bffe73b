#include "cli/agent_view.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "cli/call_line.h"
#include "core/look_ahead.h"
#include "terminal/diff_view.h"

namespace helve::cli {
namespace {

using terminal::Colour;
using terminal::Line;
using terminal::Style;

constexpr std::size_t kMostDiff = 30;       // lines of a change that are shown unasked
constexpr std::size_t kMostErrorLines = 6;  // of a command that failed
constexpr std::size_t kMostReasoning = 6;   // rows that stay
constexpr std::size_t kMostWhole = 5'000;   // lines of a result that is shown whole
constexpr std::string_view kIndent = "  ";

std::vector<Line> text_lines(std::string_view text, Style style, std::string_view indent = {}) {
  std::vector<Line> lines;
  for (std::string_view row : split(trim(text), '\n')) {
    if (row.ends_with('\r')) row.remove_suffix(1);
    Line& line = lines.emplace_back(indent);
    line.add(row, style);
    line.hang = indent.size();
  }
  return lines;
}

const Json* member(const Answer* answer, std::string_view name) {
  return answer != nullptr && answer->ok() ? answer->result->data.find(name) : nullptr;
}

bool failed_with_output(const ToolEvent& event) {
  const Json* code = event.tool == "exec" ? member(event.answer.get(), "exitCode") : nullptr;
  return code != nullptr && code->is_number() && *code != Json(0);
}

}  // namespace

AgentView::AgentView(terminal::Screen& screen) : screen_(screen), text_(look()) {}

terminal::MarkdownStream::Look AgentView::look() const {
  return {.styles = screen_.look().colours, .columns = screen_.columns()};
}

void AgentView::print(Block block, const std::vector<Line>& lines) {
  if (lines.empty()) return;
  std::vector<Line> all;
  if (block_ != Block::kNothing && block != block_ && !ends_empty_) all.emplace_back();
  all.insert(all.end(), lines.begin(), lines.end());
  ends_empty_ = lines.back().spans.empty();
  block_ = block;
  screen_.print(all);
}

void AgentView::show_said(std::string_view text) {
  // Where lines are asked for, it is there already.
  if (!screen_.look().moves) {
    block_ = Block::kSaid;
    return;
  }
  std::vector<Line> lines;
  for (const std::string_view row : split(trim(text), '\n')) {
    Line line(lines.empty() ? "> " : "  ", Style{Colour::kCyan});
    line.add(row, {.bold = true});
    line.hang = 2;
    lines.push_back(std::move(line));
  }
  block_ = block_ == Block::kSaid ? Block::kNote : block_;  // two things said are two
  print(Block::kSaid, lines);
}

void AgentView::show(const std::vector<Line>& lines) { print(Block::kNote, lines); }

void AgentView::show_note(std::string_view text) { show(text_lines(text, {Colour::kDim})); }

void AgentView::show_card(const std::vector<Line>& lines) {
  block_ = block_ == Block::kCard ? Block::kNote : block_;  // two cards are two
  print(Block::kCard, lines);
}

void AgentView::show_decision(const Line& line) { print(Block::kCard, {line}); }

void AgentView::show_problem(const Error& error) {
  std::vector<Line> lines = text_lines(error.message, {Colour::kRed});
  if (!error.hint.empty())
    for (Line& line : text_lines(error.hint, {Colour::kDim})) lines.push_back(std::move(line));
  show(lines);
}

void AgentView::take(const Event& event) {
  if (const auto* text = std::get_if<TextEvent>(&event.body)) return take_text(*text);
  if (const auto* call = std::get_if<ToolEvent>(&event.body)) return take_call(*call);
  if (const auto* error = std::get_if<ErrorEvent>(&event.body)) {
    end_text();
    const Json* hint = error->details.find("hint");
    const Json* code = error->details.find("code");
    if (code != nullptr && *code == Json("CANCELLED")) return;  // the end says it
    const bool again = error->details.find("retrying") != nullptr;
    show_problem({ErrorCode::kUnavailable, error->message,
                  again                                  ? "It is tried again."
                  : hint != nullptr && hint->is_string() ? hint->as_string()
                                                         : std::string()});
  }
}

void AgentView::take_text(const TextEvent& event) {
  using Kind = TextEvent::Kind;
  switch (event.kind) {
    case Kind::kInit:
      // A reply that broke off begins anew.
      if (spoke_) {
        end_text();
        show_note("(The reply broke off and begins anew.)");
      }
      text_ = terminal::MarkdownStream(look());
      spoke_ = false;
      break;
    case Kind::kReasoning: reasoning_ += event.content; break;
    case Kind::kDelta:
      if (trim(event.content).empty() && !spoke_) break;
      end_reasoning();
      spoke_ = true;
      print(Block::kText, text_.feed(event.content));
      break;
    case Kind::kFinal:
      end_reasoning();
      if (!spoke_ && !trim(event.content).empty()) print(Block::kText, text_.feed(event.content));
      end_text();
      spoke_ = false;
      break;
  }
}

void AgentView::end_text() { print(Block::kText, text_.finish()); }

// What the model thought stays as its beginning: all of it would bury what it said.
void AgentView::end_reasoning() {
  if (trim(reasoning_).empty()) return reasoning_.clear();
  std::vector<Line> rows;
  std::size_t left_out = 0;
  for (const Line& line : text_lines(reasoning_, {.colour = Colour::kDim, .italic = true}, kIndent))
    for (Line& row : wrap_line(line, screen_.columns()))
      if (rows.size() < kMostReasoning)
        rows.push_back(std::move(row));
      else
        ++left_out;
  if (left_out > 0)
    rows.emplace_back(concat(kIndent, "… ", count_of(left_out, "more line"), " of thought"),
                      Style{Colour::kDim});
  reasoning_.clear();
  print(Block::kNote, rows);
}

AgentView::RunningCall* AgentView::find(const std::string& id) {
  const auto found = std::ranges::find(calls_, id, &RunningCall::id);
  return found == calls_.end() ? nullptr : &*found;
}

void AgentView::take_call(const ToolEvent& event) {
  using Kind = ToolEvent::Kind;
  RunningCall* call = find(event.call_id);
  switch (event.kind) {
    case Kind::kStart:
      end_reasoning();
      end_text();
      calls_.push_back({event.call_id, event.tool, call_subject(event.tool, event.params), Clock::now()});
      break;
    case Kind::kRunning:
      if (call == nullptr) break;
      call->began = Clock::now();
      call->running = true;
      break;
    case Kind::kUpdate:
      if (call != nullptr)
        call->last_line = event.response;
      else
        show_note(event.response);  // a command in the background
      break;
    // The card says it all.
    case Kind::kQuestionRequired:
      if (call != nullptr) call->running = false;
      break;
    case Kind::kPermissionRequired:
    case Kind::kPermissionGranted:
    case Kind::kPermissionDenied: break;
    case Kind::kEnd:
    case Kind::kError: end_call(event); break;
  }
}

void AgentView::end_call(const ToolEvent& event) {
  const RunningCall* call = find(event.call_id);
  const std::string subject = call != nullptr ? call->subject : std::string();
  std::vector<Line> lines{ended_line(event, subject, screen_.columns())};
  const Answer* answer = event.answer.get();
  const std::string diff = answer != nullptr ? diff_in(answer->result) : std::string();
  last_ = {.title = concat(event.tool, subject.empty() ? "" : " ", subject),
           .text = !diff.empty()                       ? diff
                   : answer != nullptr && answer->ok() ? answer->result->content
                   : answer != nullptr
                       ? concat(answer->result.error().message, "\n", answer->result.error().hint)
                       : event.response,
           .is_diff = !diff.empty()};
  if (!diff.empty() && !shown_changes_.contains(event.call_id)) {
    // The line above names the file already.
    std::vector<Line> change = terminal::diff_view(diff, kMostDiff);
    const bool named = std::ranges::count_if(split(diff, '\n'), [](std::string_view row) {
                         return row.starts_with("+++ ");
                       }) == 1;
    if (named && change.size() > 1) change.erase(change.begin());
    lines.insert(lines.end(), change.begin(), change.end());
  }
  if (failed_with_output(event)) {
    std::vector<Line> output = text_lines(answer->result->content, {Colour::kDim}, kIndent);
    const std::size_t from = output.size() - std::min(output.size(), kMostErrorLines);
    if (from > 0)
      lines.emplace_back(concat(kIndent, "… ", count_of(from, "line"), " above, Ctrl-O shows all"),
                         Style{Colour::kDim});
    lines.insert(lines.end(), output.begin() + static_cast<std::ptrdiff_t>(from), output.end());
  }
  // The question and its answer are there already.
  if (event.tool == "ask_user" && event.kind == ToolEvent::Kind::kEnd) lines.clear();
  std::erase_if(calls_, [&](const RunningCall& running) { return running.id == event.call_id; });
  print(Block::kCalls, lines);
}

void AgentView::end_turn() {
  end_reasoning();
  end_text();
  spoke_ = false;
  calls_.clear();
  shown_changes_.clear();
}

void AgentView::show_last_result() {
  if (last_.title.empty()) return show_note("No call has ended yet.");
  std::vector<Line> lines{Line(last_.title, {.bold = true})};
  const std::vector<Line> body =
      last_.is_diff ? terminal::diff_view(last_.text, kMostWhole) : text_lines(last_.text, {}, kIndent);
  lines.insert(lines.end(), body.begin(),
               body.begin() + static_cast<std::ptrdiff_t>(std::min(body.size(), kMostWhole)));
  if (body.size() > kMostWhole)
    lines.emplace_back(concat(kIndent, "… ", count_of(body.size() - kMostWhole, "more line")),
                       Style{Colour::kDim});
  show(lines);
}

std::vector<Line> AgentView::rows(Clock::time_point now, std::size_t most) const {
  const std::size_t columns = screen_.columns();
  std::vector<Line> rows;
  const auto add = [&](const Line& line) {
    for (Line& row : wrap_line(line, columns)) rows.push_back(std::move(row));
  };
  if (!trim(reasoning_).empty()) {
    constexpr std::size_t kShown = 3;
    for (const Line& line :
         text_lines(utf8_suffix(reasoning_, 2'000), {.colour = Colour::kDim, .italic = true}, kIndent))
      add(line);
    if (rows.size() > kShown) rows.erase(rows.begin(), rows.end() - kShown);
  }
  const std::vector<Line> pending = text_.pending();
  if (!pending.empty() && block_ != Block::kText && block_ != Block::kNothing) rows.emplace_back();
  for (const Line& line : pending) add(line);
  bool first = true;
  for (const RunningCall& call : calls_) {
    if (!call.running) continue;
    if (first && (block_ != Block::kCalls || !pending.empty())) rows.emplace_back();
    first = false;
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(now - call.began);
    rows.push_back(running_line(spinner(now), call.tool, call.subject, time, columns));
    if (!call.last_line.empty())
      rows.push_back(cut_line(Line(concat(kIndent, call.last_line), {Colour::kDim}), columns));
  }
  if (rows.size() > most) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(most));
  return rows;
}

std::string_view AgentView::spinner(Clock::time_point now) {
  constexpr std::string_view kSigns[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  const auto tenths =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() / 100;
  return kSigns[static_cast<std::size_t>(tenths) % std::size(kSigns)];
}

}  // namespace helve::cli
