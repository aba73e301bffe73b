// One request for a reply: what the server answers, as it comes, until there is a reply or an error.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "http/client.h"
#include "http/sse.h"
#include "model/dialect.h"
#include "model/server_error.h"

namespace helve::model {

// Lives on the stack of whoever makes the request; used by one thread.
class Attempt {
 public:
  Attempt(std::unique_ptr<ReplyReader> reader, const Addressee& addressee);

  [[nodiscard]] Expected<Reply> run(http::Client& client, const http::ClientRequest& request,
                                    const std::stop_token& stop);
  // Of the answer, once there is one.
  [[nodiscard]] const http::Headers& headers() const { return head_.headers; }
  // Whether the listener heard a piece; then there must be no other attempt.
  [[nodiscard]] bool was_heard() const { return reader_->was_heard(); }

 private:
  enum class Form { kUnknown, kEvents, kWhole };

  void take_head(const http::Response& head);
  // False when nothing more is wanted.
  [[nodiscard]] bool take_body(std::string_view piece);
  [[nodiscard]] bool take_events(std::string_view piece);
  [[nodiscard]] Expected<Reply> conclude(Expected<void> transfer, const std::stop_token& stop);
  [[nodiscard]] Expected<void> read_whole();

  std::unique_ptr<ReplyReader> reader_;
  const Addressee& addressee_;
  http::Response head_ = {};
  Form form_ = Form::kUnknown;
  http::SseReader events_;
  std::string body_ = {};  // of an answer that is no stream
  std::size_t received_ = 0;
  std::optional<Error> problem_ = {};
};

}  // namespace helve::model
