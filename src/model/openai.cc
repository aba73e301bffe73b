#include "model/openai.h"

#include <utility>

#include "base/base64.h"
#include "base/strings.h"
#include "model/call_text.h"
#include "model/openai_reply.h"

namespace helve::model {
namespace {

Json tool_json(const OfferedTool& tool) {
  return JsonObject{{"type", "function"},
                    {"function", JsonObject{{"name", Json(tool.name)},
                                            {"description", Json(tool.description)},
                                            {"parameters", tool.input_schema}}}};
}

// Results are text here: images follow in a message of their own, after all results of the round.
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
    // What does not change comes first, so that the server's cache of prompts can hit.
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

  std::unique_ptr<ReplyReader> reader(const Listener& listener, const Addressee& addressee) const override {
    return openai_reader(listener, addressee);
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
