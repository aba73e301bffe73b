#include "base/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>

namespace helve {
namespace {

// A higher limit would slow down programs that iterate over all possible descriptors.
constexpr rlim_t kEnough = 65'536;

std::atomic<std::uint64_t>& usual() {
  static std::atomic<std::uint64_t> limit = 0;
  return limit;
}

}  // namespace

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = std::min(limit.rlim_max, kEnough);
  if (limit.rlim_cur <= before || ::setrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  usual() = before;
}

std::uint64_t usual_descriptor_limit() { return usual(); }

void restore_descriptor_limit(std::uint64_t usual) {
  rlimit limit{};
  if (usual == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(usual, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace helve
