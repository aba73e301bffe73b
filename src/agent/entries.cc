#include "agent/entries.h"

#include <array>

#include "base/base64.h"
#include "base/error_text.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::agent {
namespace {

constexpr auto kStops = std::to_array<std::pair<model::StopReason, std::string_view>>({
    {model::StopReason::kEnd, "end"},
    {model::StopReason::kToolCalls, "tool-calls"},
    {model::StopReason::kLength, "length"},
    {model::StopReason::kContextFull, "context-full"},
    {model::StopReason::kRefused, "refused"},
    {model::StopReason::kPaused, "paused"},
});
constexpr auto kScopes = std::to_array<std::string_view>({"once", "session", "always"});

// Missing or mistyped members read as empty.
std::int64_t number_in(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  std::int64_t number = 0;
  return value != nullptr && value->fits_int64(number) ? number : 0;
}
Json value_in(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value == nullptr ? Json() : *value;
}
const JsonArray& list_in(const Json& json, std::string_view key) {
  static const JsonArray kNone;
  const Json* value = json.find(key);
  return value != nullptr && value->is_array() ? value->as_array() : kNone;
}

struct Written {
  std::string_view kind;
  JsonObject body;
};

struct Writer {
  Written operator()(const BeginEntry& entry) const { return {"begin", {{"system", entry.system}}}; }
  Written operator()(const UserEntry& entry) const {
    return {entry.from_helve ? "note" : "user", {{"text", entry.text}}};
  }
  Written operator()(const ReplyEntry& entry) const {
    JsonArray calls;
    for (const PlannedCall& call : entry.calls)
      calls.push_back(JsonObject{{"id", call.id},
                                 {"modelId", call.requested.id},
                                 {"name", call.requested.name},
                                 {"arguments", call.requested.arguments}});
    return {"assistant",
            {{"raw", entry.raw},
             {"text", entry.text},
             {"calls", std::move(calls)},
             {"stop", to_string(entry.stop)},
             {"usage", JsonObject{{"input", entry.usage.input_tokens},
                                  {"cached", entry.usage.cached_tokens},
                                  {"output", entry.usage.output_tokens}}},
             {"estimate", entry.estimate}}};
  }
  Written operator()(const PauseEntry& entry) const {
    return {"pause", {{"call", entry.call}, {"request", entry.request}}};
  }
  Written operator()(const ApprovalEntry& entry) const {
    return {"approval",
            {{"call", entry.call},
             {"granted", entry.approval.granted},
             {"reason", entry.approval.reason},
             {"scope", kScopes[static_cast<std::size_t>(entry.approval.scope)]}}};
  }
  Written operator()(const StartEntry& entry) const {
    JsonObject body{{"call", entry.call}};
    if (entry.changes) body.append("changes", true);
    return {"start", std::move(body)};
  }
  Written operator()(const ResultEntry& entry) const {
    JsonObject body{{"call", entry.call},
                    {"content", entry.content},
                    {"summary", entry.summary},
                    {"executionTimeMs", entry.milliseconds}};
    if (entry.failed()) body.append("code", entry.code);
    if (!entry.command.id.empty())
      body.append("command", JsonObject{{"id", entry.command.id}, {"running", entry.command.running}});
    JsonArray images;
    for (const Image& image : entry.images)
      images.push_back(JsonObject{{"mimeType", image.mime_type}, {"data", to_base64(image.bytes)}});
    if (!images.empty()) body.append("images", std::move(images));
    if (!entry.paths.empty()) body.append("paths", JsonArray(entry.paths.begin(), entry.paths.end()));
    return {"result", std::move(body)};
  }
  Written operator()(const TrimEntry& entry) const { return {"trim", {{"rounds", entry.rounds}}}; }
  Written operator()(const EndEntry& entry) const {
    return {"end", {{"reason", entry.reason}, {"message", entry.message}}};
  }
};

ReplyEntry read_reply(const Json& body) {
  ReplyEntry entry{.raw = value_in(body, "raw"), .text = text_in(body, "text")};
  for (const Json& call : list_in(body, "calls"))
    entry.calls.push_back(
        {.id = text_in(call, "id"),
         .requested = {text_in(call, "modelId"), text_in(call, "name"), text_in(call, "arguments")}});
  for (const auto& [stop, name] : kStops)
    if (text_in(body, "stop") == name) entry.stop = stop;
  const Json usage = value_in(body, "usage");
  entry.usage = {number_in(usage, "input"), number_in(usage, "cached"), number_in(usage, "output")};
  entry.estimate = number_in(body, "estimate");
  return entry;
}

ApprovalEntry read_approval(const Json& body) {
  ApprovalEntry entry{.call = text_in(body, "call"),
                      .approval = {.granted = flag_in(body, "granted"), .reason = text_in(body, "reason")}};
  for (std::size_t i = 0; i < kScopes.size(); ++i)
    if (text_in(body, "scope") == kScopes[i]) entry.approval.scope = static_cast<ApprovalScope>(i);
  return entry;
}

ResultEntry read_result(const Json& body) {
  ResultEntry entry{.call = text_in(body, "call"),
                    .content = text_in(body, "content"),
                    .code = text_in(body, "code"),
                    .summary = text_in(body, "summary"),
                    .milliseconds = number_in(body, "executionTimeMs")};
  const Json command = value_in(body, "command");
  entry.command = {text_in(command, "id"), flag_in(command, "running")};
  for (const Json& image : list_in(body, "images"))
    if (const auto bytes = from_base64(text_in(image, "data")))
      entry.images.push_back({text_in(image, "mimeType"), *bytes});
  for (const Json& path : list_in(body, "paths"))
    if (path.is_string()) entry.paths.push_back(path.as_string());
  return entry;
}

// The results of exec and process name their command and say whether it runs.
CommandStatus command_in(const Json& data) { return {text_in(data, "sessionId"), flag_in(data, "running")}; }

}  // namespace

std::string_view to_string(model::StopReason stop) {
  for (const auto& [value, name] : kStops)
    if (value == stop) return name;
  return "end";
}

store::EventDraft to_draft(const Entry& entry) {
  Written written = std::visit(Writer(), entry);
  return {.kind = std::string(written.kind), .body = to_text(std::move(written.body))};
}

Expected<Entry> to_entry(const store::SessionEvent& event) {
  // An entry nests a call's arguments a few levels deeper than the limit for arguments alone.
  const auto body = parse_json(event.body, {.max_depth = 256, .max_bytes = store::kMaxEventBody});
  if (!body)
    return fail(ErrorCode::kExecutionFailed,
                concat("Step ", event.seq, " of the session cannot be read: ", body.error().message));
  const std::string& kind = event.kind;
  if (kind == "begin") return BeginEntry{text_in(*body, "system")};
  if (kind == "user" || kind == "note") return UserEntry{text_in(*body, "text"), kind == "note"};
  if (kind == "assistant") return read_reply(*body);
  if (kind == "pause") return PauseEntry{text_in(*body, "call"), value_in(*body, "request")};
  if (kind == "approval") return read_approval(*body);
  if (kind == "start") return StartEntry{text_in(*body, "call"), flag_in(*body, "changes")};
  if (kind == "result") return read_result(*body);
  if (kind == "trim")
    return TrimEntry{static_cast<std::size_t>(std::max<std::int64_t>(number_in(*body, "rounds"), 0))};
  if (kind == "end") return EndEntry{text_in(*body, "reason"), text_in(*body, "message")};
  return fail(ErrorCode::kUnavailable,
              concat("Step ", event.seq, " of the session has an unknown kind: ", kind, "."),
              "Use the version of Helve that wrote the session, or a newer one.");
}

Error outcome_unknown(const model::ToolCall& call) {
  constexpr std::size_t kLongest = 100;
  const Json arguments = parse_json(call.arguments).value_or(Json());
  std::string what = text_in(arguments, "command");
  if (what.empty()) what = text_in(arguments, "path");
  if (!what.empty()) what = concat(" (", on_one_line(what, kLongest), ")");
  return {ErrorCode::kOutcomeUnknown,
          concat("Helve was interrupted while ", call.name, what,
                 " ran, so its outcome is unknown. It was not run again."),
          "Check the current state before you decide whether to repeat the call."};
}

ResultEntry result_of(const std::string& call, const Error& error) {
  return {.call = call,
          .content = error_text(error),
          .code = std::string(to_string(error.code)),
          .summary = error.message};
}

ResultEntry result_of(const std::string& call, const Answer& answer) {
  if (!answer.ok()) {
    ResultEntry entry = result_of(call, answer.result.error());
    entry.milliseconds = answer.execution_time_ms;
    return entry;
  }
  const Output& output = *answer.result;
  return {.call = call,
          .content = output.content.empty() ? output.summary : output.content,
          .summary = output.summary,
          .milliseconds = answer.execution_time_ms,
          .images = output.images,
          .paths = output.affected_paths,
          .command = command_in(output.data)};
}

}  // namespace helve::agent
