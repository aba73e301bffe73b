// The process of one language server, with all its descendants.
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
  // For programs that come with the workspace: read-only file access and no network.
  bool sandboxed = false;
  std::string workspace = {};
  std::vector<std::string> hidden = {};  // unreadable for sandboxed programs
  ScratchDirectory scratch = {};         // its TMPDIR, removed after its last process has exited
};

// Owned by its Server. Runs under a launcher, which kills it and all its descendants on request and when
// Helve exits for any reason. Thread-safe.
class ServerProcess {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<ServerProcess>> start(ServerLaunch launch);
  // Kills the process.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Call each of these once.
  [[nodiscard]] UniqueFd take_output() { return std::move(child_.output); }
  [[nodiscard]] UniqueFd take_input() { return std::move(child_.input); }

  // Waits until all its processes have exited. Returns false at the limit.
  bool wait(const WaitLimit& limit);
  // Kills it and all its descendants.
  void kill();
  [[nodiscard]] std::string stderr_tail() const;  // the end of its stderr
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] pid_t launcher_pid() const { return child_.launcher; }

 private:
  ServerProcess(process::Child child, bool own_pid_namespace, ScratchDirectory scratch);
  void listen(const std::stop_token& stop);

  const ScratchDirectory scratch_;  // first, so that it is destroyed last
  process::Child child_;
  const bool own_pid_namespace_;
  UniqueFd wake_;
  mutable std::mutex mutex_;  // guards the members below except the thread
  std::condition_variable_any ended_changed_;
  std::string stderr_tail_;
  bool ended_ = false;
  bool kill_wanted_ = false;
  std::jthread listener_;
};

}  // namespace helve::lsp
