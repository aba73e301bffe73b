// The stdio transport: one JSON message per line on a child process's stdin and stdout.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/channel.h"
#include "gateway/server_process.h"
#include "helve/log.h"

namespace helve::gateway {

// Keeps the last lines of a server's stderr. May be used from all threads.
class StderrTail {
 public:
  void add(std::string_view line) {
    const std::lock_guard lock(mutex_);
    bytes_ += line.size() + 1;
    lines_.emplace_back(line);
    while (bytes_ > kMostBytes || lines_.size() > kMostLines) {
      bytes_ -= lines_.front().size() + 1;
      lines_.pop_front();
    }
  }

  [[nodiscard]] std::string text() const {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const std::string& line : lines_) (all += line) += '\n';
    return all;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{64} * 1024;
  static constexpr std::size_t kMostLines = 1000;

  mutable std::mutex mutex_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
};

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
  [[nodiscard]] std::string stderr_tail() const override { return stderr_tail_.text(); }

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
  StderrTail stderr_tail_;
  std::size_t noise_ = 0;  // lines that are not messages; used only by the process's thread
  mutable std::mutex mutex_;
  std::optional<Error> lost_;               // the error of requests after the process has ended
  std::unique_ptr<ServerProcess> process_;  // last: its thread uses all of the above
};

}  // namespace helve::gateway
