// The tables of the database, and how an older one becomes the one that this program wants.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "store/sqlite.h"

namespace helve::store {

// Says in the file's header whose it is: "HELV".
inline constexpr std::int64_t kApplicationId = 0x48454C56;

struct Migration {
  std::int64_t version;  // what the database has once the script has run
  const char* script;
};

[[nodiscard]] std::span<const Migration> migrations();
[[nodiscard]] std::int64_t newest_version();

// The version that a database has. Fails with kForeign for one that is not ours, with kNewer for one that a
// later program made, with kDamaged for one without anything in it.
[[nodiscard]] Expected<std::int64_t> check_version(Database& database, const std::string& path);

// Brings the database to `version`, in one transaction; nothing to do is no error.
[[nodiscard]] Expected<void> migrate(Database& database, std::int64_t version = newest_version());

// The index for full-text search lies beside the tables: it can be made from them at any time, and is missing
// where SQLite cannot do that. Makes it when it is missing or behind.
[[nodiscard]] Expected<void> prepare_search(Database& database);
// Makes it again from the tables.
[[nodiscard]] Expected<void> rebuild_search(Database& database);

}  // namespace helve::store
