// The store that everybody has: one SQLite file that all processes of a user share.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "store/store.h"

namespace helve::store {

struct SqliteOptions {
  std::string directory = {};  // made when it is missing, for the user alone
  // How long to wait for other processes before saying that the database is in use.
  std::chrono::milliseconds patience = std::chrono::seconds(60);
  bool full_text_search = true;  // false: search as with a SQLite that has none
};

// Makes the database when there is none. One that is damaged is given another name and reported, and stays
// missing until restore_database() (store/restore.h); one of a newer version of Helve is refused.
[[nodiscard]] Expected<std::unique_ptr<Store>> open_sqlite_store(const SqliteOptions& options);

}  // namespace helve::store
