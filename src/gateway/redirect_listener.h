// A local HTTP server that receives the browser's redirect after an OAuth login.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "gateway/channel.h"
#include "helve/log.h"
#include "http/server.h"
#include "http/url.h"

namespace helve::gateway {

// Listens until it is destroyed.
class RedirectListener {
 public:
  // Listens on loopback, on `port` if it is free, otherwise on any port.
  [[nodiscard]] static Expected<std::unique_ptr<RedirectListener>> start(std::uint16_t port,
                                                                         std::string state, Logger& logger);

  [[nodiscard]] std::string uri() const;
  // Waits for the redirect and returns its parameters. Requests with another state are refused.
  [[nodiscard]] Expected<http::FormFields> wait(const Terms& terms);

 private:
  explicit RedirectListener(std::string state) : state_(std::move(state)) {}

  void answer(http::Exchange& exchange);

  const std::string state_;
  std::mutex mutex_;
  std::condition_variable_any received_;
  std::optional<http::FormFields> fields_;
  std::unique_ptr<http::Server> server_;  // last: its threads use the rest
};

}  // namespace helve::gateway
