// The process of a server that speaks over its stdin and stdout, from its start to its end and not beyond.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "gateway/line_splitter.h"
#include "helve/error.h"
#include "process/launch_notes.h"
#include "process/spawn.h"
#include "sandbox/cgroup.h"

namespace helve::gateway {

struct ProcessStart {
  process::Launch launch = {};
  std::string launcher = {};  // see process/spawn.h
  std::size_t longest_line = std::size_t{32} << 20;
  std::size_t longest_error_line = 4096;
  std::size_t most_unread = std::size_t{64} << 20;  // bytes that wait for it to read
  std::chrono::milliseconds grace{2'000};           // for each of the ways in which it is asked to end
};

// A launcher stands between us and the server, so that whatever the server starts ends with it, and all of
// them with this process, whichever way that ends. May be used from all threads; destroying it ends the
// server.
class ServerProcess {
 public:
  // All are called from the one thread that attends to the process.
  struct Events {
    std::function<void(std::string_view line)> on_line = {};
    std::function<void()> on_long_line = {};
    std::function<void(std::string_view line)> on_error_line = {};
    std::function<void(const Error& why)> on_end = {};  // once: it is gone, or does not write any more
  };

  [[nodiscard]] static Expected<std::unique_ptr<ServerProcess>> start(ProcessStart start, Events events);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Does not wait for the server to read it. UNAVAILABLE when it is gone or reads nothing for too long.
  [[nodiscard]] Expected<void> write(std::string_view bytes);
  // Closes its stdin; a server that stays gets SIGTERM and then SIGKILL. Returns when all of it is gone.
  void end();

 private:
  enum class Stage { kRuns, kInputClosed, kTerminated, kKilled, kForced };

  ServerProcess(ProcessStart start, Events events, process::Child child);

  void attend();
  [[nodiscard]] int milliseconds_to_timer() const;
  void feed_input();
  void read_output();
  void read_errors();
  void hear_control();
  void note_exit();
  void advance(Stage stage);
  void tell_end(const Error& why);
  [[nodiscard]] Error end_error() const;
  void ring() const;

  const ProcessStart start_;
  const Events events_;
  std::optional<sandbox::Cgroup> cgroup_;  // where the plan has limits and the machine can hold them
  // Only the attending thread uses these.
  process::Child child_;
  LineSplitter lines_;
  LineSplitter error_lines_;
  std::string buffer_;
  std::optional<process::Note> ended_;
  std::string unsent_;
  Stage stage_ = Stage::kRuns;
  std::chrono::steady_clock::time_point timer_ = std::chrono::steady_clock::time_point::max();
  bool exited_ = false;
  bool end_told_ = false;

  UniqueFd bell_;
  std::mutex mutex_;
  std::string outgoing_;
  std::size_t unread_ = 0;  // in outgoing_ and unsent_
  bool wants_end_ = false;
  std::optional<Error> gone_;  // why
  std::thread thread_;
  std::mutex join_mutex_;
};

}  // namespace helve::gateway
