#include "sandbox/resource_limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/file_io.h"
#include "base/strings.h"

namespace helve::sandbox {
namespace {

// Never above the hard limit that the caller has.
int lower(decltype(RLIMIT_CORE) kind, rlim_t soft, rlim_t hard) {
  rlimit limit{};
  if (::getrlimit(kind, &limit) != 0) return errno;
  limit.rlim_max = std::min(limit.rlim_max, hard);
  limit.rlim_cur = std::min(soft, limit.rlim_max);
  return ::setrlimit(kind, &limit) == 0 ? 0 : errno;
}

struct Wish {
  decltype(RLIMIT_CORE) kind;
  std::uint64_t amount;
  std::string_view what;
};

}  // namespace

Expected<void> set_resource_limits(const Limits& limits) {
  static_cast<void>(lower(RLIMIT_CORE, 0, 0));  // a core file would carry what the walls hide
  for (const Wish& wish : {Wish{RLIMIT_NPROC, limits.processes, "the number of processes"},
                           Wish{RLIMIT_DATA, limits.in_cgroup ? 0 : limits.memory_bytes, "memory"},
                           Wish{RLIMIT_NOFILE, limits.open_files, "the number of open files"},
                           Wish{RLIMIT_FSIZE, limits.file_bytes, "the size of files"},
                           Wish{RLIMIT_CPU, limits.cpu_seconds, "CPU time"}}) {
    if (wish.amount == 0) continue;
    // Past the soft limit of CPU time comes a signal that can be handled; a little later one that cannot.
    const rlim_t hard = wish.kind == RLIMIT_CPU ? wish.amount + 2 : wish.amount;
    if (const int error = lower(wish.kind, wish.amount, hard); error != 0)
      return fail(system_error(concat("Cannot limit ", wish.what), error));
  }
  return {};
}

}  // namespace helve::sandbox
