// The process of one language server: started, listened to, ended with everything it started.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "base/scratch_directory.h"
#include "helve/error.h"
#include "lsp/connection.h"
#include "process/spawn.h"

namespace helve::lsp {

struct ServerLaunch {
  std::vector<std::string> argv;  // the program first, as an absolute path
  std::string directory;
  std::vector<std::string> environment;
  std::string launcher;  // see process/launcher.h
  // For programs that come with the workspace: they can read, but neither write nor reach the network.
  bool walled = false;
  std::string workspace = {};
  std::vector<std::string> hidden = {};  // what walled programs cannot even read
  ScratchDirectory scratch = {};         // its TMPDIR, which goes when the last of its processes has gone
};

// Owned by its server. It is below a launcher, which ends it and all its descendants when it is told to, and
// also when Helve is gone, however that ended. All functions may be called from all threads.
class ServerProcess {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<ServerProcess>> start(ServerLaunch launch);
  // Ends it.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // To be taken once.
  [[nodiscard]] UniqueFd take_output() { return std::move(child_.output); }
  [[nodiscard]] UniqueFd take_input() { return std::move(child_.input); }

  // Waits until nothing of it is left. False when the patience ended first.
  bool wait(const Patience& patience);
  // Ends it and everything it started, now.
  void kill();
  [[nodiscard]] std::string last_words() const;  // the end of what it wrote to stderr
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] pid_t launcher_pid() const { return child_.launcher; }

 private:
  ServerProcess(process::Child child, bool own_pid_namespace, ScratchDirectory scratch);
  void listen(const std::stop_token& stop);

  const ScratchDirectory scratch_;  // first, so that it goes last
  process::Child child_;
  const bool own_pid_namespace_;
  UniqueFd wake_;
  mutable std::mutex mutex_;  // guards the rest but the thread
  std::condition_variable_any ended_changed_;
  std::string last_words_;
  bool ended_ = false;
  bool kill_wanted_ = false;
  std::jthread listener_;
};

}  // namespace helve::lsp
