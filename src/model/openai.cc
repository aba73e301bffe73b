// The Chat Completions API: requests, and replies that arrive as deltas.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "model/dialect.h"

namespace helve::model {
namespace {

// The fields for reasoning; sent back under the same name, because some servers require it.
constexpr std::array<std::string_view, 2> kReasoningFields = {"reasoning_content", "reasoning"};

struct CallDraft {
  std::optional<std::int64_t> index = {};
  ToolCall call = {};
  JsonObject extra = {};  // other members such as signatures; sent back
};

Json call_json(const ToolCall& call, const JsonObject& extra) {
  // Unchanged if the arguments are valid.
  const auto parsed = parse_json(call.arguments);
  JsonObject json{
      {"id", Json(call.id)},
      {"type", "function"},
      {"function", JsonObject{{"name", Json(call.name)},
                              {"arguments", Json(parsed && parsed->is_object()
                                                     ? call.arguments
                                                     : to_text(arguments_to_replay(call.arguments)))}}}};
  for (const auto& [name, value] : extra) json.append(name, value);
  return json;
}

class OpenaiReader final : public ReplyReader {
 public:
  OpenaiReader(const Listener& listener, const Endpoint& endpoint)
      : ReplyReader(listener), endpoint_(endpoint) {}

  Expected<void> take(const http::SentEvent& event) override {
    const std::string_view data = trim(event.data);
    if (data.empty()) return {};
    if (data == "[DONE]") {
      done_ = true;
      return {};
    }
    auto chunk = parse_json(data);
    if (!chunk && !is_valid_utf8(data)) chunk = parse_json(to_valid_utf8(data));
    if (!chunk || !chunk->is_object())
      return fail(malformed_error("an event of the stream is not a JSON object", data, endpoint_));
    return take_chunk(*chunk, event.event == "error");
  }

  Expected<void> take_whole(const Json& answer) override {
    if (auto taken = take_chunk(answer, false); !taken) return taken;
    if (!has_choice_) return fail(malformed_error("the answer has no choices", to_text(answer), endpoint_));
    done_ = true;
    return {};
  }

  bool has_ended() const override { return done_ ? has_choice_ : !finish_reason_.empty(); }
  bool is_done() const override { return done_; }

  Reply finish() override {
    Reply reply;
    std::vector<ToolCall> calls;
    for (const CallDraft& draft : drafts_) calls.push_back(draft.call);
    complete_ids(calls);
    reply.raw = raw_message(calls);
    for (ToolCall& call : calls)
      if (trim(call.arguments).empty()) call.arguments = "{}";
    reply.calls = std::move(calls);
    reply.text = refusal_.empty() ? text_ : concat(text_, refusal_);
    reply.reasoning = thought_parts_;
    for (const std::string& reasoning : reasoning_)
      if (reply.reasoning.empty()) reply.reasoning = reasoning;
    reply.usage = usage_;
    reply.stop = stop_reason();
    return reply;
  }

 private:
  Expected<void> take_chunk(const Json& chunk, bool named_error) {
    const Json* const error = chunk.find("error");
    if ((error != nullptr && !error->is_null()) || named_error || string_in(chunk, "object") == "error")
      return fail(reported_error(chunk, endpoint_));
    if (const Json* const usage = object_in(chunk, "usage")) take_usage(*usage);
    const JsonArray* const choices = array_in(chunk, "choices");
    if (choices == nullptr || choices->empty()) return {};
    const Json& choice = choices->front();
    has_choice_ = true;
    for (const std::string_view name : {"delta", "message"})
      if (const Json* const delta = object_in(choice, name)) take_delta(*delta);
    if (const std::string_view reason = string_in(choice, "finish_reason"); !reason.empty()) {
      if (reason == "error" || reason == "insufficient_system_resource")
        return fail(reported_error(JsonObject{{"error", Json(concat("finish_reason ", reason))}}, endpoint_));
      finish_reason_ = reason;
    }
    return {};
  }

  void take_usage(const Json& usage) {
    usage_.input_tokens = std::max(usage_.input_tokens, count_in(usage, "prompt_tokens"));
    usage_.output_tokens = std::max(usage_.output_tokens, count_in(usage, "completion_tokens"));
    std::int64_t cached = count_in(usage, "prompt_cache_hit_tokens");
    if (const Json* const details = object_in(usage, "prompt_tokens_details"))
      cached = std::max(cached, count_in(*details, "cached_tokens"));
    usage_.cached_tokens = std::max(usage_.cached_tokens, cached);
  }

  void take_delta(const Json& delta) {
    for (std::size_t i = 0; i < kReasoningFields.size(); ++i) {
      const std::string_view piece = string_in(delta, kReasoningFields[i]);
      // Some servers send the same text in both fields.
      const bool heard = i > 0 && !reasoning_[0].empty();
      reasoning_[i] += piece;
      if (!heard) emit_reasoning(piece);
    }
    if (const JsonArray* const details = array_in(delta, "reasoning_details"))
      for (const Json& detail : *details) take_reasoning_detail(detail);
    add_text(string_in(delta, "content"));
    if (const JsonArray* const parts = array_in(delta, "content"))
      for (const Json& part : *parts) take_part(part);
    const std::string_view refusal = string_in(delta, "refusal");
    refusal_ += refusal;
    emit_text(refusal);
    if (const JsonArray* const calls = array_in(delta, "tool_calls"))
      for (const Json& call : *calls) take_call(call);
  }

  void take_part(const Json& part) {
    add_text(string_in(part, "text"));
    const JsonArray* const thoughts = array_in(part, "thinking");
    if (thoughts == nullptr) return;
    for (const Json& thought : *thoughts) {
      thought_parts_ += string_in(thought, "text");
      emit_reasoning(string_in(thought, "text"));
    }
  }

  void add_text(std::string_view piece) {
    text_ += piece;
    emit_text(piece);
  }

  // Pieces of one reasoning detail have the same type and index.
  void take_reasoning_detail(const Json& detail) {
    const Json* const index = detail.find("index");
    Json* const last = details_.empty() ? nullptr : &details_.back();
    const Json* const last_index = last != nullptr ? last->find("index") : nullptr;
    const bool continues = index != nullptr && last_index != nullptr && *index == *last_index &&
                           string_in(*last, "type") == string_in(detail, "type");
    if (!continues || !detail.is_object()) {
      details_.push_back(detail);
      return;
    }
    for (const auto& [name, value] : detail.as_object()) {
      Json& known = (*last)[name];
      const bool grows = name == "text" || name == "summary" || name == "data";
      if (grows && known.is_string() && value.is_string())
        known.as_string() += value.as_string();
      else if (!value.is_null())
        known = value;
    }
  }

  void take_call(const Json& delta) {
    const Json* const function = object_in(delta, "function");
    if (function == nullptr) return;
    const std::string_view id = string_in(delta, "id");
    const std::string_view name = string_in(*function, "name");
    CallDraft& draft = draft_of(delta, id, name);
    if (draft.call.id.empty()) draft.call.id = id;
    const bool is_new = draft.call.name.empty() && !name.empty();
    if (draft.call.name != name) draft.call.name += name;
    if (is_new) emit_call(draft.call.name);
    if (const Json* const arguments = function->find("arguments")) {
      if (arguments->is_string())
        draft.call.arguments += arguments->as_string();
      else if (!arguments->is_null())
        draft.call.arguments = to_text(*arguments);
    }
    for (const auto& [key, value] : delta.as_object())
      if (key != "index" && key != "id" && key != "type" && key != "function") draft.extra[key] = value;
  }

  // Finds the call that a delta belongs to. Some servers omit the index or send 0 for all calls.
  CallDraft& draft_of(const Json& delta, std::string_view id, std::string_view name) {
    const Json* const member = delta.find("index");
    std::optional<std::int64_t> index;
    if (std::int64_t number = 0; member != nullptr && member->fits_int64(number)) index = number;
    const auto begins_another = [&](const CallDraft& known) {
      return !id.empty() && !name.empty() && !known.call.id.empty() && known.call.id != id;
    };
    if (index) {
      const auto found = std::ranges::find(drafts_.rbegin(), drafts_.rend(), index, &CallDraft::index);
      if (found != drafts_.rend() && !begins_another(*found)) return *found;
    } else if (!drafts_.empty()) {
      const bool nameless = name.empty();
      const bool same = !id.empty() && drafts_.back().call.id == id;
      if (nameless || same) return drafts_.back();
    }
    return drafts_.emplace_back(CallDraft{.index = index});
  }

  Json raw_message(const std::vector<ToolCall>& calls) const {
    JsonObject message{{"role", "assistant"}};
    message.append("content", text_.empty() && !calls.empty() ? Json() : Json(text_));
    for (std::size_t i = 0; i < kReasoningFields.size(); ++i)
      if (!reasoning_[i].empty()) message.append(std::string(kReasoningFields[i]), reasoning_[i]);
    if (!details_.empty()) message.append("reasoning_details", details_);
    if (!refusal_.empty()) message.append("refusal", refusal_);
    if (calls.empty()) return message;
    JsonArray list;
    for (std::size_t i = 0; i < calls.size(); ++i) list.push_back(call_json(calls[i], drafts_[i].extra));
    message.append("tool_calls", std::move(list));
    return message;
  }

  StopReason stop_reason() const {
    if (finish_reason_ == "length" || finish_reason_ == "max_tokens" || finish_reason_ == "model_length")
      return StopReason::kLength;
    if (finish_reason_ == "content_filter" || !refusal_.empty()) return StopReason::kRefused;
    // Some servers send "stop" even after calls.
    return drafts_.empty() ? StopReason::kEnd : StopReason::kToolCalls;
  }

  const Endpoint& endpoint_;
  std::string text_ = {};
  std::string refusal_ = {};
  std::array<std::string, kReasoningFields.size()> reasoning_ = {};
  std::string thought_parts_ = {};  // not sent back
  JsonArray details_ = {};
  std::vector<CallDraft> drafts_ = {};
  std::string finish_reason_ = {};
  Usage usage_ = {};
  bool has_choice_ = false;
  bool done_ = false;
};

Json tool_json(const OfferedTool& tool) {
  return JsonObject{{"type", "function"},
                    {"function", JsonObject{{"name", Json(tool.name)},
                                            {"description", Json(tool.description)},
                                            {"parameters", tool.input_schema}}}};
}

// Results can only be text in this API, so images follow in a separate message after all results of the
// round.
void add_tool_messages(JsonArray& messages, const ResultsTurn& turn) {
  JsonArray images;
  for (const ToolResult& result : turn.results) {
    messages.push_back(JsonObject{
        {"role", "tool"}, {"tool_call_id", Json(result.call_id)}, {"content", Json(result.content)}});
    if (result.images.empty()) continue;
    images.push_back(JsonObject{
        {"type", "text"}, {"text", Json(concat("Images from the result of call ", result.call_id, ":"))}});
    for (const Image& image : result.images)
      images.push_back(JsonObject{
          {"type", "image_url"},
          {"image_url",
           JsonObject{{"url", Json(concat("data:", image.mime_type, ";base64,", to_base64(image.bytes)))}}}});
  }
  if (!images.empty()) messages.push_back(JsonObject{{"role", "user"}, {"content", std::move(images)}});
}

Json openai_message(const std::string& text, const std::vector<ToolCall>& calls) {
  JsonObject message{{"role", "assistant"}};
  message.append("content", text.empty() && !calls.empty() ? Json() : Json(text));
  if (calls.empty()) return message;
  JsonArray list;
  for (const ToolCall& call : calls) list.push_back(call_json(call, {}));
  message.append("tool_calls", std::move(list));
  return message;
}

Json assistant_message(const Json& raw) {
  if (!is_in_blocks(raw)) return raw;
  PlainTurn turn = read_plain(raw);
  return openai_message(turn.text, turn.calls);
}

class OpenaiDialect final : public Dialect {
 public:
  explicit OpenaiDialect(OpenaiOptions options) : options_(options) {}

  std::string_view path() const override { return "/chat/completions"; }

  http::Headers headers(const std::string& key) const override {
    http::Headers headers{{"Content-Type", "application/json"}, {"Accept", "text/event-stream"}};
    if (!key.empty()) headers.add("Authorization", concat("Bearer ", key));
    return headers;
  }

  Json request(const Conversation& conversation, const RequestOptions& options) const override {
    JsonObject request{{"model", Json(options.model)}};
    // The constant parts come first, so that the server's prompt cache can hit.
    if (!conversation.tools.empty()) {
      JsonArray tools;
      for (const OfferedTool& tool : conversation.tools) tools.push_back(tool_json(tool));
      request.append("tools", std::move(tools));
    }
    request.append("messages", messages(conversation));
    request.append("stream", true);
    if (options.asks_for_usage) request.append("stream_options", JsonObject{{"include_usage", true}});
    if (options.max_output_tokens > 0)
      request.append(options_.new_limit_name ? "max_completion_tokens" : "max_tokens",
                     options.max_output_tokens);
    if (options.temperature) request.append("temperature", *options.temperature);
    if (!options.effort.empty()) request.append("reasoning_effort", options.effort);
    return request;
  }

  std::unique_ptr<ReplyReader> reader(const Listener& listener, const Endpoint& endpoint) const override {
    return std::make_unique<OpenaiReader>(listener, endpoint);
  }

 private:
  static JsonArray messages(const Conversation& conversation) {
    JsonArray messages;
    if (!conversation.system.empty())
      messages.push_back(JsonObject{{"role", "system"}, {"content", Json(conversation.system)}});
    for (const Turn& turn : conversation.turns) {
      if (const auto* const user = std::get_if<UserTurn>(&turn))
        messages.push_back(JsonObject{{"role", "user"}, {"content", Json(user->text)}});
      else if (const auto* const said = std::get_if<ModelTurn>(&turn))
        messages.push_back(assistant_message(said->raw));
      else
        add_tool_messages(messages, std::get<ResultsTurn>(turn));
    }
    return messages;
  }

  OpenaiOptions options_;
};

}  // namespace

std::unique_ptr<Dialect> openai_dialect(OpenaiOptions options) {
  return std::make_unique<OpenaiDialect>(options);
}

}  // namespace helve::model
