// The default store: one SQLite file shared by all processes of a user.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "store/store.h"

namespace helve::store {

struct SqliteOptions {
  std::string directory = {};  // created with private permissions if missing
  // How long to wait for other processes before failing with DATABASE_BUSY.
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  bool full_text_search = true;  // false: search without FTS5
};

// Creates the database if it is missing. A damaged database is renamed and reported, and stays missing until
// restore_database() (store/restore.h). A database of a newer Helve is refused.
[[nodiscard]] Expected<std::unique_ptr<Store>> open_sqlite_store(const SqliteOptions& options);

}  // namespace helve::store
