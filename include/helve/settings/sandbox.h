// Settings for the sandbox of commands: the member `sandbox` of Settings (helve/settings.h).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// Where commands may write: nothing, the workspace, or everything (no sandbox).
enum class SandboxLevel { kReadOnly, kWorkspaceWrite, kOff };
constexpr auto enum_names(SandboxLevel) {
  return std::to_array<std::string_view>({"read-only", "workspace-write", "off"});
}

// A sandbox feature that may be missing on a machine. Commands are refused without it, unless
// sandbox.may_lack names it.
enum class SandboxPart {
  kUserNamespace,
  kMountNamespace,
  kPidNamespace,
  kNetworkNamespace,
  kIpcNamespace,
  kPrivateProc,
  kMinimalDev,
  kLandlock,
  kSeccomp,
  kCgroup,
};
constexpr auto enum_names(SandboxPart) {
  return std::to_array<std::string_view>({"user-namespace", "mount-namespace", "pid-namespace",
                                          "network-namespace", "ipc-namespace", "private-proc", "minimal-dev",
                                          "landlock", "seccomp", "cgroup"});
}

// The sandbox for commands.
struct SandboxSettings {
  SandboxLevel level = SandboxLevel::kWorkspaceWrite;
  bool network = false;
  std::vector<std::string> writable;
  std::vector<std::string> hidden;
  std::vector<SandboxPart> may_lack;
  int processes = 2048;
  int memory_megabytes = 0;
  int open_files = 0;
  int file_megabytes = 0;
  int cpu_seconds = 0;

  void describe(ParamSpec& p) {
    p.optional("level", level, "What commands may write: nothing, the workspace, or everything.");
    p.optional("network", network, "Whether commands may use the network.");
    p.optional("writable", writable, "Additional directories that commands may write.");
    p.optional("hidden", hidden, "Files and directories that commands may not read.");
    p.optional("may_lack", may_lack, "Sandbox features that may be missing on this machine.");
    p.optional("processes", processes, "Most processes of a command; 0 means no limit.", {.min = 0});
    p.optional("memory_megabytes", memory_megabytes, "Most memory of a command; 0 means no limit.",
               {.min = 0});
    p.optional("open_files", open_files, "Most open files of a process; 0 means no limit.", {.min = 0});
    p.optional("file_megabytes", file_megabytes, "Largest file a command may write; 0 means no limit.",
               {.min = 0});
    p.optional("cpu_seconds", cpu_seconds, "Most processor time of a process; 0 means no limit.", {.min = 0});
  }
};

}  // namespace helve
