// The API dialects of model servers: how requests are built and replies are read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "http/message.h"
#include "http/sse.h"
#include "model/model.h"
#include "model/server_error.h"

namespace helve::model {

struct RequestOptions {
  std::string model = {};
  std::int64_t max_output_tokens = 0;  // 0: the server's default
  std::optional<double> temperature = {};
  std::string effort = {};  // empty: the model's default
  std::int64_t thinking_tokens = 0;
  bool asks_for_usage = true;  // false for servers that reject stream_options
};

// Assembles one reply from the server's data and notifies the listener. Used from one thread.
class ReplyReader {
 public:
  virtual ~ReplyReader() = default;
  // Takes one event of a stream. Fails if the event reports an error or cannot be read.
  [[nodiscard]] virtual Expected<void> take(const http::SentEvent& event) = 0;
  // Takes the complete answer of a server that does not stream.
  [[nodiscard]] virtual Expected<void> take_whole(const Json& answer) = 0;
  // Whether the server sent a stop reason. Without one the reply was cut off.
  [[nodiscard]] virtual bool has_ended() const = 0;
  // Whether the reply is complete. The server may still keep the connection open.
  [[nodiscard]] virtual bool is_done() const = 0;
  // Returns the reply. Requires has_ended().
  [[nodiscard]] virtual Reply finish() = 0;
  // Whether the listener got a piece of the reply. If so, the request must not be retried.
  [[nodiscard]] bool has_output() const { return has_output_; }

 protected:
  explicit ReplyReader(const Listener& listener) : listener_(listener) {}
  void emit_text(std::string_view piece) {
    if (piece.empty()) return;
    has_output_ = true;
    if (listener_.on_text) listener_.on_text(piece);
  }
  void emit_reasoning(std::string_view piece) {
    if (piece.empty()) return;
    has_output_ = true;
    if (listener_.on_reasoning) listener_.on_reasoning(piece);
  }
  void emit_call(const std::string& tool) {
    has_output_ = true;
    if (listener_.on_call) listener_.on_call(tool);
  }

 private:
  const Listener& listener_;
  bool has_output_ = false;
};

// Stateless; may be used from any thread.
class Dialect {
 public:
  virtual ~Dialect() = default;
  // The path after the base URL, such as "/chat/completions".
  [[nodiscard]] virtual std::string_view path() const = 0;
  // Sends no key if `key` is empty.
  [[nodiscard]] virtual http::Headers headers(const std::string& key) const = 0;
  [[nodiscard]] virtual Json request(const Conversation& conversation,
                                     const RequestOptions& options) const = 0;
  // The reader keeps references to both arguments.
  [[nodiscard]] virtual std::unique_ptr<ReplyReader> reader(const Listener& listener,
                                                            const Endpoint& endpoint) const = 0;
};

// Arguments in the form that servers accept back: an object. Invalid JSON is wrapped in one, so that the
// model sees what it wrote; templates of local servers fail on anything else.
[[nodiscard]] Json arguments_to_replay(std::string_view arguments);

// A model turn without server-specific parts.
struct PlainTurn {
  std::string text = {};
  std::vector<ToolCall> calls = {};
};

// Whether a raw message has the form of the Messages API rather than Chat Completions.
[[nodiscard]] bool is_in_blocks(const Json& raw);
// Reads a raw message of either form, for a conversation that continues with another server.
[[nodiscard]] PlainTurn read_plain(const Json& raw);

// Gives every call a unique id.
void complete_ids(std::vector<ToolCall>& calls);

// The Chat Completions API of OpenAI and most other servers.
struct OpenaiOptions {
  // OpenAI's newer models reject max_tokens, and other servers do not know max_completion_tokens.
  bool new_limit_name = false;
};

[[nodiscard]] std::unique_ptr<Dialect> openai_dialect(OpenaiOptions options = {});

// Anthropic's Messages API.
[[nodiscard]] std::unique_ptr<Dialect> anthropic_dialect();

}  // namespace helve::model
