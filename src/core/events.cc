// The event stream and the JSON of its events.
#include "helve/events.h"

#include <algorithm>

#include "base/strings.h"
#include "core/approval.h"

namespace helve {
namespace {

std::string_view kind_name(TextEvent::Kind kind) {
  switch (kind) {
    case TextEvent::Kind::kInit: return "init";
    case TextEvent::Kind::kReasoning: return "reasoning";
    case TextEvent::Kind::kDelta: return "delta";
    case TextEvent::Kind::kFinal: return "final";
  }
  return "delta";
}

std::string_view kind_name(ToolEvent::Kind kind) {
  switch (kind) {
    case ToolEvent::Kind::kStart: return "start";
    case ToolEvent::Kind::kRunning: return "running";
    case ToolEvent::Kind::kUpdate: return "update";
    case ToolEvent::Kind::kEnd: return "end";
    case ToolEvent::Kind::kError: return "error";
    case ToolEvent::Kind::kPermissionRequired: return "permission-required";
    case ToolEvent::Kind::kPermissionGranted: return "permission-granted";
    case ToolEvent::Kind::kPermissionDenied: return "permission-denied";
    case ToolEvent::Kind::kQuestionRequired: return "question-required";
  }
  return "start";
}

void add(JsonObject& json, const TextEvent& event) {
  json.append("stream_kind", kind_name(event.kind));
  json.append("content", event.content);
}

void add(JsonObject& json, const ToolEvent& event) {
  json.append("tool_call", kind_name(event.kind));
  json.append("tool_call_id", event.call_id);
  json.append("tool_call_name", event.tool);
  const auto add_if_said = [&](std::string_view key, const Json& value) {
    const bool said = value.is_string() ? !value.as_string().empty() : !value.is_null();
    if (said) json.append(std::string(key), value);
  };
  add_if_said("tool_call_params", event.params);
  json.append("tool_call_server_name", core::server_name(event.server));
  add_if_said("tool_call_response", event.response);
  if (event.answer)
    json.append("tool_call_response_raw", JsonObject{{"toolResult", event.answer->to_json()}});
  add_if_said("permission_request", event.permission_request);
  add_if_said("question_request", event.question_request);
}

void add(JsonObject& json, const ErrorEvent& event) {
  json.append("error", event.message);
  JsonObject details;
  if (event.code) details.append("code", to_string(*event.code));
  if (!event.hint.empty()) details.append("hint", event.hint);
  if (event.retrying) details.append("retrying", true);
  for (const auto& [key, value] : event.details) details.append(key, value);
  if (!details.empty()) json.append("details", std::move(details));
}

void add(JsonObject& json, const EndEvent& event) {
  json.append("reason", event.reason);
  if (!event.details.is_null()) json.append("details", event.details);
}

// The heap bytes of a string; a short one has none.
std::size_t held_by(const std::string& text) { return text.size() > 15 ? text.size() + 32 : 0; }

// The size in memory, which is several times the size of the text.
std::size_t estimated_size(const Json& json) {
  std::size_t size = sizeof(Json);
  if (json.is_string()) size += held_by(json.as_string());
  if (json.is_array())
    for (const Json& element : json.as_array()) size += estimated_size(element);
  if (json.is_object())
    for (const auto& [key, value] : json.as_object())
      size += sizeof(std::string) + held_by(key) + estimated_size(value);
  return size;
}

std::size_t estimated_size(const Answer& answer) {
  if (!answer.ok()) return answer.result.error().message.size() + answer.result.error().hint.size();
  std::size_t size =
      answer.result->summary.size() + answer.result->content.size() + estimated_size(answer.result->data);
  for (const Image& image : answer.result->images) size += image.bytes.size();
  return size;
}

struct SizeOf {
  std::size_t operator()(const TextEvent& event) const { return event.content.size(); }
  std::size_t operator()(const ToolEvent& event) const {
    return event.params.size() + event.response.size() + (event.answer ? estimated_size(*event.answer) : 0) +
           estimated_size(event.permission_request) + estimated_size(event.question_request);
  }
  std::size_t operator()(const ErrorEvent& event) const {
    return event.message.size() + estimated_size(event.details);
  }
  std::size_t operator()(const EndEvent& event) const {
    return event.reason.size() + estimated_size(event.details);
  }
};

}  // namespace

std::string Event::id() const { return concat(session_id ? *session_id : std::string(), "-", seq); }

std::string_view Event::name() const {
  if (std::holds_alternative<ErrorEvent>(body)) return "stream:error";
  if (std::holds_alternative<EndEvent>(body)) return "stream:end";
  return "stream:response";
}

Json Event::to_json() const {
  JsonObject json{{"event", name()}, {"eventId", id()}, {"seq", seq}};
  std::visit([&](const auto& event) { add(json, event); }, body);
  return json;
}

std::uint64_t EventStream::publish(EventBody&& body) {
  constexpr std::size_t kOverhead = 256;
  const std::size_t size = kOverhead + std::visit(SizeOf(), body);
  std::uint64_t seq = 0;
  bool awaited = false;
  {
    const std::lock_guard lock(mutex_);
    awaited = waiting_ > 0;
    seq = next_seq_++;
    kept_.emplace_back(std::make_shared<const Event>(Event{session_id_, seq, std::move(body)}), size);
    kept_bytes_ += size;
    // The newest event stays whatever its size, because no reader can have seen it yet.
    while (kept_.size() > 1 && (kept_.size() > limits_.events || kept_bytes_ > limits_.bytes)) {
      kept_bytes_ -= kept_.front().second;
      kept_.pop_front();
    }
  }
  if (awaited) published_.notify_all();
  return seq;
}

EventStream::Batch EventStream::after(std::uint64_t seq, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  return after_locked(seq, most);
}

EventStream::Batch EventStream::wait_after(std::uint64_t seq, const std::stop_token& stop,
                                           std::chrono::milliseconds timeout, std::size_t most) const {
  std::unique_lock lock(mutex_);
  ++waiting_;
  published_.wait_for(lock, stop, timeout, [&] { return !kept_.empty() && next_seq_ - 1 > seq; });
  --waiting_;
  return after_locked(seq, most);
}

std::uint64_t EventStream::last_seq() const {
  const std::lock_guard lock(mutex_);
  return next_seq_ - 1;
}

EventStream::Batch EventStream::after_locked(std::uint64_t seq, std::size_t most) const {
  Batch batch;
  if (kept_.empty() || seq >= next_seq_ - 1) return batch;
  const std::uint64_t first_kept = kept_.front().first->seq;
  const std::uint64_t first = std::max(seq + 1, first_kept);
  batch.missed = first - (seq + 1);
  for (std::size_t i = first - first_kept; i < kept_.size() && batch.events.size() < most; ++i)
    batch.events.push_back(kept_[i].first);
  return batch;
}

}  // namespace helve
