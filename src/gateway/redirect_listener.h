// The place on this machine to which a browser comes back after somebody has logged in.
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

// Listens from when it is started until it is destroyed.
class RedirectListener {
 public:
  // At the port if it is free, else at any; only on loopback.
  [[nodiscard]] static Expected<std::unique_ptr<RedirectListener>> start(std::uint16_t port,
                                                                         std::string state, Logger& logger);

  [[nodiscard]] std::string uri() const;
  // The parameters with which the browser came back. Whoever comes with another state is sent away.
  [[nodiscard]] Expected<http::FormFields> wait(const Terms& terms);

 private:
  explicit RedirectListener(std::string state) : state_(std::move(state)) {}

  void answer(http::Exchange& exchange);

  const std::string state_;
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::optional<http::FormFields> fields_;
  std::unique_ptr<http::Server> server_;  // last: its threads use the rest
};

}  // namespace helve::gateway
