#include "model/anthropic_reply.h"

#include <map>
#include <utility>

#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "model/call_text.h"

namespace helve::model {
namespace {

struct Block {
  Json json = {};          // as it began, and what was added to it
  std::string input = {};  // of a call, as text
};

bool is_call(const Json& block) { return string_in(block, "type") == "tool_use"; }
// Also those that run at the server; they are only sent back.
bool has_input(const Json& block) { return string_in(block, "type").ends_with("tool_use"); }

class AnthropicReader final : public ReplyReader {
 public:
  AnthropicReader(const Listener& listener, const Addressee& addressee)
      : ReplyReader(listener), addressee_(addressee) {}

  Expected<void> take(const http::SentEvent& event) override {
    const std::string_view data = trim(event.data);
    if (data.empty() || data == "[DONE]") return {};
    auto parsed = parse_json(data);
    if (!parsed && !is_valid_utf8(data)) parsed = parse_json(to_valid_utf8(data));
    if (!parsed || !parsed->is_object())
      return fail(malformed_error("an event of the stream is not a JSON object", data, addressee_));
    std::string_view type = string_in(*parsed, "type");
    if (type.empty()) type = event.event;
    return take_event(type, *parsed);
  }

  Expected<void> take_whole(const Json& answer) override {
    const JsonArray* const content = array_in(answer, "content");
    if (string_in(answer, "type") == "error" || object_in(answer, "error") != nullptr)
      return fail(reported_error(answer, addressee_));
    if (content == nullptr)
      return fail(malformed_error("the answer has no content", to_text(answer), addressee_));
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
      // The server does not take back what is empty.
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
    if (type == "error") return fail(reported_error(event, addressee_));
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
    // ping, content_block_stop, and what is invented later
    return {};
  }

  void begin_block(std::int64_t index, const Json& start) {
    Block& block = blocks_[index];
    block.json = start;
    tell_text(string_in(start, "text"));
    tell_reasoning(string_in(start, "thinking"));
    if (is_call(start)) tell_call(std::string(string_in(start, "name")));
  }

  Expected<void> take_delta(std::int64_t index, const Json& delta) {
    const auto found = blocks_.find(index);
    if (found == blocks_.end())
      return fail(malformed_error("it goes on with a block that never began", to_text(delta), addressee_));
    Block& block = found->second;
    const std::string_view type = string_in(delta, "type");
    if (type == "text_delta") {
      append(block.json, "text", string_in(delta, "text"));
      tell_text(string_in(delta, "text"));
    } else if (type == "thinking_delta") {
      append(block.json, "thinking", string_in(delta, "thinking"));
      tell_reasoning(string_in(delta, "thinking"));
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

  // Totals, of which a later event may repeat some; 0 there means that it says nothing about them.
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

  const Addressee& addressee_;
  std::map<std::int64_t, Block> blocks_ = {};
  std::string stop_reason_ = {};
  std::int64_t input_ = 0;
  std::int64_t cache_read_ = 0;
  std::int64_t cache_written_ = 0;
  std::int64_t output_ = 0;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<ReplyReader> anthropic_reader(const Listener& listener, const Addressee& addressee) {
  return std::make_unique<AnthropicReader>(listener, addressee);
}

}  // namespace helve::model
