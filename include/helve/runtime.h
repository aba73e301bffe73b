// The whole of Helve for a program: build it, add tools, call them, follow the events.
//
//   auto runtime = helve::Runtime::create({.workspace = "/home/me/project"});
//   helve::Answer answer = (*runtime)->call({.tool = "read", .arguments = helve::JsonObject{{"path",
//   "README.md"}}});
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "helve/context.h"
#include "helve/registry.h"
#include "helve/result.h"
#include "helve/session.h"
#include "helve/settings.h"

namespace helve {

struct Call {
  std::string tool = {};
  Json arguments = JsonObject();
  std::string id = {};  // comes back in events and records; made up when empty
  std::stop_token stop = {};
  std::optional<std::chrono::milliseconds> time_limit = {};  // instead of the tool's
  std::function<void(const Progress&)> on_progress = {};
  // For whoever keeps a journal, from the thread that makes the call: right before the tool runs, when it may
  // and its turn has come (a failure keeps it from running), and with the answer, before its event.
  std::function<Expected<void>(Effect effect)> on_start = {};
  std::function<void(const Answer&)> on_answer = {};
};

struct RuntimeOptions {
  std::string workspace = ".";
  Settings settings = {};
  std::string state_directory = {};  // default: $XDG_STATE_HOME/helve
  std::string data_directory = {};   // snippets and sessions; default: $XDG_DATA_HOME/helve
  bool built_in_tools = true;
  std::string session_id = {};              // of the default session; made up when empty
  std::shared_ptr<Approver> approver = {};  // of the default session, like the next two
  std::shared_ptr<Asker> asker = {};
  std::shared_ptr<Sampler> sampler = {};
  // The program that starts commands: helve, or this one when its main() begins with launch_if_asked()
  // (helve/launcher.h) and it is named by /proc/self/exe. Default: helve, if it is in PATH.
  std::string launcher = {};
  // Keeps the rules that a person wants for always; without it they last as long as the runtime.
  std::function<Expected<void>(const std::vector<std::string>& allow_rules)> keep_rules = {};
};

struct SessionOptions {
  // Letters, digits, _ and -; made up when empty. One that is used again has the same files and changes to
  // undo.
  std::string id = {};
  std::optional<Mode> mode = {};  // instead of the setting's
  std::shared_ptr<Approver> approver = {};
  std::shared_ptr<Asker> asker = {};
  std::shared_ptr<Sampler> sampler = {};
  std::uint64_t first_event = 1;  // the seq of the first event, for a session that goes on
};

// All functions may be used from all threads. Destroying it waits for the calls that run.
class Runtime {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<Runtime>> create(RuntimeOptions options);
  ~Runtime();

  [[nodiscard]] Registry& tools();
  [[nodiscard]] Expected<void> add(std::unique_ptr<Tool> tool) { return tools().add(std::move(tool)); }
  // For whoever adds and removes tools as long as the runtime lives; destroyed before anything else of it.
  void keep(std::shared_ptr<void> companion);

  // In the default session.
  [[nodiscard]] Answer call(Call call);
  // Answers in the order of the calls. Calls on the same resource run in that order, others at once.
  [[nodiscard]] std::vector<Answer> call_many(std::vector<Call> calls);

  [[nodiscard]] Expected<std::shared_ptr<Session>> open_session(SessionOptions options);
  [[nodiscard]] Session& default_session();
  [[nodiscard]] Answer call(const std::shared_ptr<Session>& session, Call call);
  [[nodiscard]] std::vector<Answer> call_many(const std::shared_ptr<Session>& session,
                                              std::vector<Call> calls);

  // The bytes of a file of the workspace or of the session's outputs: allowed and recorded as a call of read
  // is.
  [[nodiscard]] Expected<std::string> read_bytes(const std::shared_ptr<Session>& session,
                                                 const std::string& path, std::size_t most_bytes);

  // What would happen to the call and which rule decides, without making it: {verdict, reason, rule, …}.
  [[nodiscard]] Expected<Json> explain(const Call& call);
  [[nodiscard]] Expected<Json> explain(const std::shared_ptr<Session>& session, const Call& call);

  [[nodiscard]] const Settings& settings() const;
  [[nodiscard]] const std::string& workspace() const;
  [[nodiscard]] const std::string& state_directory() const;
  // {"tools": calls and failures per tool so far with their times, "callsRunning": 0, "commandsRunning": 0}
  [[nodiscard]] Json metrics() const;

 private:
  struct Parts;
  explicit Runtime(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

[[nodiscard]] std::string_view version();

}  // namespace helve
