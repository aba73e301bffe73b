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

// A check at the start must not make people wait; a file too large for it is checked by command.
constexpr std::chrono::milliseconds kCheckLimit = std::chrono::seconds(5);

Error with_details(Error error, std::string_view addition) {
  error.message += addition;
  return error;
}

void keep_private(const std::string& path) {
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

Expected<void> SqliteConnection::patiently(const std::function<Expected<void>()>& step) {
  const auto give_up = Clock::now() + options_.patience;
  for (int attempt = 0;; ++attempt) {
    auto done = step();
    if (done || !is_trouble(done.error(), kBusy) || Clock::now() >= give_up) return done;
    wait_a_little(attempt);
  }
}

Expected<void> SqliteConnection::connect() {
  if (auto made = make_private_directories(files_.directory); !made) {
    made.error().code = ErrorCode::kUnavailable;
    made.error().hint =
        "Helve keeps snippets and sessions there; set XDG_DATA_HOME to a directory it may write.";
    return made;
  }
  auto lock = DatabaseLock::open(files_);
  if (!lock) return fail(std::move(lock).error());
  lock_ = *std::move(lock);
  bool alone = lock_->try_alone();
  if (!alone)
    if (auto shared = lock_->share(options_.patience); !shared) return shared;
  if (!alone && !files_.exists()) {
    if (auto locked = lock_->wait_until_alone(options_.patience); !locked) return locked;
    alone = true;
  }
  auto connected = connect_holding_lock(alone);
  if (connected) return connected;
  if (is_trouble(connected.error(), kDamaged) && !connected.error().details.find("kept"))
    connected = fail(after_damage(connected.error()));
  disconnect();
  return connected;
}

// Being alone means that the file can be made, checked after a crash, or put aside.
Expected<void> SqliteConnection::connect_holding_lock(bool alone) {
  if (!files_.exists()) {
    if (const auto damaged = files_.list_damaged(); !damaged.empty())
      return fail(damage_error(files_, damaged.front(), ""));
    if (auto made = make_database(); !made) return made;
  }
  keep_private(files_.database());
  const bool suspicious = alone && lock_->was_left_open();
  auto opened = Database::open(files_.database(), {.patience = options_.patience});
  if (!opened) return fail(std::move(opened).error());
  database_ = *std::move(opened);
  // Before anything is written: whose it is, and whether it is one.
  auto done = patiently([&]() -> Expected<void> {
    const auto version = check_version(*database_, files_.database());
    if (!version) return fail(version.error());
    return {};
  });
  if (!done) return done;
  // Switching to the log and reading one that a crash left behind can meet others who do the same.
  done = patiently([&] { return configure(*database_); });
  if (!done) return done;
  if (suspicious) {
    const auto problems = database_->check(Database::Depth::kQuick, kCheckLimit);
    if (!problems && !is_trouble(problems.error(), kInterrupted)) return fail(problems.error());
    if (problems && !problems->empty())
      return fail(ErrorCode::kExecutionFailed,
                  concat("The database ", files_.database(), " is damaged: ", problems->front(), "."), {},
                  JsonObject{{"kind", kDamaged}});
  }
  done = update_tables();
  if (!done || !alone) return done;
  lock_->mark_as_open();
  return lock_->share(options_.patience);
}

Expected<void> SqliteConnection::make_database() {
  // Whole before it gets its name: whoever finds the name finds a database. What crashes left is removed.
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
        files_.backups(), concat("before-version-", newest_version(), "-", date_for_names()), ".db");
    if (done = database_->copy_to(backup); !done)
      return fail(with_details(done.error(), " It has to be backed up before its tables can be changed."));
    done = patiently([&] { return migrate(*database_); });
    if (!done) return done;
  }
  if (!has_search_) return {};
  done = patiently([&] { return prepare_search(*database_); });
  return done;
}

Expected<void> SqliteConnection::once(Access access, const Work& work) {
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
  auto done = patiently([&] { return once(access, work); });
  if (!done && is_trouble(done.error(), kIndexDamaged)) {
    // Nothing is lost with the index.
    auto rebuilt = patiently([&] { return rebuild_search(*database_); });
    if (rebuilt) done = patiently([&] { return once(access, work); });
  }
  if (!done && (is_trouble(done.error(), kDamaged) || is_trouble(done.error(), kIndexDamaged)))
    return fail(after_damage(done.error()));
  return done;
}

Expected<void> SqliteConnection::perform_alone(const std::function<Expected<void>(Database&)>& work) {
  const std::lock_guard guard(mutex_);
  if (!database_)
    if (auto connected = connect(); !connected) return connected;
  return patiently([&] { return work(*database_); });
}

// Keeps the damaged file out of everybody's way, without losing a byte of it.
Error SqliteConnection::after_damage(const Error& damage) {
  database_.reset();
  if (!lock_->try_alone()) {
    disconnect();
    Error error = damage;
    error.code = ErrorCode::kUnavailable;
    error.hint = "Other programs have it open. End them and run helve snippets check; the file is kept.";
    return error;
  }
  // The file itself has to say so: what this process has read may have been wrong for other reasons.
  {
    auto again = Database::open(files_.database(), {.patience = options_.patience});
    auto problems = again ? again->check(Database::Depth::kQuick) : fail(again.error());
    const auto version = problems && problems->empty() ? check_version(*again, files_.database()) : 0;
    if (problems && problems->empty() && version) {
      disconnect();
      return with_details(damage, " A second look found nothing wrong; try again.");
    }
  }
  const auto kept = files_.keep_aside("damaged");
  disconnect();
  if (!kept) return with_details(damage, concat(" It could not be put aside: ", kept.error().message));
  std::string_view problem = damage.message;
  if (const std::size_t colon = problem.find(" is damaged: "); colon != std::string_view::npos)
    problem.remove_prefix(colon + std::string_view(" is damaged: ").size());
  while (problem.ends_with('.')) problem.remove_suffix(1);
  return damage_error(files_, *kept, problem);
}

}  // namespace helve::store
