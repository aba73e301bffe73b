#include "core/session_files.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "base/file_io.h"
#include "base/file_lock.h"
#include "base/strings.h"

namespace helve::core {
namespace {

namespace fs = std::filesystem;

struct OldSession {
  fs::path path;
  fs::file_time_type last_used;
  std::uintmax_t bytes = 0;
};

OldSession inspect(const fs::path& path) {
  std::error_code ignored;
  OldSession session{path, fs::last_write_time(path, ignored)};
  for (fs::recursive_directory_iterator entry(path, ignored), end; entry != end; entry.increment(ignored)) {
    if (!entry->is_regular_file(ignored) || entry->is_symlink(ignored)) continue;
    session.bytes += entry->file_size(ignored);
    session.last_used = std::max(session.last_used, entry->last_write_time(ignored));
  }
  return session;
}

// A session may last for months, as the shell's does. Its jobs' /tmp is not touched.
void remove_old_outputs(const fs::path& session, fs::file_time_type oldest) {
  std::error_code error;
  std::vector<fs::path> old;
  for (fs::recursive_directory_iterator entry(session / "output", error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_regular_file(error) && !entry->is_symlink(error) && entry->last_write_time(error) < oldest)
      old.push_back(entry->path());
  for (const fs::path& path : old) fs::remove(path, error);
}

// Locks the directory, so that a new user waits until it is removed. Nothing if it is in use.
UniqueFd claim(const fs::path& session) {
  UniqueFd directory(::open(session.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (directory && !try_exclusive_lock(directory.get())) directory.reset();
  return directory;
}

}  // namespace

std::string sessions_directory(const std::string& state_directory) {
  return concat(state_directory, "/sessions");
}

Expected<void> remove_session_files(const std::string& session_directory) {
  std::error_code error;
  if (!fs::exists(session_directory, error)) return {};
  const UniqueFd claimed = claim(session_directory);
  if (!claimed)
    return fail(ErrorCode::kConflict, "The session is in use.", "End the program that works in it first.");
  fs::remove_all(session_directory, error);
  if (error)
    return fail(ErrorCode::kExecutionFailed,
                concat("Cannot remove ", session_directory, ": ", error.message(), "."));
  return {};
}

void remove_old_session_files(const std::string& sessions_directory, const ResultSettings& settings,
                              std::string_view current, Logger& logger) {
  std::error_code error;
  std::vector<OldSession> sessions;
  for (fs::directory_iterator entry(sessions_directory, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_directory(error) && !entry->is_symlink(error) && entry->path().filename() != current)
      sessions.push_back(inspect(entry->path()));
  std::ranges::sort(sessions, std::greater(), &OldSession::last_used);

  const auto oldest = fs::file_time_type::clock::now() - std::chrono::days(settings.keep_days);
  const std::uintmax_t space = static_cast<std::uintmax_t>(settings.keep_megabytes) << 20;
  remove_old_outputs(fs::path(sessions_directory) / current, oldest);
  std::uintmax_t used = 0;
  for (const OldSession& session : sessions) {
    used += session.bytes;
    if (session.last_used >= oldest && used <= space) continue;
    const UniqueFd claimed = claim(session.path);
    if (!claimed) continue;
    fs::remove_all(session.path, error);
    if (error)
      logger.warning("An old session could not be removed",
                     {{"path", session.path.string()}, {"error", error.message()}});
  }
}

}  // namespace helve::core
