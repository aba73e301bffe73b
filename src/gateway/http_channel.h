// The way to a server over HTTP: Streamable HTTP of both eras, and the pair of HTTP and SSE that was before.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/worker_pool.h"
#include "gateway/http_traffic.h"
#include "gateway/pending_replies.h"
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
  // Where a stream of events was cut, and how long to wait before it is taken up again.
  struct Cut {
    std::string last_event = {};
    std::optional<long> retry_ms = {};
  };

  [[nodiscard]] Expected<rpc::Response> exchange_by_post(const rpc::Request& request, const Terms& terms,
                                                         PendingReplies::Place& place);
  [[nodiscard]] Expected<rpc::Response> exchange_over_stream(const rpc::Request& request, const Terms& terms,
                                                             PendingReplies::Place& place);
  [[nodiscard]] Expected<HttpReply> resume(Cut& cut, const Terms& terms,
                                           const std::shared_ptr<const Caller>& caller);
  [[nodiscard]] Expected<rpc::Response> read_reply(const rpc::Request& request, const HttpReply& reply,
                                                   const Terms& terms, PendingReplies::Place& place);
  [[nodiscard]] Expected<void> post(const Json& message, std::string_view method);
  void take_event(http::SentEvent event, Cut& cut, const std::shared_ptr<const Caller>& caller);
  void take_text(std::string_view text, const std::shared_ptr<const Caller>& caller);
  void tell_given_up(const rpc::Request& request, const Error& error, const Terms& terms);

  // The stream on which an old server says things of its own accord.
  void start_stream();
  void stop_stream();
  void follow_stream(const std::stop_token& stop);
  // What was before Streamable HTTP: everything comes over one stream, which first says where to post.
  [[nodiscard]] Expected<void> start_old_transport(const Terms& terms);
  void follow_old_stream(const std::stop_token& stop);
  [[nodiscard]] std::string endpoint() const;

  const HttpTraffic::Parts parts_;
  Listener& listener_;
  Logger& logger_;
  HttpTraffic traffic_;
  PendingReplies pending_;
  std::stop_source closing_;

  mutable std::mutex mutex_;
  std::condition_variable_any endpoint_known_;
  std::string endpoint_;  // of the old transport; empty: it is not spoken
  std::optional<Error> stream_error_;
  bool modern_ = false;
  bool closed_ = false;
  std::jthread stream_;
  WorkerPool workers_;  // for what nobody waits for; last, so that it finds everything else
};

}  // namespace helve::gateway
