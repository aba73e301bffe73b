#include "store/sqlite_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/strings.h"
#include "store/sqlite_parts.h"

namespace helve::store {
namespace {

std::size_t size_on_disk(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(std::unique_ptr<SqliteConnection> connection)
      : connection_(std::move(connection)),
        snippets_(*connection_),
        sessions_(*connection_),
        history_(*connection_) {}

  Snippets& snippets() override { return snippets_; }
  SessionRecords& sessions() override { return sessions_; }
  HistoryIndex& history() override { return history_; }

  Expected<StoreHealth> check() override {
    StoreHealth health;
    auto checked = connection_->run_outside_transaction([&](Database& database) -> Expected<void> {
      auto problems = database.check(Database::Depth::kFull);
      if (!problems) return fail(std::move(problems).error());
      health.problems = *std::move(problems);
      auto missing = database.integer("SELECT count(*) FROM pragma_foreign_key_check");
      if (missing && *missing > 0)
        health.problems.push_back(
            concat(count_of(static_cast<std::size_t>(*missing), "row"), " without an owner"));
      const auto version = database.integer("PRAGMA user_version");
      const auto snippets = database.integer("SELECT count(*) FROM snippets");
      const auto sessions = database.integer("SELECT count(*) FROM sessions");
      // A damaged database may not be able to answer these queries.
      health.version = version.value_or(0);
      health.snippets = static_cast<std::size_t>(snippets.value_or(0));
      health.sessions = static_cast<std::size_t>(sessions.value_or(0));
      return {};
    });
    if (!checked) return fail(std::move(checked).error());
    const DatabaseFiles& files = connection_->files();
    health.bytes = size_on_disk(files.database()) + size_on_disk(files.log());
    return health;
  }

  Expected<std::string> back_up(const std::string& wanted) override {
    const DatabaseFiles& files = connection_->files();
    std::string path = wanted;
    if (path.empty()) {
      if (auto made = make_private_directories(files.backups()); !made) return fail(std::move(made).error());
      path = free_path(files.backups(), concat("helve-", file_timestamp()), ".db");
    } else if (::access(path.c_str(), F_OK) == 0) {
      return fail(ErrorCode::kConflict, concat("The file ", path, " already exists."),
                  "Choose a path that does not exist yet.");
    }
    auto copied =
        connection_->run_outside_transaction([&](Database& database) { return database.copy_to(path); });
    if (!copied) return fail(std::move(copied).error());
    return path;
  }

 private:
  std::unique_ptr<SqliteConnection> connection_;
  SqliteSnippets snippets_;
  SqliteSessions sessions_;
  SqliteHistory history_;
};

}  // namespace

Expected<std::unique_ptr<Store>> open_sqlite_store(const SqliteOptions& options) {
  auto connection = SqliteConnection::open(options);
  if (!connection) return fail(std::move(connection).error());
  return std::make_unique<SqliteStore>(*std::move(connection));
}

}  // namespace helve::store
