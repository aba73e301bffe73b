// Tests with damaged, foreign, newer or inaccessible databases, and how to recover from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/strings.h"
#include "store/database_file.h"
#include "store/restore.h"
#include "store/sqlite.h"
#include "store/testing.h"

namespace helve::store {
namespace {

class SqliteDamageTest : public ::testing::Test {
 protected:
  // Many snippets, so that damage hits data, all in the main file rather than the log.
  void fill(int count = 200) {
    auto store = open_store(directory_.path());
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE(store->snippets().save(
          {.name = concat("s", i), .code = concat("code ", i, std::string(500, 'x'))}));
  }
  Expected<std::unique_ptr<Store>> open() { return open_sqlite_store({.directory = directory_.path()}); }
  // Opens the store and reads everything. Returns the error of either step.
  Error trouble() {
    auto store = open();
    if (!store) return store.error();
    for (int i = 0; i < 1000; ++i) {
      auto loaded = (*store)->snippets().load(concat("s", i));
      if (!loaded && loaded.error().code != ErrorCode::kNotFound) return loaded.error();
    }
    return {ErrorCode::kUnknownTool, "none"};
  }
  // Runs in another process.
  int save_and_crash() {
    auto store = open();
    if (!store) return 1;
    Store& never_closed = *store->release();
    return never_closed.snippets().save({.name = "last", .code = "x"}) ? 0 : 1;
  }
  std::vector<std::string> kept() const { return DatabaseFiles{directory_.path()}.list_damaged(); }

  // Expects that the damage is reported repeatedly, that the bytes are unchanged, and that no new database
  // exists.
  void expect_kept_aside() {
    const std::string damaged = directory_.read("helve.db");
    const Error error = trouble();
    EXPECT_EQ(error.code, ErrorCode::kUnavailable) << error.message;
    EXPECT_EQ(error.kind, ErrorKind::kDatabaseDamaged) << error.message;
    ASSERT_EQ(kept().size(), 1U) << error.message;
    EXPECT_THAT(error.message, ::testing::HasSubstr(concat(" and is kept as ", kept().front())));
    EXPECT_THAT(error.hint, ::testing::HasSubstr("helve snippets restore"));
    EXPECT_FALSE(std::filesystem::exists(directory_.at("helve.db")));
    std::ifstream in(kept().front(), std::ios::binary);
    EXPECT_TRUE(std::string(std::istreambuf_iterator<char>(in), {}) == damaged);
    EXPECT_EQ(trouble().kind, ErrorKind::kDatabaseDamaged);
    EXPECT_EQ(kept().size(), 1U);
  }

  TestDirectory directory_;
};

TEST_F(SqliteDamageTest, SetsATruncatedFileAside) {
  fill();
  const std::string bytes = directory_.read("helve.db");
  directory_.write("helve.db", bytes.substr(0, bytes.size() / 2));
  expect_kept_aside();
}

TEST_F(SqliteDamageTest, SetsAnEmptyFileAside) {
  fill(3);
  directory_.write("helve.db", "");
  expect_kept_aside();
}

TEST_F(SqliteDamageTest, SetsAFileOfZeroBytesAside) {
  fill(3);
  directory_.write("helve.db", std::string(directory_.read("helve.db").size(), '\0'));
  expect_kept_aside();
}

TEST_F(SqliteDamageTest, SetsAFileThatIsNotADatabaseAside) {
  directory_.write("helve.db", std::string(5000, 'n'));
  expect_kept_aside();
}

TEST_F(SqliteDamageTest, SetsAFileWithFlippedBytesAsideWhenReadingThem) {
  fill();
  std::string bytes = directory_.read("helve.db");
  for (std::size_t page = 8192; page + 4096 <= bytes.size(); page += 4096)
    for (std::size_t i = 0; i < 64; ++i) bytes[page + i] = static_cast<char>(~bytes[page + i]);
  directory_.write("helve.db", bytes);
  expect_kept_aside();
}

TEST_F(SqliteDamageTest, ChecksTheFileAfterACrash) {
  fill();
  ASSERT_EQ(in_child([&] { return save_and_crash(); }), 0);
  EXPECT_EQ(directory_.read("helve.lock"), "open\n");
  ASSERT_GT(directory_.read("helve.db-wal").size(), 0U);
  {
    auto store = open_store(directory_.path());
    EXPECT_TRUE(store->snippets().load("last"));  // nothing was lost
  }
  EXPECT_EQ(directory_.read("helve.lock"), "");
  // With the open mark left behind, the check also finds damage in places that are not read otherwise.
  directory_.write("helve.lock", "open\n");
  std::string bytes = directory_.read("helve.db");
  const std::size_t leaf = bytes.size() / 4096 / 2 * 4096;
  for (std::size_t i = 0; i < 16; ++i) bytes[leaf + i] = '\xFF';
  directory_.write("helve.db", bytes);
  const auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kDatabaseDamaged) << opened.error().message;
}

TEST_F(SqliteDamageTest, ALostLogLosesOnlyItsOwnContent) {
  fill(3);
  ASSERT_EQ(in_child([&] { return save_and_crash(); }), 0);
  std::filesystem::remove(directory_.at("helve.db-wal"));
  std::filesystem::remove(directory_.at("helve.db-shm"));
  auto store = open_store(directory_.path());
  ASSERT_TRUE(store);
  EXPECT_TRUE(store->snippets().load("s2"));
  EXPECT_FALSE(store->snippets().load("last"));
  EXPECT_TRUE(store->check()->problems.empty());
}

TEST_F(SqliteDamageTest, RebuildsADamagedIndex) {
  fill(3);
  {
    auto database = Database::open(directory_.at("helve.db"), {}).value();
    ASSERT_TRUE(database.run("DROP TABLE snippet_index"));
    ASSERT_TRUE(database.run("UPDATE search_state SET behind = 1"));
  }
  auto store = open_store(directory_.path());
  EXPECT_EQ(store->snippets().list({.query = "code"})->total, 3U);
  // A process without full-text search writes while this one uses the index.
  auto plain = open_sqlite_store({.directory = directory_.path(), .full_text_search = false}).value();
  ASSERT_TRUE(plain->snippets().save({.name = "s1", .code = "different"}));
  EXPECT_EQ(store->snippets().list({.query = "code"})->total, 2U);
  EXPECT_EQ(store->snippets().list({.query = "different"})->total, 1U);
  EXPECT_TRUE(store->snippets().remove("s1"));
  EXPECT_TRUE(store->check()->problems.empty());
}

TEST_F(SqliteDamageTest, RestoreSalvagesReadableRows) {
  fill();
  std::string bytes = directory_.read("helve.db");
  const std::size_t leaf = bytes.size() / 4096 * 3 / 4 * 4096;
  for (std::size_t i = 0; i < 4096; ++i) bytes[leaf + i] = '\xFF';
  directory_.write("helve.db", bytes);
  directory_.write("helve.lock", "open\n");
  ASSERT_FALSE(open());
  const auto report = restore_database({.directory = directory_.path()});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->salvaged, kept().front());
  EXPECT_GT(report->snippets, 150U);
  EXPECT_LE(report->snippets, 200U);
  auto store = open_store(directory_.path());
  const auto health = store->check().value();
  EXPECT_EQ(health.problems, std::vector<std::string>{});
  EXPECT_EQ(health.snippets, report->snippets);
  EXPECT_EQ(store->snippets().list({.query = "code"})->total, health.snippets);
  EXPECT_EQ(kept().size(), 1U);  // nothing was deleted
}

TEST_F(SqliteDamageTest, RestoreAddsReadableRowsToTheNewestBackup) {
  fill(3);
  const std::string backup = open_store(directory_.path())->back_up().value();
  fill(5);
  directory_.write("helve.db", "gone");
  const Error error = trouble();
  EXPECT_THAT(error.hint, ::testing::HasSubstr(concat("the backup ", backup)));
  const auto report = restore_database({.directory = directory_.path()}).value();
  EXPECT_EQ(report.backup, backup);
  EXPECT_EQ(report.salvaged, "");
  EXPECT_EQ(report.snippets, 3U);
  EXPECT_TRUE(open_store(directory_.path())->snippets().load("s2"));
  // An intact database is replaced only by a named backup.
  EXPECT_EQ(restore_database({.directory = directory_.path()}).error().code, ErrorCode::kConflict);
  const auto anew = restore_database({.directory = directory_.path(), .anew = true}).value();
  EXPECT_TRUE(std::filesystem::exists(anew.replaced));
  EXPECT_EQ(open_store(directory_.path())->snippets().list({})->total, 0U);
  EXPECT_EQ(restore_database({.directory = directory_.path(), .backup = anew.replaced})->snippets, 3U);
  EXPECT_FALSE(restore_database({.directory = directory_.path(), .backup = kept().front()}));
  EXPECT_TRUE(open_store(directory_.path())->snippets().load("s2"));
}

TEST_F(SqliteDamageTest, RestoreWaitsUntilNoProcessHasTheStoreOpen) {
  fill(1);
  auto store = open_store(directory_.path());
  const auto report = restore_database(
      {.directory = directory_.path(), .anew = true, .timeout = std::chrono::milliseconds(20)});
  EXPECT_EQ(report.error().kind, ErrorKind::kDatabaseBusy);
  EXPECT_TRUE(store->snippets().load("s0"));
}

TEST_F(SqliteDamageTest, RefusesANewerDatabaseAndLeavesItUnchanged) {
  fill(1);
  {
    auto database = Database::open(directory_.at("helve.db"), {}).value();
    ASSERT_TRUE(database.run("PRAGMA user_version = 99"));
  }
  const auto opened = open();
  EXPECT_EQ(opened.error().kind, ErrorKind::kDatabaseNewer);
  EXPECT_THAT(
      opened.error().message,
      ::testing::HasSubstr("has version 99, written by a newer Helve; this one supports versions up to 2"));
  EXPECT_TRUE(std::filesystem::exists(directory_.at("helve.db")));
  EXPECT_TRUE(kept().empty());
}

TEST_F(SqliteDamageTest, RefusesADatabaseOfAnotherProgramAndLeavesItUnchanged) {
  {
    auto database = Database::open(directory_.at("helve.db"), {.create = true}).value();
    ASSERT_TRUE(database.run("CREATE TABLE theirs (x)"));
  }
  EXPECT_EQ(open().error().kind, ErrorKind::kDatabaseForeign);
  auto database = Database::open(directory_.at("helve.db"), {}).value();
  EXPECT_EQ(database.integer("SELECT count(*) FROM theirs").value(), 0);
}

TEST_F(SqliteDamageTest, AFullDiskSavesNothingAndDamagesNothing) {
  fill(3);
  const std::string big(std::size_t{4} << 20, 'x');
  const int code = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    auto store = open();
    if (!store) return 2;
    const rlimit limit{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto saved = (*store)->snippets().save({.name = "big", .code = big});
    if (saved || saved.error().kind != ErrorKind::kDiskFull) return 3;
    if (saved.error().message.find("nothing was saved") == std::string::npos) return 4;
    return (*store)->snippets().load("s1") ? 0 : 5;
  });
  EXPECT_EQ(code, 0);
  auto store = open_store(directory_.path());
  EXPECT_EQ(store->snippets().list({})->total, 3U);
  EXPECT_TRUE(store->check()->problems.empty());
  EXPECT_TRUE(kept().empty());
}

TEST_F(SqliteDamageTest, DoesNotReportAnUnwritableDatabaseAsDamaged) {
  fill(1);
  ::chmod(directory_.path().c_str(), 0555);
  const int code = in_child([&] {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 2;
    auto opened = open();
    if (opened || opened.error().kind != ErrorKind::kNotWritable) return 3;
    return opened.error().hint.find("XDG_DATA_HOME") != std::string::npos ? 0 : 4;
  });
  ::chmod(directory_.path().c_str(), 0755);
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(kept().empty());
  EXPECT_TRUE(open_store(directory_.path())->snippets().load("s0"));
}

TEST_F(SqliteDamageTest, FilesArePrivateToTheUser) {
  const std::string below = directory_.at("data/helve");
  auto store = open_store(below);
  ASSERT_TRUE(store->snippets().save({.name = "a", .code = "x"}));
  const std::string backup = store->back_up().value();
  const auto mode = [](const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0U;
  };
  for (const std::string& path :
       {below + "/helve.db", below + "/helve.db-wal", below + "/helve.lock", backup})
    EXPECT_EQ(mode(path), 0600U) << path;
  EXPECT_EQ(mode(below), 0700U);
  EXPECT_EQ(mode(below + "/backups"), 0700U);
}

}  // namespace
}  // namespace helve::store
