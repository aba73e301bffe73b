#include "core/call_records.h"

#include "base/object_text.h"
#include "base/redact.h"
#include "base/utf8.h"
#include "core/call_arguments.h"

namespace helve {

namespace {

// What is said, as a record has it.
std::string recorded_text(std::string_view said) {
  constexpr std::size_t kLongest = 500;
  std::string text = redact_text(said);
  return text.size() <= kLongest ? text : shortened(text, kLongest);
}

}  // namespace

Expected<void> CallRecords::add_intent(const Passage& passage) const {
  if (audit_ == nullptr) return {};
  ObjectText entry;
  add_plan(entry, passage, {"intent", passage.effect, passage.call.arguments})
      .add("explanation", recorded_text(passage.explanation))
      .add("decision", passage.decision);
  return add(passage.effect, entry.take());
}

Expected<void> CallRecords::add_look_ahead(const Passage& passage, const Json& arguments) const {
  if (audit_ == nullptr) return {};
  ObjectText entry;
  add_plan(entry, passage, {"preview", Effect::kRead, arguments});
  return add(Effect::kRead, entry.take());
}

ObjectText& CallRecords::add_plan(ObjectText& entry, const Passage& passage, const Plan& plan) const {
  return entry.add("kind", plan.kind)
      .add("session", passage.session->id())
      .add("call", passage.call.id)
      .add("tool", passage.call.tool)
      .add("effect", name_of(plan.effect))
      .add("workspace", engines_.root.path())
      .add_written("arguments", recorded_arguments(passage.tool->definition, plan.arguments));
}

void CallRecords::add_result(const Passage& passage, const Answer& answer, std::string_view outcome) const {
  if (audit_ == nullptr) return;
  const std::string& said = answer.ok() ? answer.result->summary : answer.result.error().message;
  ObjectText entry;
  entry.add("kind", "result")
      .add("session", passage.session->id())
      .add("call", passage.call.id)
      .add("tool", passage.call.tool)
      .add("outcome", outcome)
      .add("summary", recorded_text(said))
      .add("executionTimeMs", answer.execution_time_ms);
  if (answer.ok() && !answer.result->affected_paths.empty()) {
    JsonArray paths;
    for (const std::string& path : answer.result->affected_paths) paths.emplace_back(path);
    entry.add_json("affectedPaths", std::move(paths));
  }
  [[maybe_unused]] const auto added = add(passage.effect, entry.take());
}

Expected<void> CallRecords::add(Effect effect, std::string_view entry) const {
  // What changes nothing need not wait for the disk.
  auto written = effect == Effect::kRead ? audit_->append_soon(entry) : audit_->append(entry);
  if (!written)
    engines_.logger.error("The audit record could not be written", {{"error", written.error().message}});
  return written;
}

}  // namespace helve
