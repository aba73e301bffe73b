// An HTTP/1.1 server for local use: one thread per connection, and limits on every resource that a client can
// use.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "helve/log.h"
#include "http/message.h"

namespace helve::http {

// One request and its answer. The handler answers with respond(), or with begin() and any number of write()
// calls; the answer is complete when it returns. Used from the handler's thread; write() and stop() from any
// thread.
class Exchange {
 public:
  virtual ~Exchange() = default;
  [[nodiscard]] virtual Request& request() = 0;
  // Stops when the client disconnects or the server ends. Callbacks must not block: they run on the thread
  // that accepts connections. A TCP client that only closed its sending side counts as disconnected, because
  // it cannot be told apart from one that closed both; data is still sent to it.
  [[nodiscard]] virtual std::stop_token stop() const = 0;
  virtual void respond(Response response) = 0;
  // Sends the head and its body at once and keeps the answer open.
  virtual void begin(Response head) = 0;
  // Returns false if the client disconnected or was too slow; nothing more can be sent then.
  virtual bool write(std::string_view piece) = 0;
};

using Handler = std::function<void(Exchange&)>;

struct Limits {
  std::size_t header_bytes = std::size_t{32} << 10;
  std::size_t body_bytes = std::size_t{16} << 20;
  std::size_t connections = 256;
  // Of these, connections without an admitted request: in all, and of one peer address. They make room for
  // each other and never take the place of the rest.
  std::size_t strangers = 64;
  std::size_t strangers_of_peer = 48;
  std::chrono::milliseconds stranger_time{5'000};  // from the connection to an admitted request
  std::chrono::milliseconds header_time{10'000};   // from the first byte to the end of the headers
  std::chrono::milliseconds body_time{60'000};
  std::chrono::milliseconds idle_time{60'000};   // between two requests
  std::chrono::milliseconds write_time{30'000};  // for a client to receive a piece
};

// A refused request; unknown members are empty.
struct Refused {
  std::string peer = {};  // "192.0.2.1:40000"
  std::string method = {};
  std::string path = {};  // without the query, which may contain a secret
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;      // 0: any free port
  std::string unix_path = {};  // instead of address and port; the socket has mode 0600
  Limits limits = {};
  // Which local processes may connect to the unix socket, besides their user being that of this process.
  // Null: all of them.
  std::function<bool(pid_t process)> admits_process = {};
  // Checks a request before its body is read, so that unauthorized clients cannot fill the memory. A returned
  // response refuses the request and ends the connection. Called from many threads at once.
  std::function<std::optional<Response>(const Request& head)> admit = {};
  // Whether an admitted request needed no credential, so that its client remains a stranger. Such a request
  // is the last of its connection.
  std::function<bool(const Request& head)> is_open = {};
  // Called for every request that was refused without the handler, from many threads at once.
  std::function<void(const Response& answer, const Refused& refused)> on_refusal = {};
};

// Serves until it is destroyed, which ends all exchanges and waits for the handlers.
class Server {
 public:
  // The handler is called from many threads at once. The logger must outlive the server.
  [[nodiscard]] static Expected<std::unique_ptr<Server>> start(ServerOptions options, Handler handler,
                                                               Logger& logger);
  virtual ~Server() = default;
  [[nodiscard]] virtual std::uint16_t port() const = 0;
  [[nodiscard]] virtual std::size_t open_connections() const = 0;
};

// Counts and logs refused requests. May be used from any thread. The logger must outlive it.
class Refusals {
 public:
  explicit Refusals(Logger& logger) : logger_(logger) {}

  // Logs at most one refusal per second, so that clients cannot fill the disk.
  void add(const Response& answer, const Refused& refused = {});
  // The number of refusals by status.
  [[nodiscard]] std::map<int, std::uint64_t> counts() const;

 private:
  using Clock = std::chrono::steady_clock;

  Logger& logger_;
  mutable std::mutex mutex_;  // guards the rest
  std::map<int, std::uint64_t> counts_;
  std::optional<Clock::time_point> last_logged_;
  std::uint64_t not_logged_ = 0;
};

}  // namespace helve::http
