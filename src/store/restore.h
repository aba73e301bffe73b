// Rebuilds the database after damage: from a backup, from the readable rows of a damaged database, or empty.
#pragma once

#include <chrono>
#include <string>

#include "helve/error.h"

namespace helve::store {

struct RestoreOptions {
  std::string directory = {};  // of the store
  std::string backup = {};     // empty: the newest, if there is one
  bool anew = false;           // start with an empty database
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
};

struct RestoreReport {
  std::string backup = {};     // the backup used; may be empty
  std::string salvaged = {};   // the damaged database that rows were copied from; may be empty
  std::string replaced = {};   // the new path of the previous database; may be empty
  std::size_t rows = 0;        // rows copied from the damaged database
  std::size_t unreadable = 0;  // rows that could not be copied
  std::size_t snippets = 0;    // in the new database
  std::size_t sessions = 0;
};

// No process may have the store open. Nothing is deleted: an existing database is renamed. With a named
// backup, restores exactly that backup; otherwise adds the readable rows of the newest damaged database to
// the newest backup.
[[nodiscard]] Expected<RestoreReport> restore_database(const RestoreOptions& options);

}  // namespace helve::store
