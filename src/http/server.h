// An HTTP/1.1 server for local use: a thread per connection, limits on everything a client can waste.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "helve/log.h"
#include "http/message.h"

namespace helve::http {

// One request and its answer. The handler answers with respond(), or with begin() and then write() as often
// as it likes; when it returns, the answer is complete. Used by the handler's thread, but write() and stop()
// by any.
class Exchange {
 public:
  virtual ~Exchange() = default;
  [[nodiscard]] virtual Request& request() = 0;
  // Stops when the client has gone or the server ends. Its callbacks must not block: they run on the thread
  // that accepts connections. A client that only ended its own side of a TCP connection counts as gone, since
  // nothing tells it from one that closed; what is written still goes out to it.
  [[nodiscard]] virtual std::stop_token stop() const = 0;
  virtual void respond(Response response) = 0;
  // Sends head and body now and keeps the answer open.
  virtual void begin(Response head) = 0;
  // False when the client has gone or did not take it in time; then nothing more can be sent.
  virtual bool write(std::string_view piece) = 0;
};

using Handler = std::function<void(Exchange&)>;

struct Limits {
  std::size_t header_bytes = std::size_t{32} << 10;
  std::size_t body_bytes = std::size_t{16} << 20;
  std::size_t connections = 256;
  std::chrono::milliseconds header_time{10'000};  // from the first byte to the end of the headers
  std::chrono::milliseconds body_time{60'000};
  std::chrono::milliseconds idle_time{60'000};   // between two requests
  std::chrono::milliseconds write_time{30'000};  // for a client to take a piece
};

// Whose request was refused, and what it asked for; empty is what is not known.
struct Refused {
  std::string peer = {};  // "192.0.2.1:40000"
  std::string method = {};
  std::string path = {};  // without the query, which may hold a secret
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;      // 0: any free one
  std::string unix_path = {};  // instead of address and port; the socket is made with mode 0600
  Limits limits = {};
  // Looks at a request before its body is read, so that strangers cannot fill the memory; an answer refuses
  // it and ends the connection. Called from many threads at once.
  std::function<std::optional<Response>(const Request& head)> admit = {};
  // Hears of every request that was answered without the handler. Called from many threads at once.
  std::function<void(const Response& answer, const Refused& refused)> on_refusal = {};
};

// Serves from when it is started until it is destroyed, which ends all exchanges and waits for the handlers.
class Server {
 public:
  // The handler is called from many threads at once. The logger must outlive the server.
  [[nodiscard]] static Expected<std::unique_ptr<Server>> start(ServerOptions options, Handler handler,
                                                               Logger& logger);
  virtual ~Server() = default;
  [[nodiscard]] virtual std::uint16_t port() const = 0;
  [[nodiscard]] virtual std::size_t open_connections() const = 0;
};

}  // namespace helve::http
