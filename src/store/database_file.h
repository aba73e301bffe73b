// The files of a database: their names, who has them open, how the last one ended, and what is kept aside.
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

  // Whole paths, newest first.
  [[nodiscard]] std::vector<std::string> list_backups() const;
  // Damaged databases that were kept, newest first; whole paths.
  [[nodiscard]] std::vector<std::string> list_damaged() const;

  // Gives the database and its log another name: helve.db.REASON-20261115T134501Z. Returns the new path.
  // Whoever does that must be alone.
  [[nodiscard]] Expected<std::string> keep_aside(std::string_view reason) const;
};

// 20261115T134501Z
[[nodiscard]] std::string date_for_names();
// A path that is not taken yet: DIRECTORY/STEM.EXTENSION, else DIRECTORY/STEM-2.EXTENSION and so on.
[[nodiscard]] std::string free_path(const std::string& directory, const std::string& stem,
                                    const std::string& extension);

// DATABASE_DAMAGED for whoever wanted to use a database that was found damaged and is kept elsewhere.
[[nodiscard]] Error damage_error(const DatabaseFiles& files, const std::string& kept,
                                 std::string_view problem);

// Says to other processes that this one has the database open, and remembers whether everybody closed it
// properly. Owned by the store; not for use from several threads.
class DatabaseLock {
 public:
  [[nodiscard]] static Expected<DatabaseLock> open(const DatabaseFiles& files);

  // True when nobody else has the database open; then nobody can open it until share() or the end.
  [[nodiscard]] bool try_alone();
  [[nodiscard]] Expected<void> wait_until_alone(std::chrono::milliseconds patience);
  // Waits for whoever is alone with it.
  [[nodiscard]] Expected<void> share(std::chrono::milliseconds patience);

  // For whoever is alone: whether those who had it open last did not close it.
  [[nodiscard]] bool was_left_open() const;
  void mark_as_open() const;
  // After the database is closed: the last one takes the mark away.
  void close();

 private:
  DatabaseLock(UniqueFd fd, DatabaseFiles files) : fd_(std::move(fd)), files_(std::move(files)) {}
  [[nodiscard]] Expected<void> wait_for(int operation, std::chrono::milliseconds patience);

  UniqueFd fd_;
  DatabaseFiles files_;
};

}  // namespace helve::store
