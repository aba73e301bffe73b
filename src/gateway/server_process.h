// Runs an MCP server as a child process and exchanges lines with it over stdin, stdout and stderr.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "process/launcher_protocol.h"
#include "process/spawn.h"
#include "sandbox/cgroup.h"

namespace helve::gateway {

// Splits a byte stream into lines. Its memory is bounded by the longest allowed line. Used by one thread.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t longest) : longest_(longest) {}

  // Calls on_line without the line end (LF or CRLF), or on_long_line once for a line that is too long.
  void feed(std::string_view bytes, const std::function<void(std::string_view line)>& on_line,
            const std::function<void()>& on_long_line) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view piece = bytes.substr(0, end);
      if (!skips_ && line_.size() + piece.size() > longest_) {
        skips_ = true;
        line_ = std::string();  // also frees its memory
        on_long_line();
      }
      if (end == std::string_view::npos) {
        if (!skips_) line_ += piece;
        return;
      }
      if (!skips_) deliver(piece, on_line);
      skips_ = false;
      bytes.remove_prefix(end + 1);
    }
  }

 private:
  void deliver(std::string_view piece, const std::function<void(std::string_view)>& on_line) {
    std::string_view line = piece;
    if (!line_.empty()) {
      line_ += piece;
      line = line_;
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    on_line(line);
    line_.clear();
  }

  const std::size_t longest_;
  std::string line_;
  bool skips_ = false;
};

struct ProcessStart {
  process::Launch launch = {};
  std::string launcher = {};  // see process/spawn.h
  std::size_t longest_line = std::size_t{32} << 20;
  std::size_t longest_error_line = 4096;
  std::size_t most_unread = std::size_t{64} << 20;  // bytes that the server has not read yet
  std::chrono::milliseconds grace{2'000};  // before each stage of ending: closed stdin, SIGTERM, SIGKILL
};

// A launcher process between us and the server ensures that the server and all its children end with it, and
// that all of them end with this process. May be used from all threads. Destroying it ends the server.
class ServerProcess {
 public:
  // All are called from the object's own thread.
  struct Events {
    std::function<void(std::string_view line)> on_line = {};
    std::function<void()> on_long_line = {};
    std::function<void(std::string_view line)> on_error_line = {};
    std::function<void(const Error& why)> on_end = {};  // once, when it has ended or closed its output
  };

  [[nodiscard]] static Expected<std::unique_ptr<ServerProcess>> start(ProcessStart start, Events events);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Does not wait for the server to read. UNAVAILABLE if the server has ended or does not read.
  [[nodiscard]] Expected<void> write(std::string_view bytes);
  // Closes stdin, then sends SIGTERM and SIGKILL if necessary. Returns when all its processes have ended.
  void end();

 private:
  enum class Stage { kRuns, kInputClosed, kTerminated, kKilled, kForced };

  ServerProcess(ProcessStart start, Events events, process::Child child);

  void run();
  [[nodiscard]] int milliseconds_to_timer() const;
  void feed_input();
  void read_output();
  void read_errors();
  void read_control();
  void handle_exit();
  void advance(Stage stage);
  void report_end(const Error& why);
  [[nodiscard]] Error end_error() const;
  void wake() const;

  const ProcessStart start_;
  const Events events_;
  std::optional<sandbox::Cgroup> cgroup_;  // if the plan has limits and the machine supports them
  // Used only by the object's own thread.
  process::Child child_;
  LineSplitter lines_;
  LineSplitter error_lines_;
  std::string buffer_;
  std::optional<process::LauncherMessage> ended_;
  std::string unsent_;
  Stage stage_ = Stage::kRuns;
  std::chrono::steady_clock::time_point timer_ = std::chrono::steady_clock::time_point::max();
  bool exited_ = false;
  bool end_reported_ = false;

  UniqueFd wake_;
  std::mutex mutex_;
  std::string outgoing_;
  std::size_t unread_ = 0;  // in outgoing_ and unsent_
  bool wants_end_ = false;
  std::optional<Error> gone_;  // the reason
  std::thread thread_;
  std::mutex join_mutex_;
};

}  // namespace helve::gateway
