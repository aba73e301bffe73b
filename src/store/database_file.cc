#include "store/database_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/clock.h"
#include "base/file_lock.h"
#include "base/strings.h"
#include "store/sqlite.h"

namespace helve::store {
namespace {

bool path_exists(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

// Sorted by modification time, then by name.
std::vector<std::string> newest_first(const std::string& directory, std::string_view beginning,
                                      std::string_view ending) {
  std::vector<std::pair<std::string, std::string>> found;  // by date
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(directory, unreadable)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(beginning) || !name.ends_with(ending) || name.ends_with("-wal") ||
        name.ends_with("-shm"))
      continue;
    struct stat status{};
    if (::stat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const std::string order = std::to_string(status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec);
    found.emplace_back(concat(std::string(20 - std::min<std::size_t>(20, order.size()), '0'), order, name),
                       entry.path().string());
  }
  std::ranges::sort(found, std::greater());
  std::vector<std::string> paths;
  for (auto& [order, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace

std::string file_timestamp() {
  const std::string stamp = utc_timestamp();  // 2026-11-15T03:42:07.123Z
  return concat(replace_all(replace_all(stamp.substr(0, 19), "-", ""), ":", ""), "Z");
}

std::string free_path(const std::string& directory, const std::string& stem, const std::string& extension) {
  std::string path = concat(directory, "/", stem, extension);
  for (int number = 2; path_exists(path); ++number)
    path = concat(directory, "/", stem, "-", number, extension);
  return path;
}

bool DatabaseFiles::exists() const { return path_exists(database()); }

std::vector<std::string> DatabaseFiles::list_backups() const { return newest_first(backups(), "", ".db"); }

std::vector<std::string> DatabaseFiles::list_damaged() const {
  return newest_first(directory, "helve.db.damaged-", "");
}

Expected<std::string> DatabaseFiles::set_aside(std::string_view reason) const {
  std::string kept = free_path(directory, concat("helve.db.", reason, "-", file_timestamp()), "");
  // Rename the log first: without its log the database is only older, but the log is useless without the
  // database.
  if (path_exists(log()) && ::rename(log().c_str(), concat(kept, "-wal").c_str()) != 0)
    return fail(system_error(concat("Cannot rename ", log()), errno));
  if (::rename(database().c_str(), kept.c_str()) != 0)
    return fail(system_error(concat("Cannot rename ", database()), errno));
  ::unlink(concat(database(), "-shm").c_str());  // SQLite recreates this index of the log
  const UniqueFd parent(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent) ::fsync(parent.get());
  return kept;
}

Error damage_error(const DatabaseFiles& files, const std::string& kept, std::string_view problem) {
  const std::vector<std::string> backups = files.list_backups();
  std::string hint = "Nothing was deleted. Run helve snippets restore to rebuild it from ";
  if (!backups.empty()) hint += concat("the backup ", backups.front(), " and ");
  hint += "the readable rows of the damaged file, or add --anew to start empty.";
  return {
      .code = ErrorCode::kUnavailable,
      .message = concat("The database ", files.database(), " was found damaged", problem.empty() ? "" : " (",
                        problem, problem.empty() ? "" : ")", " and is kept as ", kept, "."),
      .hint = std::move(hint),
      .details = JsonObject{{"kept", kept}, {"backup", backups.empty() ? Json() : Json(backups.front())}},
      .kind = ErrorKind::kDatabaseDamaged};
}

Expected<DatabaseLock> DatabaseLock::open(const DatabaseFiles& files) {
  UniqueFd fd(::open(files.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) {
    Error error = system_error(concat("Cannot open ", files.lock()), errno);
    error.code = ErrorCode::kUnavailable;
    error.hint = concat("Helve stores snippets and sessions in ", files.directory,
                        ". Make it writable, or set XDG_DATA_HOME to another directory.");
    error.kind = ErrorKind::kNotWritable;
    return fail(std::move(error));
  }
  return DatabaseLock(std::move(fd), files);
}

Expected<void> DatabaseLock::wait_for(int operation, std::chrono::milliseconds timeout) {
  // Continue without locks if the file system has none: they only protect creation and damage checks.
  if (wait_for_lock(fd_.get(), operation, timeout) != EWOULDBLOCK) return {};
  Error error{ErrorCode::kUnavailable,
              concat("The database ", files_.database(), " is in use by another process."),
              "Try again after the other processes that use Helve have ended."};
  error.transient = true;
  error.kind = ErrorKind::kDatabaseBusy;
  return fail(std::move(error));
}

bool DatabaseLock::try_lock_exclusive() { return try_exclusive_lock(fd_.get()); }
Expected<void> DatabaseLock::lock_exclusive(std::chrono::milliseconds timeout) {
  return wait_for(LOCK_EX, timeout);
}
Expected<void> DatabaseLock::lock_shared(std::chrono::milliseconds timeout) {
  return wait_for(LOCK_SH, timeout);
}

bool DatabaseLock::was_left_open() const {
  struct stat status{};
  if (::fstat(fd_.get(), &status) == 0 && status.st_size > 0) return true;
  return ::stat(files_.log().c_str(), &status) == 0 && status.st_size > 0;
}

void DatabaseLock::mark_as_open() const {
  [[maybe_unused]] const auto written = ::pwrite(fd_.get(), "open\n", 5, 0);
}

void DatabaseLock::close() {
  if (!fd_) return;
  if (try_lock_exclusive()) [[maybe_unused]]
    const int emptied = ::ftruncate(fd_.get(), 0);
  fd_.reset();
}

}  // namespace helve::store
