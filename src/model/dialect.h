// How a kind of server wants to be spoken to: what goes into a request, and how a reply is put together.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "http/message.h"
#include "http/sse.h"
#include "model/model.h"
#include "model/server_error.h"

namespace helve::model {

struct RequestOptions {
  std::string model = {};
  std::int64_t max_output_tokens = 0;  // 0: the server's own limit
  std::optional<double> temperature = {};
  std::string effort = {};  // empty: the model's own
  std::int64_t thinking_tokens = 0;
  bool asks_for_usage = true;  // some servers refuse what they do not know
};

// Puts one reply together from what a server sends, and tells the listener. Used by one thread.
class ReplyReader {
 public:
  virtual ~ReplyReader() = default;
  // One event of a stream; fails with what the server reports inside of it, or when it cannot be read.
  [[nodiscard]] virtual Expected<void> take(const http::SentEvent& event) = 0;
  // The whole answer of a server that does not stream.
  [[nodiscard]] virtual Expected<void> take_whole(const Json& answer) = 0;
  // Whether the server said how the reply ended: without that, it was cut.
  [[nodiscard]] virtual bool has_ended() const = 0;
  // Whether nothing more is to come; a server may still keep the connection open.
  [[nodiscard]] virtual bool is_done() const = 0;
  // The reply, once it has ended.
  [[nodiscard]] virtual Reply finish() = 0;
  // Whether the listener heard a piece of the reply; then it cannot be asked for again.
  [[nodiscard]] bool was_heard() const { return was_heard_; }

 protected:
  explicit ReplyReader(const Listener& listener) : listener_(listener) {}
  void tell_text(std::string_view piece) {
    if (piece.empty()) return;
    was_heard_ = true;
    if (listener_.on_text) listener_.on_text(piece);
  }
  void tell_reasoning(std::string_view piece) {
    if (piece.empty()) return;
    was_heard_ = true;
    if (listener_.on_reasoning) listener_.on_reasoning(piece);
  }
  void tell_call(const std::string& tool) {
    was_heard_ = true;
    if (listener_.on_call) listener_.on_call(tool);
  }

 private:
  const Listener& listener_;
  bool was_heard_ = false;
};

// Has no state: may be used from all threads.
class Dialect {
 public:
  virtual ~Dialect() = default;
  // What follows the base URL: "/chat/completions".
  [[nodiscard]] virtual std::string_view path() const = 0;
  // Without a key when that is empty.
  [[nodiscard]] virtual http::Headers headers(const std::string& key) const = 0;
  [[nodiscard]] virtual Json request(const Conversation& conversation,
                                     const RequestOptions& options) const = 0;
  // The reader refers to both.
  [[nodiscard]] virtual std::unique_ptr<ReplyReader> reader(const Listener& listener,
                                                            const Addressee& addressee) const = 0;
};

}  // namespace helve::model
