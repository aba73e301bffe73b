// All language servers of a workspace: found, started when first asked, shared, restarted, ended when idle.
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
#include "helve/settings.h"
#include "lsp/server.h"
#include "lsp/server_spec.h"
#include "workspace/root.h"

namespace helve::lsp {

// What is known about one entry of the table, for people.
struct ServerStatus {
  enum class State { kDisabled, kMissing, kFound, kStarting, kRunning, kIndexing, kCrashed, kUnavailable };
  std::string name;
  std::vector<std::string> languages = {};
  State state = State::kMissing;
  std::string program = {};
  bool walled = false;            // the program comes with the workspace
  std::string project_root = {};  // of a running one
  std::string version = {};
  std::uint64_t memory_bytes = 0;
  std::string problem = {};
  std::string install = {};
};
[[nodiscard]] std::string_view to_string(ServerStatus::State state);

// Owned by the runtime, whose workspace must outlive it. May be used from all threads. Costs nothing before
// the first question; destroying it ends all servers.
class Servers {
 public:
  struct Options {
    const Root* workspace = nullptr;
    Settings::Lsp settings;
    std::string launcher;
    Logger* logger = nullptr;
    std::vector<std::string> hidden = {};  // from programs of the workspace
    // How often memory and idleness are looked at, and instead of the setting, for tests.
    std::chrono::milliseconds house_interval{5000};
    std::optional<std::chrono::milliseconds> idle_time = {};
  };
  explicit Servers(Options options);
  ~Servers();
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  // A running server for the file, started when there is none. UNAVAILABLE says what is missing and how to
  // install it, with details.state and details.install; TIMEOUT that it is still starting.
  [[nodiscard]] Expected<std::shared_ptr<Server>> server_for(const std::string& path,
                                                             const Patience& patience);
  // Those that run now.
  [[nodiscard]] std::vector<std::shared_ptr<Server>> running() const;
  // With `try_start`, every server whose program is found has to show that it answers.
  [[nodiscard]] std::vector<ServerStatus> status(bool try_start, const Patience& patience);
  [[nodiscard]] const std::vector<ServerSpec>& specs() const { return specs_; }
  [[nodiscard]] const Settings::Lsp& settings() const { return options_.settings; }
  [[nodiscard]] const Root& workspace() const { return *options_.workspace; }

 private:
  // One server for one project, over all its lives.
  struct Seat {
    std::shared_ptr<Server> server;
    int crashes = 0;
    Clock::time_point last_crash = {};
    Clock::time_point next_try = {};
    Error last_error = {};
  };
  using Key = std::pair<std::string, std::string>;  // name, project root

  [[nodiscard]] Expected<std::shared_ptr<Server>> seat(const ServerSpec& spec, const FoundProgram& program,
                                                       const std::string& project_root);
  void note_crash(Seat& seat) const;
  void keep_house(const std::stop_token& stop);
  [[nodiscard]] Error missing_error(const std::string& path,
                                    const std::vector<const ServerSpec*>& fitting) const;

  const Options options_;
  const std::vector<ServerSpec> specs_;
  mutable std::mutex mutex_;  // guards the rest
  std::condition_variable_any wake_;
  std::map<Key, Seat> seats_;
  std::vector<std::shared_ptr<Server>> ended_;  // for the housekeeper to bury
  std::jthread housekeeper_;                    // made with the first server
};

}  // namespace helve::lsp
