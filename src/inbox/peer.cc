#include "inbox/peer.h"

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/to_number.h"

namespace helve::inbox {
namespace {

struct ProcessStatus {
  pid_t parent = 0;
  int filters = 0;
};

std::optional<ProcessStatus> status_of(pid_t process) {
  const UniqueFd file(::open(concat("/proc/", process, "/status").c_str(), O_RDONLY | O_CLOEXEC));
  constexpr std::size_t kMost = 16'384;
  auto text = file ? read_all(file.get(), kMost) : fail(ErrorCode::kNotFound, "");
  if (!text) return std::nullopt;
  ProcessStatus status;
  bool has_parent = false;
  int mode = 0;
  bool counts_filters = false;
  for (const std::string_view line : split(*text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto number = to_number<int>(trim(line.substr(colon + 1)));
    if (!number) continue;
    const std::string_view name = line.substr(0, colon);
    if (name == "PPid") {
      status.parent = *number;
      has_parent = true;
    } else if (name == "Seccomp") {
      mode = *number;
    } else if (name == "Seccomp_filters") {
      status.filters = *number;
      counts_filters = true;
    }
  }
  if (!counts_filters) status.filters = mode != 0 ? 1 : 0;
  return has_parent ? std::optional(status) : std::nullopt;
}

}  // namespace

bool may_answer(pid_t process) {
  const pid_t self = ::getpid();
  const auto own = status_of(self);
  const auto peer = status_of(process);
  if (!own || !peer || peer->filters > own->filters) return false;
  constexpr int kDeepest = 1000;
  auto ancestor = peer;
  for (int depth = 0; ancestor && ancestor->parent > 1 && depth < kDeepest; ++depth) {
    if (ancestor->parent == self) return false;
    ancestor = status_of(ancestor->parent);
  }
  return true;
}

}  // namespace helve::inbox
