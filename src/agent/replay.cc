#include "agent/replay.h"

#include <algorithm>

#include "agent/entries.h"
#include "agent/transcript.h"
#include "agent/volatile_parts.h"
#include "base/json_parse.h"
#include "base/strings.h"

namespace helve::agent {
namespace {

// Stubs of long results contain session directories, which differ from run to run.
bool have_same_outcome(const ResultEntry& recorded, const ResultEntry& now) {
  return recorded.code == now.code &&
         without_volatile_parts(recorded.content) == without_volatile_parts(now.content) &&
         recorded.images.size() == now.images.size();
}

bool ran(const CallState& call) {
  return call.started && call.result && call.result->code != to_string(ErrorCode::kOutcomeUnknown) &&
         call.result->code != to_string(ErrorCode::kCancelled);
}

}  // namespace

std::size_t ReplayReport::differing() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(calls, [](const ReplayedCall& call) { return !call.same; }));
}

ReplayReport replay(std::span<const Entry> entries, Runtime& runtime, const std::shared_ptr<Session>& session,
                    const std::stop_token& stop) {
  Transcript transcript;
  for (const Entry& entry : entries) transcript.add(entry);
  ReplayReport report;
  for (const Transcript::Item& item : transcript.items()) {
    const auto* round = std::get_if<Round>(&item);
    if (round == nullptr || stop.stop_requested()) continue;
    std::vector<Call> batch;
    std::vector<const CallState*> recorded;
    for (const CallState& call : round->calls) {
      const auto arguments = parse_json(call.planned.requested.arguments);
      if (!ran(call)) {
        ++report.left_out;
        continue;
      }
      recorded.push_back(&call);
      batch.push_back({.tool = call.planned.requested.name,
                       .arguments = arguments ? *arguments : Json(JsonObject()),
                       .stop = stop});
    }
    const std::vector<Answer> answers = runtime.call_many(session, std::move(batch));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      ReplayedCall call{.tool = recorded[i]->planned.requested.name,
                        .arguments = recorded[i]->planned.requested.arguments,
                        .recorded = *recorded[i]->result,
                        .now = result_of(answers[i].call_id, answers[i])};
      call.same = have_same_outcome(call.recorded, call.now);
      report.calls.push_back(std::move(call));
    }
  }
  return report;
}

}  // namespace helve::agent
