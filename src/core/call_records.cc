#include "core/call_records.h"

#include "base/json_writer.h"
#include "base/redact.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/call_arguments.h"

namespace helve::core {

namespace {

// A text as a record keeps it.
std::string recorded_text(std::string_view said) {
  constexpr std::size_t kLongest = 500;
  std::string text = redact_text(said);
  return text.size() <= kLongest ? text : shortened(text, kLongest);
}

}  // namespace

Expected<void> CallRecords::add_intent(const ActiveCall& active) const {
  if (audit_ == nullptr) return {};
  ObjectText entry;
  add_plan(entry, active, "intent", active.effect())
      .add("explanation", recorded_text(active.request.explanation))
      .add("decision", active.decision);
  return add(active.effect(), entry.take());
}

Expected<void> CallRecords::add_look_ahead(const ActiveCall& active) const {
  if (audit_ == nullptr) return {};
  ObjectText entry;
  add_plan(entry, active, "preview", Effect::kRead);
  return add(Effect::kRead, entry.take());
}

ObjectText& CallRecords::add_plan(ObjectText& entry, const ActiveCall& active, std::string_view kind,
                                  Effect effect) const {
  return entry.add("kind", kind)
      .add("session", active.session->id())
      .add("call", active.call.id)
      .add("tool", active.call.tool)
      .add("effect", name_of(effect))
      .add("workspace", engines_.root.path())
      .add_written("arguments", recorded_arguments(active.tool->definition, active.arguments()));
}

void CallRecords::add_result(const ActiveCall& active, const Answer& answer, std::string_view outcome) const {
  const std::string& said = answer.ok() ? answer.result->summary : answer.result.error().message;
  if (engines_.logger.writes(LogLevel::kDebug))
    engines_.logger.debug(
        concat("call ", active.call.tool, ": ", replace_all(recorded_text(said), "\n", " ")),
        {{"outcome", outcome}, {"executionTimeMs", answer.execution_time_ms}});
  if (audit_ == nullptr) return;
  ObjectText entry;
  entry.add("kind", "result")
      .add("session", active.session->id())
      .add("call", active.call.id)
      .add("tool", active.call.tool)
      .add("outcome", outcome)
      .add("summary", recorded_text(said))
      .add("executionTimeMs", answer.execution_time_ms);
  if (answer.ok() && !answer.result->affected_paths.empty()) {
    JsonArray paths;
    for (const std::string& path : answer.result->affected_paths) paths.emplace_back(path);
    entry.add_json("affectedPaths", std::move(paths));
  }
  [[maybe_unused]] const auto added = add(active.effect(), entry.take());
}

Expected<void> CallRecords::add(Effect effect, std::string_view entry) const {
  // A read-only call need not wait for the disk.
  auto written = effect == Effect::kRead ? audit_->append_soon(entry) : audit_->append(entry);
  if (!written)
    engines_.logger.error("The audit record could not be written", {{"error", written.error().message}});
  return written;
}

}  // namespace helve::core
