// All language servers of a workspace: starts them on demand, shares, restarts and stops them.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "helve/log.h"
#include "lsp/server.h"
#include "lsp/server_spec.h"
#include "workspace/root.h"

namespace helve::lsp {

// The status of one server, for display.
struct ServerStatus {
  enum class State { kDisabled, kMissing, kFound, kStarting, kRunning, kIndexing, kCrashed, kUnavailable };
  std::string name;
  std::vector<std::string> languages = {};
  State state = State::kMissing;
  std::string program = {};
  bool sandboxed = false;         // because it comes with the workspace or runs its build files
  std::string project_root = {};  // of a running server
  std::string version = {};
  std::uint64_t memory_bytes = 0;
  std::string problem = {};
  std::string install = {};
};
[[nodiscard]] std::string_view to_string(ServerStatus::State state);

// Owned by the runtime, whose workspace and settings must outlive it. Thread-safe. Nothing runs before the
// first query; the destructor stops all servers.
class Servers {
 public:
  struct Options {
    const workspace::Root* workspace = nullptr;
    const LspSettings* settings = nullptr;
    std::string launcher;
    Logger* logger = nullptr;
    HiddenFinder hidden = {};  // from programs that come with the workspace; asked before each start
    // How often memory and idle time are checked. `idle_time` overrides the setting, for tests.
    std::chrono::milliseconds maintenance_interval{5000};
    std::optional<std::chrono::milliseconds> idle_time = {};
  };
  explicit Servers(Options options);
  ~Servers();
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  // A running server for the file, started if necessary. Fails with UNAVAILABLE and details.state and
  // details.install if none is installed, and with TIMEOUT if it is still starting.
  [[nodiscard]] Expected<std::shared_ptr<Server>> server_for(const std::string& path, const WaitLimit& limit);
  [[nodiscard]] std::vector<std::shared_ptr<Server>> running() const;
  // With `try_start`, starts every server whose program is found.
  [[nodiscard]] std::vector<ServerStatus> status(bool try_start, const WaitLimit& limit);
  [[nodiscard]] const std::vector<ServerSpec>& specs() const { return specs_; }
  [[nodiscard]] const workspace::Root& workspace() const { return *options_.workspace; }

 private:
  // One server for one project, across restarts.
  struct Slot {
    std::shared_ptr<Server> server;
    int crashes = 0;
    Clock::time_point last_crash = {};
    Clock::time_point next_try = {};
    Error last_error = {};
  };
  using Key = std::pair<std::string, std::string>;  // name, project root

  [[nodiscard]] Expected<std::shared_ptr<Server>> get_or_start(const ServerSpec& spec,
                                                               const FoundProgram& program,
                                                               const std::string& project_root);
  void note_crash(Slot& slot) const;
  void run_maintenance(const std::stop_token& stop);
  [[nodiscard]] Error missing_error(const std::string& path,
                                    const std::vector<const ServerSpec*>& fitting) const;

  const Options options_;
  const std::vector<ServerSpec> specs_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable_any wake_;
  std::map<Key, Slot> slots_;
  std::vector<std::shared_ptr<Server>> ended_;  // waiting to be destroyed by the maintenance thread
  std::jthread maintenance_;                    // started with the first server
};

}  // namespace helve::lsp
