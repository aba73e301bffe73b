// HTTP requests to one server: the headers that it wants, leave from whoever guards it, answers in pieces.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "gateway/channel.h"
#include "http/client.h"
#include "http/sse.h"

namespace helve::gateway {

// Proves to a server who we are. May be used from all threads.
class Authoriser {
 public:
  virtual ~Authoriser() = default;
  // For the header of that name; empty when there is nothing to show yet.
  [[nodiscard]] virtual std::string authorization() = 0;
  // The server answered 401, or 403 for want of scope, to what was `shown`. Success means that another
  // attempt is worth it.
  [[nodiscard]] virtual Expected<void> renew(const http::Response& refusal, const std::string& shown,
                                             const Terms& terms) = 0;
};

struct HttpReply {
  http::Response response = {};  // the body is empty when it came as events
  bool was_stream = false;
};

// Owned by a channel; may be used from all threads.
class HttpTraffic {
 public:
  struct Parts {
    std::string server;  // its name, for errors
    std::string url;
    http::Headers headers;  // with every request
    std::shared_ptr<Authoriser> authoriser;
    std::size_t longest_message = std::size_t{32} << 20;
  };

  explicit HttpTraffic(Parts parts) : parts_(std::move(parts)) {}

  // What follows the session and the revision that were agreed on; empty: none.
  void set_session(std::string session);
  void set_revision(std::string revision);
  [[nodiscard]] std::string session() const;

  struct Attempt {
    std::string method = "POST";
    std::string url = {};  // instead of the server's
    std::string body = {};
    http::Headers headers = {};
    bool for_session = true;  // false for the request that begins one
    bool may_log_in = true;   // false when it is not worth asking a person
    std::function<void(const http::Response& head)> on_head = {};
    std::function<bool(http::SentEvent&&)> on_event = {};  // false: enough
  };

  // The answer, whatever its status; events only with a status of success.
  [[nodiscard]] Expected<HttpReply> send(const Attempt& attempt, const Terms& terms);

 private:
  [[nodiscard]] Expected<HttpReply> send_once(const Attempt& attempt, const std::string& leave,
                                              const Terms& terms);

  const Parts parts_;
  http::Client client_;
  mutable std::mutex mutex_;
  std::string session_;
  std::string revision_;
};

// The error for an answer that is none; its details say the status.
[[nodiscard]] Error http_error(std::string_view server, const http::Response& response);
// The status in the details of such an error, else 0.
[[nodiscard]] int http_status(const Error& error);

}  // namespace helve::gateway
