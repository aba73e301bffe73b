#include "chat/chat_view.h"

#include <algorithm>

#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/look_ahead.h"
#include "terminal/diff_view.h"

namespace helve::chat {
namespace {

using terminal::Colour;
using terminal::Line;
using terminal::Style;

constexpr std::size_t kMostDiff = 30;       // lines of a diff below its call
constexpr std::size_t kMostErrorLines = 6;  // last lines of a failed command
constexpr std::size_t kMostReasoning = 6;   // rows that stay on the screen
constexpr std::size_t kMostWhole = 5'000;   // lines of a result after Ctrl-O
constexpr std::string_view kIndent = "  ";

std::vector<terminal::Line> text_lines(std::string_view text, terminal::Style style,
                                       std::string_view indent = {}) {
  std::vector<terminal::Line> lines;
  for (std::string_view row : split(trim(text), '\n')) {
    if (row.ends_with('\r')) row.remove_suffix(1);
    terminal::Line& line = lines.emplace_back(indent);
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

// Cuts the line so that the time always fits.
terminal::Line fitted(terminal::Line line, const std::string& time, std::size_t columns) {
  const std::size_t width = columns > time.size() + 2 ? columns - time.size() - 2 : 0;
  line = terminal::cut_line(line, width);
  line.add(concat("  ", time), {terminal::Colour::kDim});
  return line;
}

bool has_failed(const ToolEvent& event) {
  return event.kind == ToolEvent::Kind::kError || failed_with_output(event);
}

}  // namespace

std::string call_subject(std::string_view tool, std::string_view params) {
  constexpr std::size_t kLongest = 400;
  const auto json = parse_json(params);
  if (!json || !json->is_object()) return shortened(params, kLongest);
  if (tool == "grep" || tool == "find") {
    const std::string path = text_in(*json, "path");
    return shortened(
        concat(text_in(*json, "pattern"), path.empty() || path == "." ? "" : concat(" in ", path)), kLongest);
  }
  if (tool == "process")
    return shortened(concat(text_in(*json, "action"), " ", text_in(*json, "sessionId")), kLongest);
  for (const std::string_view name : {"command", "path", "question", "name", "query", "symbol"})
    if (const std::string value = text_in(*json, name); !value.empty()) return shortened(value, kLongest);
  // A patch does not fit on one line.
  if (json->find("patch") != nullptr) return {};
  return json->as_object().empty() ? std::string() : shortened(params, kLongest);
}

std::string duration_text(std::chrono::milliseconds time) {
  const auto count = time.count();
  if (count < 9'950) {
    const auto tenths = (count + 50) / 100;
    return concat(tenths / 10, ".", tenths % 10, " s");
  }
  const auto seconds = (count + 500) / 1000;
  if (seconds < 120) return concat(seconds, " s");
  return concat(seconds / 60, ":", seconds % 60 < 10 ? "0" : "", seconds % 60);
}

terminal::Line running_line(std::string_view spinner, std::string_view tool, std::string_view subject,
                            std::chrono::milliseconds time, std::size_t columns) {
  terminal::Line line(concat(spinner, " "), {terminal::Colour::kCyan});
  line.add(tool, {.bold = true}).add(subject.empty() ? "" : " ").add(subject);
  return fitted(std::move(line), duration_text(time), columns);
}

terminal::Line ended_line(const ToolEvent& event, std::string_view subject, std::size_t columns) {
  const bool failed = has_failed(event);
  terminal::Line line(failed ? "✗ " : "✓ ", {failed ? terminal::Colour::kRed : terminal::Colour::kGreen});
  line.add(event.tool, {.bold = true});
  // Ctrl-O shows the whole response.
  std::string summary(trim(event.response.substr(0, event.response.find('\n'))));
  // The duration has its own column.
  if (const std::size_t after = summary.find(" after "); event.tool == "exec" && after != std::string::npos)
    summary.erase(after, std::min(summary.find(',', after), summary.size()) - after);
  // Many summaries begin with the subject; do not repeat it. Otherwise subject and summary share the width.
  const bool named = summary.starts_with(subject);
  if (!subject.empty() && !named) {
    const std::size_t share = summary.empty() ? columns : std::max<std::size_t>(columns / 2, 22) - 10;
    line.add(" ").add(terminal::cut_line(terminal::Line(subject), share));
  }
  if (!summary.empty())
    line.add(concat(named ? " " : "  ", summary), {failed ? terminal::Colour::kRed : terminal::Colour::kDim});
  const auto time = std::chrono::milliseconds(event.answer ? event.answer->execution_time_ms : 0);
  return fitted(std::move(line), duration_text(time), columns);
}

ChatView::ChatView(terminal::Screen& screen) : screen_(screen), text_(look()) {}

terminal::MarkdownStream::Look ChatView::look() const {
  return {.styles = screen_.look().colours, .columns = screen_.columns()};
}

void ChatView::print(Block block, const std::vector<terminal::Line>& lines) {
  if (lines.empty()) return;
  std::vector<terminal::Line> all;
  if (block_ != Block::kNothing && block != block_ && !ends_empty_) all.emplace_back();
  all.insert(all.end(), lines.begin(), lines.end());
  ends_empty_ = lines.back().spans.empty();
  block_ = block;
  screen_.print(all);
}

void ChatView::show_user_text(std::string_view text) {
  // On a line terminal the user's echoed input is already there.
  if (!screen_.look().moves) {
    block_ = Block::kUser;
    return;
  }
  std::vector<terminal::Line> lines;
  for (const std::string_view row : split(trim(text), '\n')) {
    terminal::Line line(lines.empty() ? "> " : "  ", terminal::Style{terminal::Colour::kCyan});
    line.add(row, {.bold = true});
    line.hang = 2;
    lines.push_back(std::move(line));
  }
  block_ = block_ == Block::kUser ? Block::kNote : block_;  // separate two messages by an empty line
  print(Block::kUser, lines);
}

void ChatView::show(const std::vector<terminal::Line>& lines) { print(Block::kNote, lines); }

void ChatView::show_note(std::string_view text) { show(text_lines(text, {terminal::Colour::kDim})); }

void ChatView::show_card(const std::vector<terminal::Line>& lines) {
  block_ = block_ == Block::kCard ? Block::kNote : block_;  // separate two cards by an empty line
  print(Block::kCard, lines);
}

void ChatView::show_decision(const terminal::Line& line) { print(Block::kCard, {line}); }

void ChatView::show_problem(const Error& error) {
  std::vector<terminal::Line> lines = text_lines(error.message, {terminal::Colour::kRed});
  if (!error.hint.empty())
    for (terminal::Line& line : text_lines(error.hint, {terminal::Colour::kDim}))
      lines.push_back(std::move(line));
  show(lines);
}

void ChatView::take(const Event& event) {
  if (const auto* text = std::get_if<TextEvent>(&event.body)) return take_text(*text);
  if (const auto* call = std::get_if<ToolEvent>(&event.body)) return take_call(*call);
  if (const auto* error = std::get_if<ErrorEvent>(&event.body)) {
    end_text();
    if (error->code == ErrorCode::kCancelled) return;  // end_turn() reports it
    show_problem({ErrorCode::kUnavailable, error->message, error->retrying ? "Retrying." : error->hint});
  }
}

void ChatView::take_text(const TextEvent& event) {
  using Kind = TextEvent::Kind;
  switch (event.kind) {
    case Kind::kInit:
      if (replied_) {
        end_text();
        show_note("(The reply was cut off and starts again.)");
      }
      text_ = terminal::MarkdownStream(look());
      replied_ = false;
      break;
    case Kind::kReasoning: reasoning_ += event.content; break;
    case Kind::kDelta:
      if (trim(event.content).empty() && !replied_) break;
      end_reasoning();
      replied_ = true;
      print(Block::kText, text_.feed(event.content));
      break;
    case Kind::kFinal:
      end_reasoning();
      if (!replied_ && !trim(event.content).empty()) print(Block::kText, text_.feed(event.content));
      end_text();
      replied_ = false;
      break;
  }
}

void ChatView::end_text() { print(Block::kText, text_.finish()); }

// Keeps only the beginning of the reasoning, so that the reply stays visible.
void ChatView::end_reasoning() {
  if (trim(reasoning_).empty()) return reasoning_.clear();
  std::vector<terminal::Line> rows;
  std::size_t hidden = 0;
  for (const terminal::Line& line :
       text_lines(reasoning_, {.colour = terminal::Colour::kDim, .italic = true}, kIndent))
    for (terminal::Line& row : terminal::wrap_line(line, screen_.columns()))
      if (rows.size() < kMostReasoning)
        rows.push_back(std::move(row));
      else
        ++hidden;
  if (hidden > 0)
    rows.emplace_back(concat(kIndent, "… ", count_of(hidden, "more line"), " of reasoning"),
                      terminal::Style{terminal::Colour::kDim});
  reasoning_.clear();
  print(Block::kNote, rows);
}

ChatView::RunningCall* ChatView::find(const std::string& id) {
  const auto found = std::ranges::find(calls_, id, &RunningCall::id);
  return found == calls_.end() ? nullptr : &*found;
}

void ChatView::take_call(const ToolEvent& event) {
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
        show_note(event.response);  // from a background command
      break;
    // The card shows questions and approvals.
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

void ChatView::end_call(const ToolEvent& event) {
  const RunningCall* call = find(event.call_id);
  const std::string subject = call != nullptr ? call->subject : std::string();
  std::vector<terminal::Line> lines{ended_line(event, subject, screen_.columns())};
  const Answer* answer = event.answer.get();
  const std::string diff = answer != nullptr ? core::diff_in(answer->result) : std::string();
  last_ = {.title = concat(event.tool, subject.empty() ? "" : " ", subject),
           .text = !diff.empty()                       ? diff
                   : answer != nullptr && answer->ok() ? answer->result->content
                   : answer != nullptr
                       ? concat(answer->result.error().message, "\n", answer->result.error().hint)
                       : event.response,
           .is_diff = !diff.empty()};
  if (!diff.empty() && !shown_changes_.contains(event.call_id)) {
    // For a single file, the call's line already names it.
    std::vector<terminal::Line> change = terminal::diff_view(diff, kMostDiff);
    const bool named = std::ranges::count_if(split(diff, '\n'), [](std::string_view row) {
                         return row.starts_with("+++ ");
                       }) == 1;
    if (named && change.size() > 1) change.erase(change.begin());
    lines.insert(lines.end(), change.begin(), change.end());
  }
  if (failed_with_output(event)) {
    std::vector<terminal::Line> output =
        text_lines(answer->result->content, {terminal::Colour::kDim}, kIndent);
    const std::size_t from = output.size() - std::min(output.size(), kMostErrorLines);
    if (from > 0)
      lines.emplace_back(concat(kIndent, "… ", count_of(from, "line"), " above; Ctrl-O shows all"),
                         terminal::Style{terminal::Colour::kDim});
    lines.insert(lines.end(), output.begin() + static_cast<std::ptrdiff_t>(from), output.end());
  }
  // The question card already shows question and answer.
  if (event.tool == "ask_user" && event.kind == ToolEvent::Kind::kEnd) lines.clear();
  std::erase_if(calls_, [&](const RunningCall& running) { return running.id == event.call_id; });
  print(Block::kCalls, lines);
}

void ChatView::end_turn() {
  end_reasoning();
  end_text();
  replied_ = false;
  calls_.clear();
  shown_changes_.clear();
}

void ChatView::show_last_result() {
  if (last_.title.empty()) return show_note("No call has finished yet.");
  std::vector<terminal::Line> lines{terminal::Line(last_.title, {.bold = true})};
  const std::vector<terminal::Line> body =
      last_.is_diff ? terminal::diff_view(last_.text, kMostWhole) : text_lines(last_.text, {}, kIndent);
  lines.insert(lines.end(), body.begin(),
               body.begin() + static_cast<std::ptrdiff_t>(std::min(body.size(), kMostWhole)));
  if (body.size() > kMostWhole)
    lines.emplace_back(concat(kIndent, "… ", count_of(body.size() - kMostWhole, "more line")),
                       terminal::Style{terminal::Colour::kDim});
  show(lines);
}

std::vector<terminal::Line> ChatView::rows(Clock::time_point now, std::size_t most) const {
  const std::size_t columns = screen_.columns();
  std::vector<terminal::Line> rows;
  const auto add = [&](const terminal::Line& line) {
    for (terminal::Line& row : terminal::wrap_line(line, columns)) rows.push_back(std::move(row));
  };
  if (!trim(reasoning_).empty()) {
    constexpr std::size_t kShown = 3;
    for (const terminal::Line& line : text_lines(utf8_suffix(reasoning_, 2'000),
                                                 {.colour = terminal::Colour::kDim, .italic = true}, kIndent))
      add(line);
    if (rows.size() > kShown) rows.erase(rows.begin(), rows.end() - kShown);
  }
  const std::vector<terminal::Line> pending = text_.pending();
  if (!pending.empty() && block_ != Block::kText && block_ != Block::kNothing) rows.emplace_back();
  for (const terminal::Line& line : pending) add(line);
  bool first = true;
  for (const RunningCall& call : calls_) {
    if (!call.running) continue;
    if (first && (block_ != Block::kCalls || !pending.empty())) rows.emplace_back();
    first = false;
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(now - call.began);
    rows.push_back(running_line(spinner(now), call.tool, call.subject, time, columns));
    if (!call.last_line.empty())
      rows.push_back(terminal::cut_line(
          terminal::Line(concat(kIndent, call.last_line), {terminal::Colour::kDim}), columns));
  }
  if (rows.size() > most) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(most));
  return rows;
}

std::string_view ChatView::spinner(Clock::time_point now) {
  constexpr std::string_view kSigns[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  const auto tenths =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() / 100;
  return kSigns[static_cast<std::size_t>(tenths) % std::size(kSigns)];
}

}  // namespace helve::chat
