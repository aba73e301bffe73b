// The permissions of a sandboxed command: plain data that Helve sends to the launcher.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace helve::sandbox {

enum class Level {
  kReadOnly,        // only a private temporary directory is writable
  kWorkspaceWrite,  // the workspace and the session's temporary directory are writable
  kOff,             // no sandbox; the command's processes are still killed at its end
};

// The parts of a sandbox, so that errors and settings can name a missing one.
enum class Part {
  kUserNamespace,
  kMountNamespace,
  kPidNamespace,
  kNetworkNamespace,
  kIpcNamespace,
  kPrivateProc,  // some containers forbid mounting /proc
  kMinimalDev,
  kLandlock,
  kSeccomp,
  kCgroup,
};

// 0: no limit.
struct Limits {
  std::uint64_t processes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t cpu_seconds = 0;
  bool in_cgroup = false;  // a Cgroup already limits processes and memory
};

// All paths are absolute and without symlinks.
struct Plan {
  Level level = Level::kWorkspaceWrite;
  std::string workspace = {};
  std::vector<std::string> writable = {};  // further writable directories
  std::vector<std::string> visible = {};   // readable directories below /tmp and other replaced ones
  // Read-only paths within writable directories. Missing ones cannot be created.
  std::vector<std::string> protected_paths = {};
  // Writable directories that cannot be moved or replaced; for the parents of protected paths.
  std::vector<std::string> pinned = {};
  std::vector<std::string> hidden = {};  // unreadable files and directories
  std::string temporary = {};            // mounted as /tmp and /var/tmp; empty: a new one per command
  bool network = false;
  // The pid of a process that holds a network namespace, see hold_network(). Commands with the same holder
  // reach each other over loopback. 0, or if it has ended: a new network namespace.
  std::uint64_t network_holder = 0;
  // There is no room for placeholders of missing protected paths (ReservedPaths::lacks_room()), so the
  // command can change and remove names in its writable directories, but create none.
  bool no_new_names = false;
  Limits limits = {};
  std::vector<Part> may_lack = {};  // parts that may be missing, from the settings
};

}  // namespace helve::sandbox
