// The database schema and its migrations.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "store/sqlite.h"

namespace helve::store {

// Identifies Helve's databases in the file header: "HELV".
inline constexpr std::int64_t kApplicationId = 0x48454C56;

struct Migration {
  std::int64_t version;  // after the script has run
  const char* script;
};

[[nodiscard]] std::span<const Migration> migrations();
[[nodiscard]] std::int64_t newest_version();

// The schema version of a database. Fails with kDatabaseForeign for another program's database, with
// kDatabaseNewer for a newer version, and with kDatabaseDamaged for an empty file.
[[nodiscard]] Expected<std::int64_t> check_version(Database& database, const std::string& path);

// Migrates the database to `version` in one transaction; does nothing if it is up to date.
[[nodiscard]] Expected<void> migrate(Database& database, std::int64_t version = newest_version());

// Creates the full-text index if it is missing or out of date. The index is derived from the tables and is
// absent when SQLite lacks FTS5.
[[nodiscard]] Expected<void> prepare_search(Database& database);
// Rebuilds the index from the tables.
[[nodiscard]] Expected<void> rebuild_search(Database& database);

}  // namespace helve::store
