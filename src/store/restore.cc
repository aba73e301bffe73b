#include "store/restore.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <set>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "store/code_words.h"
#include "store/database_file.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace helve::store {
namespace {

// Parents before children. The words of snippets are rebuilt instead of copied.
constexpr std::array<std::string_view, 5> kTables{"snippets", "snippet_tags", "sessions", "session_events",
                                                  "history"};

// The row numbers that can be reached from either end of the table's tree.
std::set<std::int64_t> numbers_of(Database& damaged, std::string_view table) {
  std::set<std::int64_t> numbers;
  for (const std::string_view order : {"ASC", "DESC"})
    // A failure ends the walk; rows found before it count.
    (void)damaged.each(concat("SELECT number FROM ", table, " NOT INDEXED ORDER BY number ", order), {},
                       [&](const Row& row) { numbers.insert(row.integer(0)); });
  return numbers;
}

struct Cell {
  std::string text;
  std::int64_t integer = 0;
  bool is_text = true;
};

std::vector<Cell> read_row(Database& damaged, std::string_view table, std::int64_t number) {
  std::vector<Cell> cells;
  auto read = damaged.each(concat("SELECT * FROM ", table, " NOT INDEXED WHERE number = ?"), {number},
                           [&](const Row& row) {
                             for (int column = 0; column < row.columns(); ++column)
                               if (row.is_integer(column))
                                 cells.push_back({.integer = row.integer(column), .is_text = false});
                               else
                                 cells.push_back({.text = row.text(column)});
                           });
  if (!read) cells.clear();
  return cells;
}

// Copies row by row, so that an unreadable row does not affect others.
void salvage_rows(Database& damaged, Database& database, std::string_view table, RestoreReport& report) {
  for (const std::int64_t number : numbers_of(damaged, table)) {
    const std::vector<Cell> cells = read_row(damaged, table, number);
    Values values;
    std::string places;
    for (const Cell& cell : cells) {
      values.push_back(cell.is_text ? Value(cell.text) : Value(cell.integer));
      places += places.empty() ? "?" : ", ?";
    }
    const bool taken =
        !cells.empty() &&
        database.run(concat("INSERT OR REPLACE INTO ", table, " VALUES (", places, ")"), values);
    ++(taken ? report.rows : report.unreadable);
  }
}

struct Texts {
  std::int64_t number = 0;
  std::string name;
  std::string about;
  std::string code;
};

Expected<void> rebuild_words(Database& database) {
  std::vector<Texts> all;
  auto done = database.each(
      "SELECT number, name, description || ' ' || language || ' ' || coalesce((SELECT group_concat(tag, ' ') "
      "FROM snippet_tags t WHERE t.snippet = s.number), ''), code FROM snippets s",
      {}, [&](const Row& row) {
        all.push_back(
            {row.integer(0), code_words(row.text(1)), code_words(row.text(2)), code_words(row.text(3))});
      });
  if (done) done = database.run("DELETE FROM snippet_words");
  for (const Texts& texts : all)
    if (done)
      done = database.run("INSERT INTO snippet_words(number, name, about, code) VALUES (?, ?, ?, ?)",
                          {texts.number, texts.name, texts.about, texts.code});
  if (done) done = database.run("UPDATE search_state SET behind = 1");
  return done;
}

// A temporary copy of the damaged database, because opening a database can change it.
class Copy {
 public:
  explicit Copy(const std::string& path) : path_(concat(path, ".", random_id("copy"))) {
    std::error_code missing;
    std::filesystem::copy_file(path, path_, missing);
    std::filesystem::copy_file(concat(path, "-wal"), concat(path_, "-wal"), missing);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() {
    for (const std::string_view part : {"", "-wal", "-shm"}) ::unlink(concat(path_, part).c_str());
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Expected<void> salvage(Database& database, const std::string& path, RestoreReport& report) {
  const Copy copy(path);
  auto damaged = Database::open(copy.path(), {});
  if (!damaged) return {};  // nothing can be read
  auto done = database.run("PRAGMA foreign_keys = OFF");
  if (done) done = database.run("BEGIN IMMEDIATE");
  if (!done) return done;
  for (const std::string_view table : kTables) salvage_rows(*damaged, database, table, report);
  // Remove children whose parent rows could not be read.
  done = database.run("DELETE FROM snippet_tags WHERE snippet NOT IN (SELECT number FROM snippets)");
  if (done)
    done = database.run("DELETE FROM session_events WHERE session NOT IN (SELECT number FROM sessions)");
  if (done)
    done = database.run(
        "UPDATE sessions SET last_seq = max(last_seq, coalesce("
        "(SELECT max(seq) FROM session_events e WHERE e.session = sessions.number), 0))");
  if (done) done = rebuild_words(database);
  if (done) done = database.run("COMMIT");
  if (!done) (void)database.run("ROLLBACK");
  if (done && report.rows > 0) report.salvaged = path;
  return done;
}

Expected<void> copy_backup(const std::string& backup, const std::string& unfinished) {
  auto source = Database::open(backup, {.read_only = true});
  if (!source) return fail(std::move(source).error());
  const auto problems = source->check(Database::Depth::kFull);
  if (!problems) return fail(problems.error());
  if (!problems->empty())
    return fail(ErrorCode::kInvalidArgument,
                concat("The backup ", backup, " is damaged as well: ", problems->front(), "."),
                "Choose another backup. Nothing was changed.");
  if (const auto version = check_version(*source, backup); !version) return fail(version.error());
  return source->copy_to(unfinished);
}

Expected<void> build(const std::string& unfinished, const std::string& damaged, RestoreReport& report) {
  if (!report.backup.empty())
    if (auto begun = copy_backup(report.backup, unfinished); !begun) return begun;
  auto database = Database::open(unfinished, {.create = report.backup.empty()});
  if (!database) return fail(std::move(database).error());
  auto done = migrate(*database);
  if (done && !damaged.empty()) done = salvage(*database, damaged, report);
  if (!done) return done;
  report.snippets = static_cast<std::size_t>(database->integer("SELECT count(*) FROM snippets").value_or(0));
  report.sessions = static_cast<std::size_t>(database->integer("SELECT count(*) FROM sessions").value_or(0));
  return database->run("PRAGMA journal_mode = WAL");
}

}  // namespace

Expected<RestoreReport> restore_database(const RestoreOptions& options) {
  const DatabaseFiles files{options.directory};
  if (auto made = make_private_directories(files.directory); !made) return fail(std::move(made).error());
  auto lock = DatabaseLock::open(files);
  if (!lock) return fail(std::move(lock).error());
  if (auto locked = lock->lock_exclusive(options.timeout); !locked) return fail(std::move(locked).error());

  const std::vector<std::string> backups = files.list_backups();
  const std::vector<std::string> damaged = files.list_damaged();
  RestoreReport report{.backup = options.backup};
  const bool choose = options.backup.empty() && !options.anew;
  if (choose && files.exists())
    return fail(ErrorCode::kConflict,
                concat("The database ", files.database(), " exists, so there is nothing to restore."),
                backups.empty()
                    ? "Run helve snippets check to look for damage."
                    : concat("To go back to a backup, pass its path, for example ", backups.front(), "."));
  if (choose && !backups.empty()) report.backup = backups.front();

  const std::string unfinished = concat(files.directory, "/helve.db.", random_id("new"));
  auto built = build(unfinished, choose && !damaged.empty() ? damaged.front() : "", report);
  if (built && files.exists()) {
    auto kept = files.set_aside("replaced");
    if (kept) report.replaced = *kept;
    if (!kept) built = fail(std::move(kept).error());
  }
  if (built && ::rename(unfinished.c_str(), files.database().c_str()) != 0)
    built = fail(system_error(concat("Cannot create ", files.database()), errno));
  if (!built) {
    ::unlink(unfinished.c_str());
    return fail(std::move(built).error());
  }
  lock->close();
  return report;
}

}  // namespace helve::store
