#include "base/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/strings.h"

namespace helve {

Expected<UniqueFd> lock_directory(const std::string& path) {
  constexpr std::chrono::milliseconds kPause(10);
  constexpr int kMostPauses = 500;
  UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return fail(system_error(concat("Cannot open ", path), errno));
  for (int pauses = 0; ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0; ++pauses) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return fail(system_error(concat("Cannot lock ", path), errno));
    if (pauses == kMostPauses)
      return fail(ErrorCode::kUnavailable, concat("Another process keeps changing ", path, "."),
                  "Try again.");
    std::this_thread::sleep_for(kPause);
  }
  return directory;
}

}  // namespace helve
