// What a sandbox lets a command see and do; plain data, made by the caller and carried to the launcher.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace helve::sandbox {

enum class Level {
  kReadOnly,        // nothing outside of a private temporary directory can be written
  kWorkspaceWrite,  // the workspace and the session's temporary directory can be written
  kOff,             // no walls; the command's processes are still found and ended with it
};

// The parts that walls are made of, so that a missing one can be named.
enum class Part {
  kUserNamespace,
  kMountNamespace,
  kPidNamespace,
  kNetworkNamespace,
  kIpcNamespace,
  kPrivateProc,  // a /proc of its own, which some containers forbid
  kMinimalDev,
  kLandlock,
  kSeccomp,
  kCgroup,
};

// 0: no limit of ours.
struct Limits {
  std::uint64_t processes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t cpu_seconds = 0;
  bool in_cgroup = false;  // a Cgroup made by the caller already holds processes and memory
};

// All paths are absolute and real.
struct Plan {
  Level level = Level::kWorkspaceWrite;
  std::string workspace = {};
  std::vector<std::string> writable = {};  // further directories that can be written
  std::vector<std::string> visible = {};   // directories that can be read though they lie in /tmp or such
  // Read-only though they lie in something writable. What does not exist yet cannot be made either.
  std::vector<std::string> protected_paths = {};
  // Directories that can be written, but not moved away or replaced; for the parents of protected paths.
  std::vector<std::string> pinned = {};
  std::vector<std::string> hidden = {};  // files and directories that cannot even be read
  std::string temporary = {};  // becomes /tmp and /var/tmp; empty: a fresh one that goes with the command
  bool network = false;
  // The pid of a process that holds a network apart from the machine's, see hold_network(). Commands that
  // name the same one reach each other over loopback. 0, or when it is gone: a network of its own.
  std::uint64_t network_holder = 0;
  Limits limits = {};
  std::vector<Part> may_lack = {};  // the settings allow to do without these
};

}  // namespace helve::sandbox
