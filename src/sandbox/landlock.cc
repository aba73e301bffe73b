#include "sandbox/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/file_io.h"
#include "base/strings.h"
#include "sandbox/parts.h"

namespace helve::sandbox {
namespace {

// Defined here because system headers are often older than the kernel.
constexpr std::uint64_t kWriteFile = 1U << 1;
constexpr std::uint64_t kRemoveDir = 1U << 4;
constexpr std::uint64_t kRemoveFile = 1U << 5;
constexpr std::uint64_t kMakeChar = 1U << 6;
constexpr std::uint64_t kMakeDir = 1U << 7;
constexpr std::uint64_t kMakeReg = 1U << 8;
constexpr std::uint64_t kMakeSock = 1U << 9;
constexpr std::uint64_t kMakeFifo = 1U << 10;
constexpr std::uint64_t kMakeBlock = 1U << 11;
constexpr std::uint64_t kMakeSym = 1U << 12;
constexpr std::uint64_t kRefer = 1U << 13;     // version 2
constexpr std::uint64_t kTruncate = 1U << 14;  // version 3
constexpr std::uint64_t kIoctlDev = 1U << 15;  // version 5
constexpr std::uint64_t kBindTcp = 1U << 0;    // version 4
constexpr std::uint64_t kConnectTcp = 1U << 1;
constexpr std::uint64_t kScopeAbstractSocket = 1U << 0;  // version 6
constexpr std::uint64_t kScopeSignal = 1U << 1;

constexpr std::uint64_t kFileRights = kWriteFile | kTruncate | kIoctlDev;
// No path gets the rights to create devices.
constexpr std::uint64_t kMakeDevices = kMakeChar | kMakeBlock;
constexpr std::uint64_t kMakeNames = kMakeDir | kMakeReg | kMakeSock | kMakeFifo | kMakeSym | kRefer;

struct RulesetAttributes {
  std::uint64_t file_system = 0;
  std::uint64_t network = 0;
  std::uint64_t scoped = 0;
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t parent;
};
constexpr int kPathRule = 1;

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

std::uint64_t handled_rights(int version) {
  std::uint64_t rights = kWriteFile | kRemoveDir | kRemoveFile | kMakeChar | kMakeDir | kMakeReg | kMakeSock |
                         kMakeFifo | kMakeBlock | kMakeSym;
  if (version >= 2) rights |= kRefer;
  if (version >= 3) rights |= kTruncate;
  if (version >= 5) rights |= kIoctlDev;
  return rights;
}

// Older kernels accept only the fields they know.
std::size_t size_for(int version) {
  return version >= 6   ? sizeof(RulesetAttributes)
         : version >= 4 ? offsetof(RulesetAttributes, scoped)
                        : offsetof(RulesetAttributes, network);
}

// A missing path needs no rule.
int allow(int ruleset, const std::string& path, std::uint64_t rights) {
  const UniqueFd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status;
  if (!place || ::fstat(place.get(), &status) != 0) return errno == ENOENT || errno == EACCES ? 0 : errno;
  if (!S_ISDIR(status.st_mode)) rights &= kFileRights;
  const PathRule rule{.allowed = rights, .parent = place.get()};
  return ::syscall(SYS_landlock_add_rule, ruleset, kPathRule, &rule, 0) == 0 ? 0 : errno;
}

// A directory grants its rights to all that is below it. /tmp and /var/tmp can be one directory, so with a
// workspace in one of them no place may grant them.
std::uint64_t denied_in(const Plan& plan, const std::string& directory) {
  if (!plan.no_new_names) return kMakeDevices;
  std::vector<std::string> full = plan.writable;
  full.push_back(plan.workspace);
  const bool is_full = std::ranges::any_of(full, [&](const std::string& place) {
    return is_within(place, directory) || is_within(directory, place) || is_within(place, "/tmp") ||
           is_within(place, "/var/tmp");
  });
  return kMakeDevices | (is_full ? kMakeNames : 0);
}

}  // namespace

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
  return version > 0 ? static_cast<int>(version) : 0;
}

LandlockPlaces landlock_places(const Plan& plan, const Missing& missing) {
  LandlockPlaces places;
  if (plan.level == Level::kWorkspaceWrite) {
    places.directories = plan.writable;
    places.directories.push_back(plan.workspace);
    if (!plan.temporary.empty()) places.directories.push_back(plan.temporary);
  }
  const bool mounts = !contains(missing, Part::kMountNamespace);
  const bool own_dev = mounts && !contains(missing, Part::kMinimalDev);
  // With mounts these are private to the command; without, they are shared with the machine.
  if (mounts) places.directories.insert(places.directories.end(), {"/tmp", "/var/tmp", "/run", "/var/run"});
  if (own_dev) {
    places.directories.emplace_back("/dev/shm");
    places.openings.emplace_back("/dev");
  } else {
    for (const char* name : {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"})
      places.openings.push_back(concat("/dev/", name));
  }
  if (mounts && !contains(missing, Part::kPrivateProc)) places.openings.emplace_back("/proc");
  return places;
}

Expected<void> enforce_landlock(const Plan& plan, const Missing& missing) {
  const int version = landlock_version();
  if (version == 0)
    return fail(part_error(Part::kLandlock, "use it", errno,
                           "It needs Linux 5.13 or newer; if it is disabled, add landlock to the kernel's "
                           "lsm= parameter."));
  const std::uint64_t handled = handled_rights(version);
  RulesetAttributes attributes{.file_system = handled};
  if (version >= 4 && !plan.network && contains(missing, Part::kNetworkNamespace))
    attributes.network = kBindTcp | kConnectTcp;
  if (version >= 6) attributes.scoped = kScopeAbstractSocket | kScopeSignal;
  const UniqueFd ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size_for(version), 0)));
  if (!ruleset) return fail(part_error(Part::kLandlock, "create its rules", errno));
  const LandlockPlaces places = landlock_places(plan, missing);
  for (const std::string& path : places.directories)
    if (const int error = allow(ruleset.get(), path, handled & ~denied_in(plan, path)); error != 0)
      return fail(part_error(Part::kLandlock, concat("allow writing to ", path), error));
  for (const std::string& path : places.openings)
    if (const int error = allow(ruleset.get(), path, handled & kFileRights); error != 0)
      return fail(part_error(Part::kLandlock, concat("allow writing to ", path), error));
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0)
    return fail(part_error(Part::kLandlock, "enforce its rules", errno));
  return {};
}

}  // namespace helve::sandbox
