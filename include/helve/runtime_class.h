// The class Runtime without the settings, so that code which gets a runtime is not compiled again when a
// setting changes. Programs include helve/runtime.h, which includes this header, to create a runtime.
//
//   #include <helve/runtime_class.h>
//   #include <iostream>
//   void list_directory(helve::Runtime& runtime, const std::string& path) {
//     const helve::Answer answer = runtime.call({.tool = "ls", .arguments = helve::JsonObject{{"path",
//     path}}}); if (answer.ok())
//       std::cout << answer.result->content;
//     else
//       std::cout << answer.result.error().message << "\n" << answer.result.error().hint << "\n";
//   }
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/changes.h"
#include "helve/context.h"
#include "helve/registry.h"
#include "helve/result.h"
#include "helve/session.h"

namespace HELVE_API helve {

struct RuntimeOptions;  // helve/runtime.h
struct SandboxStatus;   // helve/sandbox_status.h
struct Settings;        // helve/settings.h

// One tool call.
struct Call {
  std::string tool = {};
  // The tool itself, if the caller has looked it up already. The call then uses this one, even if the
  // registry has replaced it meanwhile.
  std::shared_ptr<const RegisteredTool> resolved = {};
  Json arguments = JsonObject();  // may come from a model; they are validated before anything runs
  std::string id = {};            // appears in events and records; generated when empty
  Json trace = {};            // W3C trace context: traceparent, tracestate, baggage; passed on to MCP servers
  std::stop_token stop = {};  // cancels the call: it then ends with CANCELLED
  std::optional<std::chrono::milliseconds> time_limit = {};  // replaces the tool's time limit
  // Called with the tool's progress, possibly from another thread, until the call has returned.
  std::function<void(const Progress&)> on_progress = {};
  // For callers that keep their own journal. Both run on the thread that makes the call. on_start runs when
  // the call is allowed and its turn has come, right before the tool; its error prevents the call
  // (UNAVAILABLE). on_answer gets the answer before the event of the call's end.
  std::function<Expected<void>(Effect effect)> on_start = {};
  std::function<void(const Answer&)> on_answer = {};
};

// How to open a session.
struct SessionOptions {
  // 1 to 100 letters, digits, _ and -; generated when empty. Use an id again to continue a session: its
  // output files are still there, and its changes can still be undone.
  std::string id = {};
  std::optional<Mode> mode = {};            // replaces Settings::mode
  std::shared_ptr<Approver> approver = {};  // null: calls that need approval are refused
  std::shared_ptr<Asker> asker = {};        // null: ask_user fails
  std::shared_ptr<Sampler> sampler = {};
  std::uint64_t first_event = 1;  // the seq of the first event, to continue an earlier stream
};

// One workspace with its tools, permissions, history and sessions. Owned by the caller of create(). All
// functions may be used from all threads. The destructor waits for calls that run; cancel them first
// (Call::stop) for a fast exit.
class Runtime {
 public:
  // Opens the workspace and builds everything from the options. Errors:
  //   NOT_FOUND, INVALID_ARGUMENT   the workspace does not exist or is not a directory
  //   INVALID_ARGUMENT              a setting, a rule or the session id is not valid
  //   UNAVAILABLE, EXECUTION_FAILED the state or data directory cannot be used
  [[nodiscard]] static Expected<std::unique_ptr<Runtime>> create(RuntimeOptions options);
  ~Runtime();

  // The tools, to list, find, add and remove. The reference is valid as long as the runtime.
  [[nodiscard]] Registry& tools();
  // Adds a tool; short for tools().add(). Fails with INVALID_ARGUMENT for a bad definition or a name in use.
  [[nodiscard]] Expected<void> add(std::unique_ptr<Tool> tool) { return tools().add(std::move(tool)); }
  // Keeps an object alive that adds and removes tools, such as a plugin loader. It is destroyed before all
  // other parts of the runtime.
  void keep(std::shared_ptr<void> companion);

  // Makes one call in the default session and waits for its answer. The call is validated, authorised, run,
  // bounded in size, recorded in the audit and published as events. It never throws for a failing tool; every
  // failure is the Error in the answer.
  [[nodiscard]] Answer call(Call call);
  // Makes several calls and waits for all answers, which come in the order of the calls. The whole batch is
  // validated and authorised before any of it runs. Calls that use the same resource run in order; others run
  // in parallel, up to tools.parallel_calls.
  [[nodiscard]] std::vector<Answer> call_many(std::vector<Call> calls);

  // Opens a session for another client. INVALID_ARGUMENT for a bad id. Do not keep it longer than the
  // runtime.
  [[nodiscard]] Expected<std::shared_ptr<Session>> open_session(SessionOptions options);
  // The session of calls without a session. The reference is valid as long as the runtime.
  [[nodiscard]] Session& default_session();
  // As above, in a session of this runtime. `session` must not be null.
  [[nodiscard]] Answer call(const std::shared_ptr<Session>& session, Call call);
  [[nodiscard]] std::vector<Answer> call_many(const std::shared_ptr<Session>& session,
                                              std::vector<Call> calls);

  // Returns the bytes of a file of the workspace or of the session's output directory. It is authorised and
  // recorded like a call of `read`, and fails like one. INVALID_ARGUMENT when the file has more than
  // `most_bytes`.
  [[nodiscard]] Expected<std::string> read_bytes(const std::shared_ptr<Session>& session,
                                                 const std::string& path, std::size_t most_bytes);

  // Says what would be decided about a call and by which rule, without making it or asking the user:
  // {"verdict": "allow" | "ask" | "deny", "reason", "rule", …}. UNKNOWN_TOOL or INVALID_ARGUMENT when the
  // call is not valid.
  [[nodiscard]] Expected<Json> explain(const Call& call);
  [[nodiscard]] Expected<Json> explain(const std::shared_ptr<Session>& session, const Call& call);

  // The session's changes at its user's request: no approval and no limit on their number. undo and redo are
  // recorded in the audit, and deny rules still protect files. NOT_FOUND when there is nothing to undo or
  // redo, CONFLICT when a file has changed since.
  [[nodiscard]] Expected<ChangeHistory> changes(const Session& session) const;
  [[nodiscard]] Expected<UndoOutcome> undo(const Session& session, std::size_t steps);
  [[nodiscard]] Expected<UndoOutcome> redo(const Session& session, std::size_t steps);

  // Tries the parts of the sandbox in child processes, which takes some milliseconds.
  [[nodiscard]] SandboxStatus sandbox() const;

  // The settings that the runtime was created with.
  [[nodiscard]] const Settings& settings() const;
  // The absolute path of the workspace, with symlinks resolved.
  [[nodiscard]] const std::string& workspace() const;
  [[nodiscard]] const std::string& state_directory() const;
  // {"tools": calls, failures and times by tool, "callsRunning": 0, "commandsRunning": 0}
  [[nodiscard]] Json metrics() const;

 private:
  struct Parts;
  explicit Runtime(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// The version of the library, such as "0.9.0". The text is static.
[[nodiscard]] std::string_view version();

}  // namespace helve
