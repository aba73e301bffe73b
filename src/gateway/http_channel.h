// The HTTP transport: Streamable HTTP of both protocols, and the older HTTP+SSE transport.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/worker_pool.h"
#include "gateway/channel.h"
#include "gateway/http_traffic.h"
#include "helve/log.h"

namespace helve::gateway {

class HttpChannel final : public Channel {
 public:
  // Listener and logger must outlive it.
  HttpChannel(HttpTraffic::Parts parts, Listener& listener, Logger& logger);
  ~HttpChannel() override;

  [[nodiscard]] Expected<rpc::Response> exchange(rpc::Request request, const Terms& terms) override;
  [[nodiscard]] Expected<void> notify(rpc::Notification notification) override;
  [[nodiscard]] Expected<void> respond(rpc::Response response) override;
  void begin(std::string_view revision) override;
  void close() override;

 private:
  // Where an event stream was cut, and how long to wait before resuming it.
  struct Cut {
    std::string last_event = {};
    std::optional<long> retry_ms = {};
  };

  [[nodiscard]] Expected<rpc::Response> exchange_by_post(const rpc::Request& request, const Terms& terms,
                                                         PendingReplies::Entry& entry);
  [[nodiscard]] Expected<rpc::Response> exchange_over_stream(const rpc::Request& request, const Terms& terms,
                                                             PendingReplies::Entry& entry);
  [[nodiscard]] Expected<HttpReply> resume(Cut& cut, const Terms& terms,
                                           const std::shared_ptr<const Caller>& caller);
  [[nodiscard]] Expected<rpc::Response> read_reply(const rpc::Request& request, const HttpReply& reply,
                                                   const Terms& terms, PendingReplies::Entry& entry);
  [[nodiscard]] Expected<void> post(const Json& message, std::string_view method);
  void take_event(http::SentEvent event, Cut& cut, const std::shared_ptr<const Caller>& caller);
  void take_text(std::string_view text, const std::shared_ptr<const Caller>& caller);
  void send_cancellation(const rpc::Request& request, const Error& error, const Terms& terms);

  // The stream for messages that a session-based server sends outside of requests.
  void start_stream();
  void stop_stream();
  void follow_stream(const std::stop_token& stop);
  // HTTP+SSE: all messages arrive on one stream, whose first event names the URL to post to.
  [[nodiscard]] Expected<void> start_sse_transport(const Terms& terms);
  void follow_sse_transport(const std::stop_token& stop);
  [[nodiscard]] std::string endpoint() const;

  const HttpTraffic::Parts parts_;
  Listener& listener_;
  Logger& logger_;
  HttpTraffic traffic_;
  PendingReplies pending_;
  std::stop_source closing_;

  mutable std::mutex mutex_;
  std::condition_variable_any endpoint_known_;
  std::string endpoint_;  // URL to post to in HTTP+SSE; empty: not in use
  std::optional<Error> stream_error_;
  bool stateless_ = false;
  bool closed_ = false;
  std::jthread stream_;
  core::WorkerPool workers_;  // for background requests; last: its jobs use the other members
};

}  // namespace helve::gateway
