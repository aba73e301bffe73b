#include "store/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "base/file_io.h"
#include "base/strings.h"

namespace helve::store {
namespace {

using Clock = std::chrono::steady_clock;

ErrorKind kind_of(int code) {
  if (code == SQLITE_CORRUPT_VTAB) return ErrorKind::kIndexDamaged;
  if (code == SQLITE_CANTOPEN_ISDIR || code == SQLITE_READONLY_DBMOVED) return ErrorKind::kNotWritable;
  switch (code & 0xFF) {
    // PROTOCOL can occur when many processes open a write-ahead log at once.
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: return ErrorKind::kDatabaseBusy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorKind::kDatabaseDamaged;
    case SQLITE_FULL: return ErrorKind::kDiskFull;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN: return ErrorKind::kNotWritable;
    case SQLITE_INTERRUPT: return ErrorKind::kDatabaseInterrupted;
    default:
      return code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC ? ErrorKind::kDiskFull
                                                                      : ErrorKind::kDatabaseError;
  }
}

Error error_of(int code, const std::string& path, std::string_view text) {
  const ErrorKind kind = kind_of(code);
  Error error{.details = JsonObject{{"sqliteCode", code}}, .kind = kind};
  if (kind == ErrorKind::kDatabaseBusy) {
    error.code = ErrorCode::kUnavailable;
    error.message = concat("The database ", path, " is in use by another process: ", text, ".");
    error.hint = "Try again in a moment.";
    error.transient = true;
  } else if (kind == ErrorKind::kDatabaseDamaged || kind == ErrorKind::kIndexDamaged) {
    error.message = concat("The database ", path, " is damaged: ", text, ".");
  } else if (kind == ErrorKind::kDiskFull) {
    error.code = ErrorCode::kUnavailable;
    error.message = concat("The database ", path, " could not be written (", text, "); nothing was saved.");
    error.hint = "Free disk space or raise the file size limit, then try again.";
  } else if (kind == ErrorKind::kNotWritable) {
    error.code = ErrorCode::kUnavailable;
    error.message = concat("The database ", path, " cannot be opened for writing: ", text, ".");
    error.hint = "Make the file and its directory writable for this user.";
  } else {
    error.message = concat("The database ", path, " reported an error: ", text, ".");
  }
  return error;
}

}  // namespace

void back_off(int attempt) {
  thread_local std::minstd_rand generator{std::random_device()()};
  const int most = 1 << std::min(attempt, 6);
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::uniform_int_distribution(200, most * 1000)(generator)));
}

std::string escaped_for_like(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

bool has_full_text_search() { return sqlite3_compileoption_used("ENABLE_FTS5") != 0; }

struct Database::Connection {
  Connection(sqlite3* the_handle, std::string the_path, std::chrono::milliseconds the_timeout)
      : handle(the_handle), path(std::move(the_path)), timeout(the_timeout) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { sqlite3_close_v2(handle); }

  [[nodiscard]] std::unexpected<Error> failed(int code) const {
    // sqlite3_errmsg describes the last call, which is not always the one that returned `code`.
    const bool same = (sqlite3_extended_errcode(handle) & 0xFF) == (code & 0xFF);
    return fail(error_of(same ? sqlite3_extended_errcode(handle) : code, path,
                         same ? sqlite3_errmsg(handle) : sqlite3_errstr(code)));
  }

  // Called by SQLite while a statement waits for a lock.
  static int on_busy(void* self, int attempt) {
    auto& connection = *static_cast<Connection*>(self);
    if (attempt == 0) connection.busy_since = Clock::now();
    if (Clock::now() - connection.busy_since >= connection.timeout) return 0;
    back_off(attempt);
    return 1;
  }
  static int on_progress(void* self) {
    return Clock::now() >= static_cast<Connection*>(self)->stop_at ? 1 : 0;
  }

  sqlite3* handle;
  std::string path;
  std::chrono::milliseconds timeout;
  Clock::time_point busy_since;
  Clock::time_point stop_at = Clock::time_point::max();
};

namespace {

// Owns a prepared statement.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  [[nodiscard]] int bind(const Values& values) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Value& value = values[i];
      const int place = static_cast<int>(i) + 1;
      // SQLite binds a null pointer as NULL, and an empty view may have one.
      const char* const text = value.text.data() != nullptr ? value.text.data() : "";
      const int code = value.is_text ? sqlite3_bind_text64(statement_, place, text, value.text.size(),
                                                           SQLITE_STATIC, SQLITE_UTF8)
                                     : sqlite3_bind_int64(statement_, place, value.integer);
      if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
  }
  [[nodiscard]] sqlite3_stmt* get() const { return statement_; }

 private:
  sqlite3_stmt* statement_;
};

}  // namespace

std::string Row::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  const int bytes = sqlite3_column_bytes(statement_, column);
  return text == nullptr ? std::string() : std::string(text, static_cast<std::size_t>(bytes));
}

std::int64_t Row::integer(int column) const { return sqlite3_column_int64(statement_, column); }
int Row::columns() const { return sqlite3_column_count(statement_); }
bool Row::is_integer(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_INTEGER; }

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Expected<Database> Database::open(const std::string& path, const Options& options) {
  if (options.create) {
    // Create it with private permissions; SQLite gives its other files the same mode.
    const UniqueFd created(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!created) return fail(system_error(concat("Cannot create ", path), errno));
  }
  sqlite3* handle = nullptr;
  const int flags = (options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX |
                    SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  Database database(std::make_unique<Connection>(handle, path, options.timeout));
  Connection& connection = *database.connection_;
  if (code != SQLITE_OK) {
    if (handle == nullptr) return fail(error_of(code, path, sqlite3_errstr(code)));
    return connection.failed(code);
  }
  sqlite3_busy_handler(handle, &Connection::on_busy, &connection);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  return database;
}

Expected<void> Database::each(std::string_view sql, const Values& values,
                              const std::function<void(const Row&)>& on_row) {
  sqlite3_stmt* prepared = nullptr;
  int code =
      sqlite3_prepare_v2(connection_->handle, sql.data(), static_cast<int>(sql.size()), &prepared, nullptr);
  const Statement statement(prepared);
  if (code == SQLITE_OK) code = statement.bind(values);
  if (code != SQLITE_OK) return connection_->failed(code);
  while ((code = sqlite3_step(statement.get())) == SQLITE_ROW)
    if (on_row) on_row(Row(statement.get()));
  if (code != SQLITE_DONE) return connection_->failed(code);
  return {};
}

Expected<void> Database::run(std::string_view sql, const Values& values) { return each(sql, values, {}); }

Expected<std::int64_t> Database::integer(std::string_view sql, const Values& values, std::int64_t otherwise) {
  std::int64_t result = otherwise;
  auto done = each(sql, values, [&](const Row& row) { result = row.integer(0); });
  if (!done) return fail(std::move(done).error());
  return result;
}

Expected<std::string> Database::text(std::string_view sql, const Values& values) {
  std::string result;
  auto done = each(sql, values, [&](const Row& row) { result = row.text(0); });
  if (!done) return fail(std::move(done).error());
  return result;
}

Expected<void> Database::run_script(const std::string& sql) {
  const int code = sqlite3_exec(connection_->handle, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return connection_->failed(code);
  return {};
}

std::int64_t Database::changed_rows() const { return sqlite3_changes64(connection_->handle); }
std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(connection_->handle); }

Expected<std::vector<std::string>> Database::check(Depth depth, std::chrono::milliseconds time_limit) {
  if (time_limit != std::chrono::milliseconds::max()) {
    connection_->stop_at = Clock::now() + time_limit;
    sqlite3_progress_handler(connection_->handle, 10'000, &Connection::on_progress, connection_.get());
  }
  std::vector<std::string> problems;
  auto done = each(depth == Depth::kQuick ? "PRAGMA quick_check(20)" : "PRAGMA integrity_check(20)", {},
                   [&](const Row& row) {
                     if (std::string text = row.text(0); text != "ok") problems.push_back(std::move(text));
                   });
  sqlite3_progress_handler(connection_->handle, 0, nullptr, nullptr);
  if (!done && done.error().kind == ErrorKind::kDatabaseDamaged) {
    problems.push_back(done.error().message);
    return problems;
  }
  if (!done) return fail(std::move(done).error());
  return problems;
}

namespace {

// Copies all pages in one step, for a consistent copy; retries while the database is busy.
int copy_pages(sqlite3* from, sqlite3* into, std::chrono::milliseconds timeout) {
  sqlite3_backup* const backup = sqlite3_backup_init(into, "main", from, "main");
  if (backup == nullptr) return sqlite3_extended_errcode(into);
  const auto give_up = Clock::now() + timeout;
  int code = SQLITE_OK;
  for (int attempt = 0;; ++attempt) {
    code = sqlite3_backup_step(backup, -1);
    if (kind_of(code) != ErrorKind::kDatabaseBusy || Clock::now() >= give_up) break;
    back_off(attempt);
  }
  sqlite3_backup_finish(backup);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

}  // namespace

Expected<void> Database::copy_to(const std::string& path) {
  auto target = open(path, {.create = true});
  if (!target) return fail(std::move(target).error());
  const int code = copy_pages(connection_->handle, target->connection_->handle, connection_->timeout);
  Expected<void> done;
  if (code != SQLITE_OK)
    done = fail(error_of(code, kind_of(code) == ErrorKind::kDatabaseDamaged ? connection_->path : path,
                         sqlite3_errstr(code)));
  // The copy inherits WAL mode from the original; switch it off so that it is a single file.
  if (done) done = target->run("PRAGMA journal_mode = DELETE");
  if (!done) ::unlink(path.c_str());  // an incomplete copy is useless
  return done;
}

}  // namespace helve::store
