#include "gateway/redirect_listener.h"

#include "base/strings.h"
#include "gateway/channel.h"

namespace helve::gateway {
namespace {

constexpr std::string_view kPath = "/callback";

http::Response page(int status, std::string_view text) {
  return {.status = status,
          .headers = {{"Content-Type", "text/html; charset=utf-8"},
                      {"Cache-Control", "no-store"},
                      {"Content-Security-Policy", "default-src 'none'"}},
          .body = concat("<!doctype html><title>Helve</title><p>", text, "</p>\n")};
}

}  // namespace

Expected<std::unique_ptr<RedirectListener>> RedirectListener::start(std::uint16_t port, std::string state,
                                                                    Logger& logger) {
  std::unique_ptr<RedirectListener> listener(new RedirectListener(std::move(state)));
  const auto handler = [self = listener.get()](http::Exchange& exchange) { self->answer(exchange); };
  http::ServerOptions options{.port = port};
  options.limits.connections = 8;
  auto server = http::Server::start(options, handler, logger);
  if (!server && port != 0) {
    options.port = 0;
    server = http::Server::start(options, handler, logger);
  }
  if (!server) return fail(server.error());
  listener->server_ = *std::move(server);
  return listener;
}

std::string RedirectListener::uri() const { return concat("http://127.0.0.1:", server_->port(), kPath); }

void RedirectListener::answer(http::Exchange& exchange) {
  const http::Request& request = exchange.request();
  if (request.method != "GET" || request.path != kPath) return exchange.respond(page(404, "Not found."));
  http::FormFields fields = http::from_form(request.query);
  const std::string* state = http::find_field(fields, "state");
  if (state == nullptr || *state != state_) return exchange.respond(page(400, "Unexpected login response."));
  const bool failed = http::find_field(fields, "error") != nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!fields_) fields_ = std::move(fields);
    received_.notify_all();
  }
  exchange.respond(page(200, failed ? "The login was refused. You can close this window."
                                    : "You are logged in. You can close this window."));
}

Expected<http::FormFields> RedirectListener::wait(const Terms& terms) {
  std::unique_lock lock(mutex_);
  received_.wait_until(lock, terms.stop, terms.deadline, [&] { return fields_.has_value(); });
  if (!fields_) return fail(stop_error(terms));
  return *fields_;
}

}  // namespace helve::gateway
