#include "policy/catastrophe_places.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "policy/line_values.h"

namespace helve::policy {
namespace {

constexpr auto kGreatDirectories = std::to_array<std::string_view>({"/",
                                                                    "/bin",
                                                                    "/boot",
                                                                    "/boot/efi",
                                                                    "/dev",
                                                                    "/etc",
                                                                    "/home",
                                                                    "/lib",
                                                                    "/lib32",
                                                                    "/lib64",
                                                                    "/libx32",
                                                                    "/media",
                                                                    "/mnt",
                                                                    "/nix",
                                                                    "/nix/store",
                                                                    "/opt",
                                                                    "/proc",
                                                                    "/root",
                                                                    "/run",
                                                                    "/sbin",
                                                                    "/snap",
                                                                    "/srv",
                                                                    "/sys",
                                                                    "/usr",
                                                                    "/usr/bin",
                                                                    "/usr/include",
                                                                    "/usr/lib",
                                                                    "/usr/lib64",
                                                                    "/usr/libexec",
                                                                    "/usr/local",
                                                                    "/usr/local/bin",
                                                                    "/usr/sbin",
                                                                    "/usr/share",
                                                                    "/var",
                                                                    "/var/lib",
                                                                    "/var/log",
                                                                    "/Users",
                                                                    "/System",
                                                                    "/Library",
                                                                    "/Applications",
                                                                    "/Volumes"});

constexpr auto kDisks = std::to_array<std::string_view>(
    {"sd",   "hd",   "vd",     "xvd",  "nvme",  "mmcblk", "disk/", "mapper/", "dm-",       "md",
     "zram", "nbd",  "block/", "pmem", "loop",  "mtd",    "ubi",   "mem",     "kmem",      "port",
     "rbd",  "drbd", "bcache", "sr",   "rdisk", "ram",    "fd0",   "vg",      "ubuntu-vg", "volgroup"});
constexpr auto kOtherDevices = std::to_array<std::string_view>({"mei", "rtc", "md_d"});

// Examples that a pattern for a disk matches.
constexpr auto kSampleDisks =
    std::to_array<const char*>({"/dev/sda", "/dev/sdb", "/dev/sda1", "/dev/hda", "/dev/vda", "/dev/xvda",
                                "/dev/nvme0n1", "/dev/nvme0n1p1", "/dev/mmcblk0", "/dev/loop0", "/dev/dm-0",
                                "/dev/md0", "/dev/disk/by-id/x", "/dev/mapper/x"});

// Whether a name of most first letters matches, visible or hidden: `*`, `?*`, `[a-z]*`, `.[!.]*`.
bool is_broad(const std::string& component) {
  if (!has_active_wildcard(component)) return false;
  for (const std::string_view start : {"", "."}) {
    int matched = 0;
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      const std::string sample = concat(start, std::string(1, letter), "in");
      if (::fnmatch(component.c_str(), sample.c_str(), 0) == 0) ++matched;
    }
    constexpr int kMost = 20;
    if (matched >= kMost) return true;
  }
  return false;
}

std::vector<std::string> components_of(std::string_view pattern) {
  std::vector<std::string> found;
  for (const std::string_view part : split(pattern, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!found.empty()) found.pop_back();
    } else {
      found.emplace_back(part);
    }
  }
  return found;
}

// /proc/PID/root is the root directory.
void leave_proc(std::vector<std::string>& components) {
  if (components.size() < 3 || components[0] != "proc" || components[2] != "root") return;
  const std::string& process = components[1];
  if (process == "self" || process == "thread-self" || std::ranges::all_of(process, is_digit))
    components.erase(components.begin(), components.begin() + 3);
}

}  // namespace

CatastrophePlaces::CatastrophePlaces(std::string directory, const Surroundings& surroundings)
    : directory_(std::move(directory)), surroundings_(&surroundings) {
  for (const std::string_view great : kGreatDirectories) great_.emplace_back(great, Extent::kSystem);
  const auto add_with_parents = [&](std::string path, Extent extent) {
    while (path.size() > 1) {
      great_.emplace_back(path, extent);
      path.erase(std::max<std::size_t>(path.rfind('/'), 1));
    }
  };
  if (!surroundings.home.empty()) add_with_parents(surroundings.home, Extent::kSystem);
  add_with_parents(surroundings.workspace, Extent::kWorkspace);
  for (const std::string_view part : {"/.git", "/.git/objects", "/.git/refs", "/.git/refs/heads"})
    great_.emplace_back(concat(surroundings.workspace, part), Extent::kWorkspace);
}

std::optional<std::string> CatastrophePlaces::absolute_pattern(std::string_view pattern) const {
  if (pattern.starts_with('/')) return std::string(pattern);
  if (directory_.empty() || pattern.empty()) return std::nullopt;
  return concat(escape_pattern(directory_), "/", pattern);
}

bool CatastrophePlaces::is_everything_in(std::string_view pattern) {
  const std::vector<std::string> components = components_of(pattern);
  return !components.empty() && is_broad(components.back());
}

Extent CatastrophePlaces::extent_of(std::string_view pattern) const {
  const auto whole = absolute_pattern(pattern);
  if (!whole) return Extent::kOrdinary;
  std::vector<std::string> components = components_of(*whole);
  leave_proc(components);
  while (!components.empty() && is_broad(components.back())) components.pop_back();
  std::string path = concat("/", join(components, "/"));
  std::vector<std::string> paths{path};
  if (!has_active_wildcard(path)) {
    const Location location = locate(plain_text(path), "/");
    paths = {escape_pattern(location.given), escape_pattern(location.real)};
  }
  Extent extent = Extent::kOrdinary;
  for (const std::string& each : paths) {
    // The home directory of a user.
    const std::vector<std::string> parts = components_of(each);
    if (parts.size() == 2 && (parts[0] == "home" || parts[0] == "Users") &&
        !is_within(surroundings_->workspace, each))
      return Extent::kSystem;
    for (const auto& [great, size] : great_)
      if (::fnmatch(each.c_str(), great.c_str(), FNM_PATHNAME) == 0) extent = std::max(extent, size);
  }
  return extent;
}

bool CatastrophePlaces::is_disk(std::string_view pattern) const {
  const auto whole = absolute_pattern(pattern);
  if (!whole) return false;
  std::vector<std::string> components = components_of(*whole);
  leave_proc(components);
  const std::string path = concat("/", join(components, "/"));
  if (has_active_wildcard(path))
    return std::ranges::any_of(
        kSampleDisks, [&](const char* sample) { return ::fnmatch(path.c_str(), sample, FNM_PATHNAME) == 0; });
  const Location location = locate(plain_text(path), "/");
  struct ::stat status{};
  if (::stat(location.real.c_str(), &status) == 0 && S_ISBLK(status.st_mode)) return true;
  constexpr std::string_view kDevices = "/dev/";
  for (const std::string* each : {&location.given, &location.real}) {
    if (!each->starts_with(kDevices)) continue;
    const std::string_view name = std::string_view(*each).substr(kDevices.size());
    const auto begins = [&](std::string_view start) { return name.starts_with(start); };
    if (std::ranges::any_of(kDisks, begins) && std::ranges::none_of(kOtherDevices, begins)) return true;
  }
  return false;
}

}  // namespace helve::policy
