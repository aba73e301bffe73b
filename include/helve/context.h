// What a tool may know and use while it runs one call.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "helve/error.h"
#include "helve/log.h"

namespace helve {

class Session;
struct Engines;

struct Progress {
  double done = 0;
  std::optional<double> total = {};
  std::string message = {};
};

// Made by the dispatcher for one call, used by that call alone.
class Context {
 public:
  using Clock = std::chrono::steady_clock;

  struct Parts {
    std::shared_ptr<Session> session;
    std::shared_ptr<Engines> engines;
    std::string call_id;
    std::stop_token stop;
    Clock::time_point deadline = Clock::time_point::max();
    bool dry_run = false;
    std::function<void(const Progress&)> on_progress;
  };

  explicit Context(Parts parts) : parts_(std::move(parts)) {}

  // The real path of the directory that tools may touch.
  [[nodiscard]] const std::string& workspace() const;
  [[nodiscard]] Session& session() const { return *parts_.session; }
  [[nodiscard]] const std::shared_ptr<Session>& shared_session() const { return parts_.session; }
  [[nodiscard]] const std::string& call_id() const { return parts_.call_id; }

  // True when the caller wants this call to change nothing and only say what it would do.
  [[nodiscard]] bool dry_run() const { return parts_.dry_run; }

  // Long work asks this often, and returns stop_error() when it is true.
  [[nodiscard]] bool should_stop() const {
    return parts_.stop.stop_requested() || Clock::now() >= parts_.deadline;
  }
  [[nodiscard]] const std::stop_token& stop_token() const { return parts_.stop; }
  [[nodiscard]] Clock::time_point deadline() const { return parts_.deadline; }
  // CANCELLED or TIMEOUT.
  [[nodiscard]] Error stop_error() const;

  // Tells whoever waits how far the work is. Cheap; may be called often.
  void report(const Progress& progress) const;
  [[nodiscard]] Logger& log() const;

  // The machinery of built-in tools (workspace, search, processes, …).
  [[nodiscard]] Engines& engines() const { return *parts_.engines; }
  [[nodiscard]] const std::shared_ptr<Engines>& shared_engines() const { return parts_.engines; }

 private:
  Parts parts_;
};

}  // namespace helve
