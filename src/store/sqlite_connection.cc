#include "store/sqlite_connection.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/clock.h"
#include "base/strings.h"
#include "store/schema.h"

namespace helve::store {
namespace {

using Clock = std::chrono::steady_clock;

// The check at startup must be short. Larger files are checked with `helve snippets check`.
constexpr std::chrono::milliseconds kCheckLimit = std::chrono::seconds(5);

Error with_addition(Error error, std::string_view addition) {
  error.message += addition;
  return error;
}

void make_private(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && (status.st_mode & 077) != 0) ::chmod(path.c_str(), 0600);
}

Expected<void> configure(Database& database) {
  auto done = database.run("PRAGMA journal_mode = WAL");
  if (done) done = database.run("PRAGMA synchronous = FULL");
  if (done) done = database.run("PRAGMA cell_size_check = ON");
  if (done) done = database.run("PRAGMA journal_size_limit = 16777216");
  return done;
}

}  // namespace

SqliteConnection::SqliteConnection(const SqliteOptions& options)
    : options_(options),
      files_{options.directory},
      has_search_(options.full_text_search && has_full_text_search()) {}

SqliteConnection::~SqliteConnection() { disconnect(); }

void SqliteConnection::disconnect() {
  database_.reset();
  if (lock_) lock_->close();
  lock_.reset();
}

Expected<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const SqliteOptions& options) {
  std::unique_ptr<SqliteConnection> connection(new SqliteConnection(options));
  if (auto connected = connection->connect(); !connected) return fail(std::move(connected).error());
  return connection;
}

Expected<void> SqliteConnection::retry_while_busy(const std::function<Expected<void>()>& step) {
  const auto give_up = Clock::now() + options_.timeout;
  for (int attempt = 0;; ++attempt) {
    auto done = step();
    if (done || done.error().kind != ErrorKind::kDatabaseBusy || Clock::now() >= give_up) return done;
    back_off(attempt);
  }
}

Expected<void> SqliteConnection::connect() {
  if (auto made = make_private_directories(files_.directory); !made) {
    made.error().code = ErrorCode::kUnavailable;
    made.error().hint =
        "Helve stores snippets and sessions there. Set XDG_DATA_HOME to a writable directory.";
    return made;
  }
  auto lock = DatabaseLock::open(files_);
  if (!lock) return fail(std::move(lock).error());
  lock_ = *std::move(lock);
  bool exclusive = lock_->try_lock_exclusive();
  if (!exclusive)
    if (auto shared = lock_->lock_shared(options_.timeout); !shared) return shared;
  if (!exclusive && !files_.exists()) {
    if (auto locked = lock_->lock_exclusive(options_.timeout); !locked) return locked;
    exclusive = true;
  }
  if (!files_.exists())
    if (const auto damaged = files_.list_damaged(); !damaged.empty()) {
      disconnect();
      return fail(damage_error(files_, damaged.front(), ""));
    }
  auto connected = connect_holding_lock(exclusive);
  if (connected) return connected;
  if (connected.error().kind == ErrorKind::kDatabaseDamaged)
    connected = fail(handle_damage(connected.error()));
  disconnect();
  return connected;
}

// With the exclusive lock the file can be created, checked after a crash, or set aside.
Expected<void> SqliteConnection::connect_holding_lock(bool exclusive) {
  if (!files_.exists())
    if (auto made = create_database(); !made) return made;
  make_private(files_.database());
  const bool suspicious = exclusive && lock_->was_left_open();
  auto opened = Database::open(files_.database(), {.timeout = options_.timeout});
  if (!opened) return fail(std::move(opened).error());
  database_ = *std::move(opened);
  // Before the first write, check that the file is a database of Helve.
  auto done = retry_while_busy([&]() -> Expected<void> {
    const auto version = check_version(*database_, files_.database());
    if (!version) return fail(version.error());
    return {};
  });
  if (!done) return done;
  // Switching to WAL mode or recovering a log can collide with other processes that do the same.
  done = retry_while_busy([&] { return configure(*database_); });
  if (!done) return done;
  if (suspicious) {
    const auto problems = database_->check(Database::Depth::kQuick, kCheckLimit);
    if (!problems && problems.error().kind != ErrorKind::kDatabaseInterrupted) return fail(problems.error());
    if (problems && !problems->empty())
      return fail(ErrorKind::kDatabaseDamaged, ErrorCode::kExecutionFailed,
                  concat("The database ", files_.database(), " is damaged: ", problems->front(), "."));
  }
  done = update_tables();
  if (!done || !exclusive) return done;
  lock_->mark_as_open();
  return lock_->lock_shared(options_.timeout);
}

Expected<void> SqliteConnection::create_database() {
  // Build the file under a temporary name, so that other processes never see an incomplete database. First
  // remove the remains of crashes.
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(files_.directory, ignored))
    if (entry.path().filename().string().starts_with("helve.db.new_"))
      std::filesystem::remove(entry.path(), ignored);
  const std::string unfinished = concat(files_.directory, "/helve.db.", random_id("new"));
  {
    auto database = Database::open(unfinished, {.create = true});
    if (!database) return fail(std::move(database).error());
    auto done = migrate(*database);
    if (done) done = database->run("PRAGMA journal_mode = WAL");
    if (!done) {
      ::unlink(unfinished.c_str());
      return done;
    }
  }
  if (::rename(unfinished.c_str(), files_.database().c_str()) != 0)
    return fail(system_error(concat("Cannot create ", files_.database()), errno));
  const UniqueFd parent(::open(files_.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent) ::fsync(parent.get());
  return {};
}

Expected<void> SqliteConnection::update_tables() {
  const auto version = check_version(*database_, files_.database());
  if (!version) return fail(version.error());
  Expected<void> done;
  if (*version < newest_version()) {
    if (auto made = make_private_directories(files_.backups()); !made) return made;
    const std::string backup = free_path(
        files_.backups(), concat("before-version-", newest_version(), "-", file_timestamp()), ".db");
    if (done = database_->copy_to(backup); !done)
      return fail(with_addition(done.error(), " The database must be backed up before it can be upgraded."));
    done = retry_while_busy([&] { return migrate(*database_); });
    if (!done) return done;
  }
  if (!has_search_) return {};
  done = retry_while_busy([&] { return prepare_search(*database_); });
  return done;
}

Expected<void> SqliteConnection::run_once(Access access, const Work& work) {
  auto done = database_->run(access == Access::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
  if (!done) return done;
  done = work(*database_);
  if (done) done = database_->run("COMMIT");
  if (!done) (void)database_->run("ROLLBACK");
  return done;
}

Expected<void> SqliteConnection::perform(Access access, const Work& work) {
  const std::lock_guard guard(mutex_);
  if (!database_)
    if (auto connected = connect(); !connected) return connected;
  auto done = retry_while_busy([&] { return run_once(access, work); });
  if (!done && done.error().kind == ErrorKind::kIndexDamaged) {
    // The index holds no data of its own, so it can be rebuilt.
    auto rebuilt = retry_while_busy([&] { return rebuild_search(*database_); });
    if (rebuilt) done = retry_while_busy([&] { return run_once(access, work); });
  }
  if (!done &&
      (done.error().kind == ErrorKind::kDatabaseDamaged || done.error().kind == ErrorKind::kIndexDamaged))
    return fail(handle_damage(done.error()));
  return done;
}

Expected<void> SqliteConnection::run_outside_transaction(
    const std::function<Expected<void>(Database&)>& work) {
  const std::lock_guard guard(mutex_);
  if (!database_)
    if (auto connected = connect(); !connected) return connected;
  return retry_while_busy([&] { return work(*database_); });
}

// Sets the damaged file aside unchanged.
Error SqliteConnection::handle_damage(const Error& damage) {
  database_.reset();
  if (!lock_->try_lock_exclusive()) {
    disconnect();
    Error error = damage;
    error.code = ErrorCode::kUnavailable;
    error.hint =
        "Other processes have it open. End them and run helve snippets check. The file is unchanged.";
    return error;
  }
  // Check the file again: this process may have read wrong data for other reasons.
  {
    auto again = Database::open(files_.database(), {.timeout = options_.timeout});
    auto problems = again ? again->check(Database::Depth::kQuick) : fail(again.error());
    const auto version = problems && problems->empty() ? check_version(*again, files_.database()) : 0;
    if (problems && problems->empty() && version) {
      disconnect();
      return with_addition(damage, " A second check found no damage; try again.");
    }
  }
  const auto kept = files_.set_aside("damaged");
  disconnect();
  if (!kept) return with_addition(damage, concat(" It could not be set aside: ", kept.error().message));
  std::string_view problem = damage.message;
  if (const std::size_t colon = problem.find(" is damaged: "); colon != std::string_view::npos)
    problem.remove_prefix(colon + std::string_view(" is damaged: ").size());
  while (problem.ends_with('.')) problem.remove_suffix(1);
  return damage_error(files_, *kept, problem);
}

}  // namespace helve::store
