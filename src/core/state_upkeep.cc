#include "core/state_upkeep.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/threads.h"
#include "core/session_files.h"
#include "core/shared_store.h"
#include "helve/runtime_class.h"
#include "helve/settings/agent.h"
#include "helve/settings/caches.h"
#include "helve/settings/history.h"
#include "helve/settings/log.h"
#include "helve/settings/results.h"
#include "settings/directories.h"
#include "store/database_file.h"

namespace helve::core {
namespace {

namespace fs = std::filesystem;
using FileTime = fs::file_time_type;

constexpr std::chrono::hours kPause{1};

FileTime days_ago(int days) { return FileTime::clock::now() - std::chrono::days(days); }

// The newest time in the directory, including its own.
FileTime newest_change(const fs::path& directory) {
  std::error_code error;
  FileTime newest = fs::last_write_time(directory, error);
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_symlink(ignored)) newest = std::max(newest, entry->last_write_time(ignored));
  }
  return newest;
}

// True when all changes are too old to be undone. A change that a crash interrupted keeps the history alive.
void remove_old_histories(const std::string& directory, int keep_days, Logger& logger) {
  std::error_code error;
  std::vector<fs::path> old;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored) || entry->is_symlink(ignored)) continue;
    const bool interrupted = !fs::is_empty(entry->path() / "active", ignored) && !ignored;
    if (!interrupted && newest_change(entry->path()) < days_ago(keep_days)) old.push_back(entry->path());
  }
  for (const fs::path& path : old) {
    fs::remove_all(path, error);
    if (error)
      logger.warning("An old history could not be removed",
                     {{"path", path.string()}, {"error", error.message()}});
  }
}

struct CacheFile {
  fs::path path;
  FileTime last_used;
  std::uintmax_t bytes = 0;
};

void remove_old_caches(const std::string& state_directory, const CacheSettings& settings) {
  std::vector<CacheFile> files;
  for (const std::string_view name : {"/code", "/mcp/tools"}) {
    std::error_code error;
    for (fs::directory_iterator entry(concat(state_directory, name), error), end; !error && entry != end;
         entry.increment(error)) {
      std::error_code ignored;
      if (entry->is_regular_file(ignored) && !entry->is_symlink(ignored))
        files.push_back({entry->path(), entry->last_write_time(ignored), entry->file_size(ignored)});
    }
  }
  std::ranges::sort(files, std::greater(), &CacheFile::last_used);
  std::uintmax_t used = 0;
  for (const CacheFile& file : files) {
    used += file.bytes;
    const bool fits = used <= static_cast<std::uintmax_t>(settings.keep_megabytes) << 20;
    std::error_code ignored;
    if (!fits || file.last_used < days_ago(settings.keep_days)) fs::remove(file.path, ignored);
  }
}

void remove_old_agent_sessions(const std::string& data_directory, int keep, Logger& logger) {
  if (keep == 0 || data_directory.empty()) return;
  const std::string directory = store_directory(data_directory);
  if (!store::DatabaseFiles{directory}.exists()) return;
  SharedStore shared(directory);
  const auto opened = shared.open();
  if (!opened) return;  // the first user reports the reason
  constexpr std::size_t kAtOnce = 100;
  for (;;) {
    const auto old = (*opened)->sessions().list({.most = kAtOnce, .skip = static_cast<std::size_t>(keep)});
    if (!old || old->sessions.empty()) return;
    for (const store::SessionRecord& session : old->sessions) {
      const auto removed = (*opened)->sessions().remove(session.id);
      if (removed) continue;
      logger.warning("An old session could not be removed",
                     {{"session", session.id}, {"error", removed.error().message}});
      return;
    }
  }
}

// Whether this process should clean up now. If so, no other process does for a while.
bool is_due(const std::string& state_directory) {
  const std::string mark = concat(state_directory, "/tidied");
  struct stat status{};
  const bool is_marked = ::stat(mark.c_str(), &status) == 0;
  const auto age = std::chrono::seconds(std::time(nullptr) - status.st_mtime);
  if (is_marked && age >= std::chrono::seconds(0) && age < kPause) return false;
  const UniqueFd file(::open(mark.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  return file && ::futimens(file.get(), nullptr) == 0 && is_marked;
}

}  // namespace

StatePlaces state_places(const Runtime& runtime) {
  return {.state_directory = runtime.state_directory(),
          .data_directory = settings::default_data_directory().value_or("")};
}

void tidy_state(const StatePlaces& places, const settings::Groups& settings) {
  Logger logger(settings.log.level, settings.log.format);
  remove_old_session_files(sessions_directory(places.state_directory), settings.results, "", logger);
  remove_old_histories(concat(places.state_directory, "/history"), settings.history.keep_days, logger);
  remove_old_caches(places.state_directory, settings.caches);
  remove_old_agent_sessions(places.data_directory, settings.agent.keep_sessions, logger);
}

void tidy_state_if_due(const StatePlaces& places, const settings::Groups& settings) {
  if (is_due(places.state_directory)) tidy_state(places, settings);
}

std::shared_ptr<void> keep_state_tidy(StatePlaces places, const Settings& settings,
                                      std::chrono::milliseconds begin) {
  if (places.state_directory.empty()) return nullptr;
  auto thread = std::make_shared<std::jthread>();
  const bool is_running =
      try_start_thread(*thread, [places = std::move(places), settings = settings::copy_of(settings),
                                 begin](const std::stop_token& stop) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any stopped;
        for (std::chrono::milliseconds pause = begin;; pause = kPause) {
          stopped.wait_for(lock, stop, pause, [] { return false; });
          if (stop.stop_requested()) return;
          tidy_state_if_due(places, *settings);
        }
      });
  return is_running ? thread : nullptr;
}

}  // namespace helve::core
