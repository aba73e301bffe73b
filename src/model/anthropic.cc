// The Messages API of Anthropic: requests, and replies that arrive as indexed blocks.
#include <algorithm>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "model/dialect.h"

namespace helve::model {
namespace {

struct Block {
  Json json = {};          // the start event plus all deltas
  std::string input = {};  // a call's arguments as text
};

bool is_call(const Json& block) { return string_in(block, "type") == "tool_use"; }
// Includes calls that run at the server; they are only sent back.
bool has_input(const Json& block) { return string_in(block, "type").ends_with("tool_use"); }

class AnthropicReader final : public ReplyReader {
 public:
  AnthropicReader(const Listener& listener, const Endpoint& endpoint)
      : ReplyReader(listener), endpoint_(endpoint) {}

  Expected<void> take(const http::SentEvent& event) override {
    const std::string_view data = trim(event.data);
    if (data.empty() || data == "[DONE]") return {};
    auto parsed = parse_json(data);
    if (!parsed && !is_valid_utf8(data)) parsed = parse_json(to_valid_utf8(data));
    if (!parsed || !parsed->is_object())
      return fail(malformed_error("an event of the stream is not a JSON object", data, endpoint_));
    std::string_view type = string_in(*parsed, "type");
    if (type.empty()) type = event.event;
    return take_event(type, *parsed);
  }

  Expected<void> take_whole(const Json& answer) override {
    const JsonArray* const content = array_in(answer, "content");
    if (string_in(answer, "type") == "error" || object_in(answer, "error") != nullptr)
      return fail(reported_error(answer, endpoint_));
    if (content == nullptr)
      return fail(malformed_error("the answer has no content", to_text(answer), endpoint_));
    for (std::size_t i = 0; i < content->size(); ++i)
      begin_block(static_cast<std::int64_t>(i), (*content)[i]);
    if (const Json* const usage = object_in(answer, "usage")) take_usage(*usage);
    stop_reason_ = string_in(answer, "stop_reason");
    if (stop_reason_.empty()) stop_reason_ = "end_turn";
    done_ = true;
    return {};
  }

  bool has_ended() const override { return !stop_reason_.empty(); }
  bool is_done() const override { return done_; }

  Reply finish() override {
    Reply reply;
    for (auto& [index, block] : blocks_) {
      if (!is_call(block.json)) continue;
      const Json* const given = object_in(block.json, "input");
      std::string arguments = !trim(block.input).empty() ? block.input
                              : given != nullptr         ? to_text(*given)
                                                         : "{}";
      reply.calls.push_back({std::string(string_in(block.json, "id")),
                             std::string(string_in(block.json, "name")), std::move(arguments)});
    }
    complete_ids(reply.calls);
    JsonArray content;
    std::size_t calls = 0;
    for (auto& [index, block] : blocks_) {
      const std::string_view type = string_in(block.json, "type");
      if (type == "text") reply.text += string_in(block.json, "text");
      if (type == "thinking") reply.reasoning += string_in(block.json, "thinking");
      // The server rejects empty text blocks.
      if (type == "text" && string_in(block.json, "text").empty()) continue;
      if (has_input(block.json)) {
        if (!trim(block.input).empty() || object_in(block.json, "input") == nullptr)
          block.json["input"] = arguments_to_replay(block.input);
        if (is_call(block.json)) block.json["id"] = reply.calls[calls++].id;
      }
      content.push_back(block.json);
    }
    reply.raw = JsonObject{{"role", "assistant"}, {"content", std::move(content)}};
    reply.usage = {.input_tokens = input_ + cache_read_ + cache_written_,
                   .cached_tokens = cache_read_,
                   .output_tokens = output_};
    reply.stop = stop_reason(!reply.calls.empty());
    return reply;
  }

 private:
  Expected<void> take_event(std::string_view type, const Json& event) {
    if (type == "error") return fail(reported_error(event, endpoint_));
    if (type == "message_start") {
      if (const Json* const message = object_in(event, "message"))
        if (const Json* const usage = object_in(*message, "usage")) take_usage(*usage);
    } else if (type == "content_block_start") {
      if (const Json* const block = object_in(event, "content_block"))
        begin_block(count_in(event, "index"), *block);
    } else if (type == "content_block_delta") {
      if (const Json* const delta = object_in(event, "delta"))
        return take_delta(count_in(event, "index"), *delta);
    } else if (type == "message_delta") {
      if (const Json* const delta = object_in(event, "delta"))
        if (const auto reason = string_in(*delta, "stop_reason"); !reason.empty()) stop_reason_ = reason;
      if (const Json* const usage = object_in(event, "usage")) take_usage(*usage);
    } else if (type == "message_stop") {
      done_ = true;
    }
    // Ignores ping, content_block_stop and unknown events.
    return {};
  }

  void begin_block(std::int64_t index, const Json& start) {
    Block& block = blocks_[index];
    block.json = start;
    emit_text(string_in(start, "text"));
    emit_reasoning(string_in(start, "thinking"));
    if (is_call(start)) emit_call(std::string(string_in(start, "name")));
  }

  Expected<void> take_delta(std::int64_t index, const Json& delta) {
    const auto found = blocks_.find(index);
    if (found == blocks_.end())
      return fail(malformed_error("it continues a block that never started", to_text(delta), endpoint_));
    Block& block = found->second;
    const std::string_view type = string_in(delta, "type");
    if (type == "text_delta") {
      append(block.json, "text", string_in(delta, "text"));
      emit_text(string_in(delta, "text"));
    } else if (type == "thinking_delta") {
      append(block.json, "thinking", string_in(delta, "thinking"));
      emit_reasoning(string_in(delta, "thinking"));
    } else if (type == "signature_delta") {
      append(block.json, "signature", string_in(delta, "signature"));
    } else if (type == "input_json_delta") {
      block.input += string_in(delta, "partial_json");
    } else if (type == "citations_delta") {
      if (const Json* const citation = delta.find("citation")) {
        Json& citations = block.json["citations"];
        if (!citations.is_array()) citations = JsonArray();
        citations.push_back(*citation);
      }
    }
    return {};
  }

  static void append(Json& block, std::string_view name, std::string_view piece) {
    Json& member = block[name];
    if (!member.is_string()) member = "";
    member.as_string() += piece;
  }

  // Later events may repeat some totals; 0 means that the event does not report that total.
  void take_usage(const Json& usage) {
    const auto take = [&](std::string_view name, std::int64_t& into) {
      if (const std::int64_t count = count_in(usage, name); count > 0) into = count;
    };
    take("input_tokens", input_);
    take("cache_read_input_tokens", cache_read_);
    take("cache_creation_input_tokens", cache_written_);
    take("output_tokens", output_);
  }

  StopReason stop_reason(bool has_calls) const {
    if (stop_reason_ == "max_tokens") return StopReason::kLength;
    if (stop_reason_ == "model_context_window_exceeded") return StopReason::kContextFull;
    if (stop_reason_ == "refusal") return StopReason::kRefused;
    if (stop_reason_ == "pause_turn") return StopReason::kPaused;
    return has_calls ? StopReason::kToolCalls : StopReason::kEnd;
  }

  const Endpoint& endpoint_;
  std::map<std::int64_t, Block> blocks_ = {};
  std::string stop_reason_ = {};
  std::int64_t input_ = 0;
  std::int64_t cache_read_ = 0;
  std::int64_t cache_written_ = 0;
  std::int64_t output_ = 0;
  bool done_ = false;
};

// The API requires a limit; all current models accept this one.
constexpr std::int64_t kDefaultOutputTokens = 16'000;

// Marks the end of a prefix that the server may cache.
Json cache_mark() { return JsonObject{{"type", "ephemeral"}}; }

// Ids of other servers may contain characters that this API rejects.
std::string allowed_id(std::string id) {
  for (char& c : id)
    if (!is_word_character(c) && c != '-') c = '_';
  return id;
}

Json text_block(std::string_view text) { return JsonObject{{"type", "text"}, {"text", Json(text)}}; }

Json result_block(const ToolResult& result) {
  JsonObject block{{"type", "tool_result"}, {"tool_use_id", Json(allowed_id(result.call_id))}};
  JsonArray content;
  if (!result.content.empty()) content.push_back(text_block(result.content));
  for (const Image& image : result.images)
    content.push_back(JsonObject{{"type", "image"},
                                 {"source", JsonObject{{"type", "base64"},
                                                       {"media_type", Json(image.mime_type)},
                                                       {"data", Json(to_base64(image.bytes))}}}});
  if (!content.empty()) block.append("content", std::move(content));
  if (result.is_error) block.append("is_error", true);
  return block;
}

// The model's message with the same ids as in its results.
Json with_allowed_ids(Json message) {
  for (Json& block : message["content"].as_array()) {
    if (string_in(block, "type") != "tool_use") continue;
    const std::string id(string_in(block, "id"));
    if (std::string allowed = allowed_id(id); allowed != id) block["id"] = std::move(allowed);
  }
  return message;
}

Json model_message(const Json& raw) {
  if (is_in_blocks(raw)) return with_allowed_ids(raw);
  const PlainTurn turn = read_plain(raw);
  JsonArray content;
  if (!turn.text.empty()) content.push_back(text_block(turn.text));
  for (const ToolCall& call : turn.calls)
    content.push_back(JsonObject{{"type", "tool_use"},
                                 {"id", Json(allowed_id(call.id))},
                                 {"name", Json(call.name)},
                                 {"input", arguments_to_replay(call.arguments)}});
  return JsonObject{{"role", "assistant"}, {"content", std::move(content)}};
}

// The user message to append to. Text after results goes into the same message.
JsonArray& user_content(JsonArray& messages) {
  if (messages.empty() || string_in(messages.back(), "role") != "user")
    messages.push_back(JsonObject{{"role", "user"}, {"content", JsonArray()}});
  return messages.back()["content"].as_array();
}

// The API requires results to come first in their message, even if a note was added before them.
void add_tool_results(JsonArray& content, const ResultsTurn& turn) {
  const auto first_other = std::ranges::find_if(
      content, [](const Json& block) { return string_in(block, "type") != "tool_result"; });
  std::vector<Json> blocks;
  for (const ToolResult& result : turn.results) blocks.push_back(result_block(result));
  content.insert(first_other, std::make_move_iterator(blocks.begin()), std::make_move_iterator(blocks.end()));
}

JsonArray all_messages(const Conversation& conversation) {
  JsonArray messages;
  for (const Turn& turn : conversation.turns) {
    if (const auto* const user = std::get_if<UserTurn>(&turn)) {
      // The API rejects empty text.
      if (!trim(user->text).empty()) user_content(messages).push_back(text_block(user->text));
    } else if (const auto* const said = std::get_if<ModelTurn>(&turn)) {
      Json message = model_message(said->raw);
      const JsonArray* const content = array_in(message, "content");
      if (content != nullptr && !content->empty()) messages.push_back(std::move(message));
    } else {
      add_tool_results(user_content(messages), std::get<ResultsTurn>(turn));
    }
  }
  return messages;
}

// Marks the last two user messages: the older mark hits the cache entry of the previous request, the newer
// one creates the entry for the next.
void mark_for_cache(JsonArray& messages) {
  int marks = 0;
  for (auto message = messages.rbegin(); message != messages.rend() && marks < 2; ++message) {
    if (string_in(*message, "role") != "user") continue;
    JsonArray& content = (*message)["content"].as_array();
    if (content.empty()) continue;
    content.back()["cache_control"] = cache_mark();
    ++marks;
  }
}

class AnthropicDialect final : public Dialect {
 public:
  std::string_view path() const override { return "/v1/messages"; }

  http::Headers headers(const std::string& key) const override {
    http::Headers headers{{"Content-Type", "application/json"},
                          {"Accept", "text/event-stream"},
                          {"anthropic-version", "2023-06-01"}};
    if (!key.empty()) headers.add("x-api-key", key);
    return headers;
  }

  Json request(const Conversation& conversation, const RequestOptions& options) const override {
    const std::int64_t limit = options.max_output_tokens > 0 ? options.max_output_tokens
                                                             : kDefaultOutputTokens + options.thinking_tokens;
    JsonObject request{{"model", Json(options.model)}, {"max_tokens", Json(limit)}};
    if (!conversation.tools.empty()) {
      JsonArray tools;
      for (const OfferedTool& tool : conversation.tools)
        tools.push_back(JsonObject{{"name", Json(tool.name)},
                                   {"description", Json(tool.description)},
                                   {"input_schema", tool.input_schema}});
      tools.back()["cache_control"] = cache_mark();
      request.append("tools", std::move(tools));
    }
    if (!conversation.system.empty()) {
      Json system = text_block(conversation.system);
      system["cache_control"] = cache_mark();
      request.append("system", JsonArray{std::move(system)});
    }
    JsonArray messages = all_messages(conversation);
    mark_for_cache(messages);
    request.append("messages", std::move(messages));
    if (options.thinking_tokens > 0)
      request.append("thinking",
                     JsonObject{{"type", "enabled"}, {"budget_tokens", Json(options.thinking_tokens)}});
    else if (!options.effort.empty() && options.effort != "none")
      request.append("thinking", JsonObject{{"type", "adaptive"}});
    if (!options.effort.empty() && options.effort != "none")
      request.append("output_config",
                     JsonObject{{"effort", Json(options.effort == "minimal" ? "low" : options.effort)}});
    if (options.temperature) request.append("temperature", *options.temperature);
    request.append("stream", true);
    return request;
  }

  std::unique_ptr<ReplyReader> reader(const Listener& listener, const Endpoint& endpoint) const override {
    return std::make_unique<AnthropicReader>(listener, endpoint);
  }
};

}  // namespace

std::unique_ptr<Dialect> anthropic_dialect() { return std::make_unique<AnthropicDialect>(); }

}  // namespace helve::model
