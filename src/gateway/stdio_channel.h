// The way to a server that is a child process: one JSON message per line on its stdin and stdout.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "gateway/last_words.h"
#include "gateway/pending_replies.h"
#include "gateway/server_process.h"
#include "helve/log.h"

namespace helve::gateway {

class StdioChannel final : public Channel {
 public:
  // Listener and logger must outlive it. `name` is the server's, for the log.
  [[nodiscard]] static Expected<std::unique_ptr<StdioChannel>> open(ProcessStart start, std::string name,
                                                                    Listener& listener, Logger& logger);
  ~StdioChannel() override;

  [[nodiscard]] Expected<rpc::Response> exchange(rpc::Request request, const Terms& terms) override;
  [[nodiscard]] Expected<void> notify(rpc::Notification notification) override;
  [[nodiscard]] Expected<void> respond(rpc::Response response) override;
  void begin(std::string_view) override {}
  void close() override;
  [[nodiscard]] std::string last_words() const override { return last_words_.text(); }

 private:
  StdioChannel(std::string name, Listener& listener, Logger& logger)
      : name_(std::move(name)), listener_(listener), logger_(logger) {}

  [[nodiscard]] Expected<void> send(const Json& message);
  [[nodiscard]] std::optional<Error> lost() const;
  void take_line(std::string_view line);
  void take_long_line(std::size_t longest);
  void report_noise(std::string_view line);

  const std::string name_;
  Listener& listener_;
  Logger& logger_;
  PendingReplies pending_;
  LastWords last_words_;
  std::size_t noise_ = 0;  // lines that are no messages; only the attending thread counts
  mutable std::mutex mutex_;
  std::optional<Error> lost_;               // what becomes of requests, once the process has ended
  std::unique_ptr<ServerProcess> process_;  // last: its thread uses all of the above
};

}  // namespace helve::gateway
