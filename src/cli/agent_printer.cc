#include "cli/agent_printer.h"

#include "base/json_parse.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::cli {

AgentPrinter::AgentPrinter(const Terminal& terminal, const EventStream& events, AgentOutput output)
    : terminal_(terminal),
      events_(events),
      output_(output),
      follower_([this](const std::stop_token& done) { follow(done); }) {}

AgentPrinter::~AgentPrinter() { finish(); }

void AgentPrinter::finish() {
  if (!follower_.joinable()) return;
  follower_.request_stop();
  follower_.join();
}

void AgentPrinter::follow(const std::stop_token& done) {
  while (!done.stop_requested()) print(events_.wait_after(seq_, done, std::chrono::seconds(1)));
  for (auto batch = events_.after(seq_); !batch.events.empty(); batch = events_.after(seq_)) print(batch);
  if (output_ == AgentOutput::kFinal && !last_text_.empty())
    terminal_.out(concat(printable(last_text_), last_text_.ends_with('\n') ? "" : "\n"));
  if (output_ == AgentOutput::kFinal && !denied_.empty()) print_denied();
  if (output_ == AgentOutput::kFinal && !unanswered_.empty()) print_unanswered();
}

// What the one who sees only the last words has to be told beside them.
void AgentPrinter::note_trouble(const ToolEvent& event) {
  const bool asks = event.tool == "ask_user";
  if (asks && event.kind == ToolEvent::Kind::kStart) params_[event.call_id] = event.params;
  if (event.kind != ToolEvent::Kind::kError || !event.answer || event.answer->ok()) return;
  const ErrorCode code = event.answer->result.error().code;
  if (code == ErrorCode::kPermissionDenied) ++denied_[event.tool];
  if (!asks || code != ErrorCode::kUnavailable) return;
  const auto params = parse_json(params_[event.call_id]);
  const Json* question = params ? params->find("question") : nullptr;
  if (question != nullptr && question->is_string()) unanswered_.push_back(question->as_string());
}

void AgentPrinter::print_unanswered() const {
  constexpr std::size_t kMost = 500;
  for (const std::string& question : unanswered_)
    terminal_.err(concat(
        terminal_.paint_err(Colour::kYellow, "warning: "),
        "The model asked, and nobody could answer: ", shortened(printable_line(question), kMost), "\n"));
  terminal_.err(concat("Say the answer with helve agent --resume ", session_,
                       " \"…\", or leave out --print and be asked at the terminal.\n"));
}

// Who sees only the last words has to know that they are about less than was to be done.
void AgentPrinter::print_denied() const {
  std::vector<std::string> tools;
  std::size_t count = 0;
  for (const auto& [tool, calls] : denied_) {
    tools.push_back(printable_line(tool));
    count += calls;
  }
  terminal_.err(concat(terminal_.paint_err(Colour::kYellow, "warning: "), count_of(count, "call"),
                       count == 1 ? " was" : " were", " not allowed: ", join(tools, ", "),
                       ". --mode accept-edits allows file changes, --mode full everything, and the setting "
                       "permissions.allow what you name.\n"));
}

void AgentPrinter::print(const EventStream::Batch& batch) {
  // A stream that goes on does not begin with 1, and that is nothing missed.
  if (batch.missed > 0 && seq_ > 0 && output_ == AgentOutput::kEvents)
    terminal_.out(concat(to_text(JsonObject{{"event", "stream:missed"}, {"missed", batch.missed}}), "\n"));
  for (const auto& event : batch.events) {
    print(*event);
    seq_ = event->seq;
  }
}

void AgentPrinter::print(const Event& event) {
  if (event.session_id) session_ = *event.session_id;
  if (output_ == AgentOutput::kEvents) return terminal_.out(concat(to_text(event.to_json()), "\n"));
  const auto* text = std::get_if<TextEvent>(&event.body);
  const bool whole = text != nullptr && text->kind == TextEvent::Kind::kFinal && !trim(text->content).empty();
  if (whole) last_text_ = text->content;
  const auto* call = std::get_if<ToolEvent>(&event.body);
  if (output_ == AgentOutput::kFinal) return call == nullptr ? void() : note_trouble(*call);
  if (whole) terminal_.out(concat(printable(text->content), text->content.ends_with('\n') ? "" : "\n"));
  if (call != nullptr) print_call(*call);
  if (const auto* error = std::get_if<ErrorEvent>(&event.body))
    terminal_.err(concat(terminal_.paint_err(Colour::kRed, "error: "), printable_line(error->message), "\n"));
  if (const auto* end = std::get_if<EndEvent>(&event.body); end != nullptr && end->reason != "done")
    terminal_.err(concat("The turn ended: ", end->reason, "\n"));
}

void AgentPrinter::print_call(const ToolEvent& event) {
  constexpr std::size_t kMostParams = 120;
  constexpr std::size_t kMostSummary = 200;
  using Kind = ToolEvent::Kind;
  if (event.kind == Kind::kStart) params_[event.call_id] = event.params;
  if (event.kind != Kind::kEnd && event.kind != Kind::kError) return;
  const bool ok = event.kind == Kind::kEnd;
  const auto milliseconds = event.answer ? event.answer->execution_time_ms : 0;
  terminal_.out(concat(terminal_.paint(ok ? Colour::kGreen : Colour::kRed, ok ? "ok" : "failed"), "  ",
                       printable_line(event.tool), " ",
                       shortened(printable_line(params_[event.call_id]), kMostParams), "  ",
                       terminal_.paint(Colour::kDim, concat(milliseconds, " ms")), "  ",
                       shortened(printable_line(event.response), kMostSummary), "\n"));
  params_.erase(event.call_id);
}

}  // namespace helve::cli
