// A /dev that holds only what every program may have.
#pragma once

#include <string>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::sandbox {

// Holds the machine's harmless devices from before the view is built. One thread; lives while it is built.
class MinimalDev {
 public:
  // Before anything is mounted.
  [[nodiscard]] static MinimalDev collect();
  // Lays the new /dev over the old one.
  [[nodiscard]] Expected<void> lay() const;

 private:
  struct Device {
    std::string name;
    UniqueFd tree;
  };
  MinimalDev() = default;
  std::vector<Device> devices_;
};

// In the new /dev, for covering other places: an empty file that nobody may read, and a link to nowhere.
inline constexpr char kHiddenFile[] = "/dev/.hidden";
inline constexpr char kMissingLink[] = "/dev/.missing";

}  // namespace helve::sandbox
