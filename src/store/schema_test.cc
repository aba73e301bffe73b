#include "store/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "store/testing.h"

namespace helve::store {
namespace {

class SchemaTest : public ::testing::Test {
 protected:
  // A database of an older Helve: with snippets, without sessions.
  void make_version_one() {
    auto database = Database::open(directory_.at("helve.db"), {.create = true}).value();
    ASSERT_TRUE(migrate(database, 1));
    ASSERT_TRUE(database.run(
        "INSERT INTO snippets VALUES (1, 'snp_1', 'old', 'oldCode', '', '', 7, 1, 'then', 'then', 1)"));
    ASSERT_TRUE(database.run("INSERT INTO snippet_words VALUES (1, 'old', '', 'old code oldcode')"));
  }

  TestDirectory directory_;
};

TEST_F(SchemaTest, MigrationVersionsAreConsecutive) {
  std::int64_t expected = 1;
  for (const Migration& migration : migrations()) EXPECT_EQ(migration.version, expected++);
}

TEST_F(SchemaTest, BacksUpAndMigratesAnOlderDatabase) {
  make_version_one();
  auto store = open_store(directory_.path());
  ASSERT_TRUE(store);
  EXPECT_EQ(store->snippets().load("old")->code, "oldCode");
  EXPECT_EQ(store->snippets().list({.query = "code"})->total, 1U);
  EXPECT_TRUE(store->sessions().create({.id = "new"}));
  EXPECT_EQ(store->check()->version, newest_version());

  std::vector<std::string> backups;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.at("backups")))
    backups.push_back(entry.path());
  ASSERT_EQ(backups.size(), 1U);
  EXPECT_THAT(backups.front(), ::testing::HasSubstr("/before-version-2-"));
  auto backup = Database::open(backups.front(), {.read_only = true}).value();
  EXPECT_EQ(check_version(backup, "").value(), 1);
  EXPECT_EQ(backup.text("SELECT code FROM snippets").value(), "oldCode");
}

TEST_F(SchemaTest, AFailedMigrationChangesNothing) {
  make_version_one();
  {
    auto database = Database::open(directory_.at("helve.db"), {}).value();
    ASSERT_TRUE(database.run("CREATE TABLE history (in_the_way)"));
  }
  const auto opened = open_sqlite_store({.directory = directory_.path()});
  ASSERT_FALSE(opened);
  auto database = Database::open(directory_.at("helve.db"), {}).value();
  EXPECT_EQ(database.integer("PRAGMA user_version").value(), 1);
  EXPECT_EQ(database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'sessions'").value(), 0);
}

TEST_F(SchemaTest, MigrationIsIdempotent) {
  make_version_one();
  auto database = Database::open(directory_.at("helve.db"), {}).value();
  ASSERT_TRUE(migrate(database));
  ASSERT_TRUE(migrate(database));
  EXPECT_EQ(database.integer("PRAGMA user_version").value(), newest_version());
}

TEST_F(SchemaTest, EightProcessesCanMigrateTheSameDatabase) {
  make_version_one();
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto store = open_sqlite_store({.directory = directory_.path()});
      ::_exit(store && (*store)->snippets().load("old") ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

}  // namespace
}  // namespace helve::store
