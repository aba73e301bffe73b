// The database's files: names, backups, damaged copies, and the lock that shows whether a process has it
// open.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::store {

struct DatabaseFiles {
  std::string directory;

  [[nodiscard]] std::string database() const { return directory + "/helve.db"; }
  [[nodiscard]] std::string log() const { return database() + "-wal"; }
  [[nodiscard]] std::string lock() const { return directory + "/helve.lock"; }
  [[nodiscard]] std::string backups() const { return directory + "/backups"; }
  [[nodiscard]] bool exists() const;

  // Absolute paths, newest first.
  [[nodiscard]] std::vector<std::string> list_backups() const;
  // Damaged databases that were set aside: absolute paths, newest first.
  [[nodiscard]] std::vector<std::string> list_damaged() const;

  // Renames the database and its log to helve.db.REASON-20261115T134501Z and returns the new path. The caller
  // must hold the exclusive lock.
  [[nodiscard]] Expected<std::string> set_aside(std::string_view reason) const;
};

// The current time for file names, such as 20261115T134501Z.
[[nodiscard]] std::string file_timestamp();
// An unused path: DIRECTORY/STEM.EXTENSION, else DIRECTORY/STEM-2.EXTENSION and so on.
[[nodiscard]] std::string free_path(const std::string& directory, const std::string& stem,
                                    const std::string& extension);

// The DATABASE_DAMAGED error for a database that was found damaged and set aside as `kept`.
[[nodiscard]] Error damage_error(const DatabaseFiles& files, const std::string& kept,
                                 std::string_view problem);

// Tells other processes that this one has the database open, and records whether all of them closed it
// properly. Owned by the store; used from one thread at a time.
class DatabaseLock {
 public:
  [[nodiscard]] static Expected<DatabaseLock> open(const DatabaseFiles& files);

  // Succeeds if no other process has the database open. None can open it until lock_shared() or close().
  [[nodiscard]] bool try_lock_exclusive();
  [[nodiscard]] Expected<void> lock_exclusive(std::chrono::milliseconds timeout);
  // Waits until no other process holds the exclusive lock.
  [[nodiscard]] Expected<void> lock_shared(std::chrono::milliseconds timeout);

  // Whether the last user did not close the database. Requires the exclusive lock.
  [[nodiscard]] bool was_left_open() const;
  void mark_as_open() const;
  // Call it after the database is closed. The last process removes the open mark.
  void close();

 private:
  DatabaseLock(UniqueFd fd, DatabaseFiles files) : fd_(std::move(fd)), files_(std::move(files)) {}
  [[nodiscard]] Expected<void> wait_for(int operation, std::chrono::milliseconds timeout);

  UniqueFd fd_;
  DatabaseFiles files_;
};

}  // namespace helve::store
