#include "store/schema.h"

#include <array>

#include "base/strings.h"

namespace helve::store {
namespace {

// `revision` counts all changes, so "newest first" does not depend on the clock.
// `snippet_words` holds the texts split into search words (store/code_words.h).
constexpr const char* kSnippets = R"(
CREATE TABLE snippets (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  code TEXT NOT NULL,
  description TEXT NOT NULL,
  language TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  created TEXT NOT NULL,
  updated TEXT NOT NULL,
  revision INTEGER NOT NULL UNIQUE
) STRICT;
CREATE TABLE snippet_tags (
  number INTEGER PRIMARY KEY,
  snippet INTEGER NOT NULL REFERENCES snippets(number) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  UNIQUE (snippet, tag)
) STRICT;
CREATE INDEX snippet_tags_by_tag ON snippet_tags(tag COLLATE NOCASE);
CREATE TABLE snippet_words (
  number INTEGER PRIMARY KEY REFERENCES snippets(number) ON DELETE CASCADE,
  name TEXT NOT NULL,
  about TEXT NOT NULL,
  code TEXT NOT NULL
) STRICT;
CREATE TABLE search_state (
  number INTEGER PRIMARY KEY CHECK (number = 1),
  behind INTEGER NOT NULL
) STRICT;
INSERT INTO search_state VALUES (1, 1);
)";

constexpr const char* kSessions = R"(
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  workspace TEXT NOT NULL,
  model TEXT NOT NULL,
  state TEXT NOT NULL,
  created TEXT NOT NULL,
  updated TEXT NOT NULL,
  revision INTEGER NOT NULL UNIQUE,
  last_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_of_workspace ON sessions(workspace, revision);
CREATE TABLE session_events (
  number INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions(number) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  time TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (session, seq)
) STRICT;
CREATE TABLE history (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  time TEXT NOT NULL,
  workspace TEXT NOT NULL,
  session TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  words TEXT NOT NULL
) STRICT;
CREATE INDEX history_of_workspace ON history(workspace, number);
CREATE INDEX history_of_session ON history(session, number);
CREATE INDEX history_of_subject ON history(subject, number);
)";

constexpr std::array kMigrations{Migration{1, kSnippets}, Migration{2, kSessions}};

Expected<std::int64_t> version_of(Database& database) { return database.integer("PRAGMA user_version"); }

Expected<void> apply(Database& database, std::int64_t version) {
  // Another process may have migrated the database in the meantime.
  const auto current = version_of(database);
  if (!current) return fail(current.error());
  if (*current >= version) return {};
  for (const Migration& migration : kMigrations) {
    if (migration.version <= *current || migration.version > version) continue;
    if (auto done = database.run_script(migration.script); !done) return done;
  }
  // PRAGMA accepts no bound values. Both values are our own numbers, so concatenation is safe.
  return database.run_script(
      concat("PRAGMA application_id = ", kApplicationId, "; PRAGMA user_version = ", version));
}

// Runs `work` in a transaction; for schema work only. User data goes through SqliteConnection::use().
template <class Work>
Expected<void> in_transaction(Database& database, const Work& work) {
  if (auto begun = database.run("BEGIN IMMEDIATE"); !begun) return begun;
  auto done = work();
  if (done) done = database.run("COMMIT");
  if (!done) (void)database.run("ROLLBACK");
  return done;
}

constexpr const char* kCreateIndex =
    "CREATE VIRTUAL TABLE snippet_index USING fts5(name, about, code, content = 'snippet_words', "
    "content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2')";

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }
std::int64_t newest_version() { return kMigrations.back().version; }

Expected<std::int64_t> check_version(Database& database, const std::string& path) {
  const auto application = database.integer("PRAGMA application_id");
  if (!application) return fail(application.error());
  const auto version = version_of(database);
  if (!version) return version;
  const auto tables = database.integer("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tables;
  // A new database gets its name only when it is complete, so an empty one has lost its content.
  if (*application == 0 && *version == 0 && *tables == 0)
    return fail(ErrorKind::kDatabaseDamaged, ErrorCode::kExecutionFailed,
                concat("The database ", path, " is damaged: it is empty."));
  if (*application != kApplicationId)
    return fail(ErrorKind::kDatabaseForeign, ErrorCode::kUnavailable,
                concat(path, " is the database of another program."),
                "Move it; Helve needs this path for its own database.");
  if (*version > newest_version())
    return fail(
        ErrorKind::kDatabaseNewer, ErrorCode::kUnavailable,
        concat("The database ", path, " has version ", *version,
               ", written by a newer Helve; this one supports versions up to ", newest_version(), "."),
        "Use the newer Helve, or set XDG_DATA_HOME to another directory for this one.",
        JsonObject{{"version", *version}, {"known", newest_version()}});
  return version;
}

Expected<void> migrate(Database& database, std::int64_t version) {
  return in_transaction(database, [&] { return apply(database, version); });
}

Expected<void> prepare_search(Database& database) {
  const auto behind = database.integer("SELECT behind FROM search_state", {}, 1);
  if (!behind) return fail(behind.error());
  if (*behind == 0) return {};
  return rebuild_search(database);
}

Expected<void> rebuild_search(Database& database) {
  return in_transaction(database, [&]() -> Expected<void> {
    // The existing index may be damaged, so it is dropped rather than updated.
    auto done = database.run("DROP TABLE IF EXISTS snippet_index");
    if (done) done = database.run(kCreateIndex);
    if (done) done = database.run("INSERT INTO snippet_index(snippet_index) VALUES ('rebuild')");
    if (done) done = database.run("UPDATE search_state SET behind = 0");
    return done;
  });
}

}  // namespace helve::store
