// The services for a tool while it runs one call: the workspace, its files, the stop signal, progress and the
// log.
//
//   #include <helve/tool.h>
//   helve::Result count_entries(helve::Context& context) {
//     const auto entries = context.files().list(".", 5);
//     if (!entries) return helve::fail(entries.error());
//     double done = 0;
//     for (const helve::FileEntry& entry : *entries) {
//       if (context.should_stop()) return helve::fail(context.stop_error());
//       context.report(
//           {.done = ++done, .total = static_cast<double>(entries->size()), .message = entry.path});
//     }
//     return helve::Output{.summary = std::to_string(entries->size()) + " entries"};
//   }
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "helve/api.h"
#include "helve/error.h"
#include "helve/files.h"
#include "helve/log.h"

namespace HELVE_API helve {

class Session;
struct Engines;

// How far a call is. `done` and `total` have the unit that the tool chooses.
struct Progress {
  double done = 0;
  std::optional<double> total = {};  // empty when it is not known
  std::string message = {};          // one line for the user; may be empty
};

// The context of one call. The dispatcher creates it before Tool::execute or Tool::foresee and destroys it
// after that function returns: do not keep a reference to it. The session and the engines are shared, so
// shared_session() and shared_engines() may be kept longer.
//
// Threads: a call runs on one thread. If the tool starts threads of its own, they may use the const functions
// of this class until execute() returns.
class Context {
 public:
  using Clock = std::chrono::steady_clock;

  // The content of a Context. Only the dispatcher and tests of tools fill it.
  struct Parts {
    std::shared_ptr<Session> session;
    std::shared_ptr<Engines> engines;
    std::string tool;
    std::string call_id;
    std::stop_token stop;
    Clock::time_point deadline = Clock::time_point::max();
    bool dry_run = false;
    std::function<void(const Progress&)> on_progress;
    Json trace = {};
  };

  explicit Context(Parts parts) : parts_(std::move(parts)) {}

  // The absolute path of the workspace, with symlinks resolved. Use files() to read and change what is in it:
  // a path that is joined by hand is not checked.
  [[nodiscard]] const std::string& workspace() const;

  // The files of the workspace: path-checked, atomic and undoable (helve/files.h). The returned object must
  // not outlive this Context.
  [[nodiscard]] Files files() { return Files(*this); }

  // The session that made the call, with its events, its approver and its asker.
  [[nodiscard]] Session& session() const { return *parts_.session; }
  [[nodiscard]] const std::shared_ptr<Session>& shared_session() const { return parts_.session; }

  // The name of the tool that is called. The history records it for changes through files().
  [[nodiscard]] const std::string& tool() const { return parts_.tool; }

  // The call's id, as in events and in the audit. It is unique within the session.
  [[nodiscard]] const std::string& call_id() const { return parts_.call_id; }

  // The trace context that the caller passed, for tools that call other programs: traceparent, tracestate and
  // baggage; null without one.
  [[nodiscard]] const Json& trace() const { return parts_.trace; }

  // True when the call must change nothing and only report what it would change. Only tools with
  // ToolDefinition::dry_runs see true here. Files honours it without further code.
  [[nodiscard]] bool dry_run() const { return parts_.dry_run; }

  // True when the caller cancelled the call or its time limit has passed. Check it in every loop that can
  // take long, and return stop_error() when it is true. A tool that ignores it is abandoned after a grace
  // period: the caller gets an error, and the tool's thread ends when the tool returns.
  [[nodiscard]] bool should_stop() const {
    return parts_.stop.stop_requested() || Clock::now() >= parts_.deadline;
  }

  // For functions that wait with a stop token. Wait until deadline() as well: the token need not signal the
  // time limit.
  [[nodiscard]] const std::stop_token& stop_token() const { return parts_.stop; }

  // When the time limit ends; Clock::time_point::max() without a limit.
  [[nodiscard]] Clock::time_point deadline() const { return parts_.deadline; }

  // The error to return when should_stop() is true: CANCELLED if the caller cancelled in time, else TIMEOUT.
  [[nodiscard]] Error stop_error() const;

  // Reports progress to the caller and to the session's events. It is cheap, so call it as often as useful.
  void report(const Progress& progress) const;

  // Helve's log. It may be used from all threads and lives as long as the engines.
  [[nodiscard]] Logger& log() const;

  // Internal: what the built-in tools are made of. Engines is not part of the API and changes without notice.
  [[nodiscard]] Engines& engines() const { return *parts_.engines; }
  [[nodiscard]] const std::shared_ptr<Engines>& shared_engines() const { return parts_.engines; }

 private:
  Parts parts_;
};

}  // namespace helve
