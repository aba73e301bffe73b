// The sandbox's own /dev and /proc: only harmless devices, and only the command's processes.
#pragma once

#include <string>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "sandbox/plan.h"
#include "sandbox/sandbox.h"

namespace helve::sandbox {

// A /dev with only the devices that every program may use. Lives while the view is built; single-threaded.
class MinimalDev {
 public:
  // Opens the machine's devices. Call before anything is mounted.
  [[nodiscard]] static MinimalDev collect();
  // Mounts the new /dev over the old one.
  [[nodiscard]] Expected<void> mount() const;

 private:
  struct Device {
    std::string name;
    UniqueFd tree;
  };
  MinimalDev() = default;
  std::vector<Device> devices_;
};

// Files in the new /dev that are mounted over other paths: an empty unreadable file, and a dangling symlink.
inline constexpr char kHiddenFile[] = "/dev/.hidden";
inline constexpr char kMissingLink[] = "/dev/.missing";

// Mounts a /proc with only the command's processes and with its settings read-only or hidden. Call after the
// new /dev is mounted, because it uses kHiddenFile.
[[nodiscard]] Expected<void> mount_proc(const Plan& plan, Missing& missing);

}  // namespace helve::sandbox
