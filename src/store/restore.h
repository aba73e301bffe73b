// Begins again after damage: from a backup, from what a damaged database still gives, or from nothing.
#pragma once

#include <chrono>
#include <string>

#include "helve/error.h"

namespace helve::store {

struct RestoreOptions {
  std::string directory = {};  // of the store
  std::string backup = {};     // empty: the newest, if there is one
  bool anew = false;           // begin with nothing
  std::chrono::milliseconds patience = std::chrono::seconds(30);
};

struct RestoreReport {
  std::string backup = {};     // that it began with; empty when there was none
  std::string salvaged = {};   // the damaged database from which rows were taken; empty when there was none
  std::string replaced = {};   // where the database that was there is now; empty when there was none
  std::size_t rows = 0;        // taken from the damaged one
  std::size_t unreadable = 0;  // that could not be
  std::size_t snippets = 0;    // there now
  std::size_t sessions = 0;
};

// Nobody may have the store open. Nothing is deleted: a database that is there is given another name. A
// backup that is named stands for itself; without a name, what can still be read of the newest damaged
// database is added to the newest backup.
[[nodiscard]] Expected<RestoreReport> restore_database(const RestoreOptions& options);

}  // namespace helve::store
