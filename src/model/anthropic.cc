#include "model/anthropic.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/base64.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "model/anthropic_reply.h"
#include "model/call_text.h"

namespace helve::model {
namespace {

// The API wants a limit; every model of today takes this one.
constexpr std::int64_t kUsualOutput = 16'000;

// The end of what a server may keep ready for the next request.
Json cache_mark() { return JsonObject{{"type", "ephemeral"}}; }

// Ids of other servers may have characters that are refused here.
std::string allowed_id(std::string id) {
  for (char& c : id)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
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

// A model's own words, with the ids that its results will name.
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

// The user's message to add to; what follows results goes into the same message, after them.
JsonArray& user_content(JsonArray& messages) {
  if (messages.empty() || string_in(messages.back(), "role") != "user")
    messages.push_back(JsonObject{{"role", "user"}, {"content", JsonArray()}});
  return messages.back()["content"].as_array();
}

// Results must come first in their message, also after a note that was said before them.
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
      // An empty text is refused.
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

// The last two messages of the user: the next request finds what this one leaves, and this one finds what the
// last left, however many blocks came between.
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
    const std::int64_t limit =
        options.max_output_tokens > 0 ? options.max_output_tokens : kUsualOutput + options.thinking_tokens;
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

  std::unique_ptr<ReplyReader> reader(const Listener& listener, const Addressee& addressee) const override {
    return anthropic_reader(listener, addressee);
  }
};

}  // namespace

std::unique_ptr<Dialect> anthropic_dialect() { return std::make_unique<AnthropicDialect>(); }

}  // namespace helve::model
