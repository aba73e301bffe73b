// HTTP requests to one MCP server, with its headers, authorization and event streams.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "gateway/channel.h"
#include "http/client.h"
#include "http/sse.h"

namespace helve::gateway {

// Provides the Authorization header. May be used from all threads.
class Authoriser {
 public:
  virtual ~Authoriser() = default;
  // The value of the header; empty if there is none yet.
  [[nodiscard]] virtual std::string authorization() = 0;
  // The server refused the value `shown` with 401, or with 403 for a missing scope. On success, try again.
  [[nodiscard]] virtual Expected<void> renew(const http::Response& refusal, const std::string& shown,
                                             const Terms& terms) = 0;
};

struct HttpReply {
  http::Response response = {};  // the body is empty if it was an event stream
  bool was_stream = false;
};

// Owned by a channel. May be used from all threads.
class HttpTraffic {
 public:
  struct Parts {
    std::string server;  // name for errors
    std::string url;
    http::Headers headers;  // with every request
    std::shared_ptr<Authoriser> authoriser;
    std::size_t longest_message = std::size_t{32} << 20;
  };

  explicit HttpTraffic(Parts parts) : parts_(std::move(parts)) {}

  // Sent as headers with the following requests; empty: not sent.
  void set_session(std::string session);
  void set_revision(std::string revision);
  [[nodiscard]] std::string session() const;

  struct Attempt {
    std::string method = "POST";
    std::string url = {};  // overrides the server's URL
    std::string body = {};
    http::Headers headers = {};
    bool for_session = true;  // false for the request that begins a session
    bool may_log_in = true;   // false: do not ask the user to log in
    std::function<void(const http::Response& head)> on_head = {};
    std::function<bool(http::SentEvent&&)> on_event = {};  // returns false to stop reading
  };

  // The answer with any status. Events are read only if the status is a success.
  [[nodiscard]] Expected<HttpReply> send(const Attempt& attempt, const Terms& terms);

 private:
  [[nodiscard]] Expected<HttpReply> send_once(const Attempt& attempt, const std::string& authorization,
                                              const Terms& terms);

  const Parts parts_;
  http::Client client_;
  mutable std::mutex mutex_;
  std::string session_;
  std::string revision_;
};

// The error for an HTTP error status, which is in its details.
[[nodiscard]] Error http_error(std::string_view server, const http::Response& response);
// The status in the details of such an error, otherwise 0.
[[nodiscard]] int http_status(const Error& error);

}  // namespace helve::gateway
