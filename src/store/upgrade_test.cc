// Opens databases as every released version wrote them. Never change the schema texts here; add new ones for
// new versions.
#include <gtest/gtest.h>

#include <map>

#include "base/strings.h"
#include "store/schema.h"
#include "store/testing.h"

namespace helve::store {
namespace {

constexpr const char* kVersionOne = R"(
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
PRAGMA application_id = 1212501078;
PRAGMA user_version = 1;
INSERT INTO snippets VALUES (1, 'snp_1', 'retry loop', 'for i in 1 2 3; do run; done', 'tries again', 'bash',
                             28, 1, '2026-01-02T03:04:05.678Z', '2026-02-02T03:04:05.678Z', 7);
INSERT INTO snippet_tags VALUES (1, 1, 'shell');
INSERT INTO snippet_words VALUES (1, 'retry loop', 'tries again shell', 'for i in 1 2 3 do run done');
)";

// The additions of version 2.
constexpr const char* kVersionTwo = R"(
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
PRAGMA user_version = 2;
INSERT INTO sessions VALUES (1, 'ses_old', 'An old talk', '/home/me/project', 'a-model', '{"turn":3}',
                             '2026-03-02T03:04:05.678Z', '2026-03-03T03:04:05.678Z', 9, 2);
INSERT INTO session_events VALUES (1, 1, 1, '2026-03-02T03:04:05.678Z', 'said', '{"text":"hello"}');
INSERT INTO session_events VALUES (2, 1, 2, '2026-03-03T03:04:05.678Z', 'said', '{"text":"bye"}');
INSERT INTO history (time, workspace, session, kind, subject, text, words)
  VALUES ('2026-03-02T03:04:05.678Z', '/home/me/project', 'ses_old', 'change', 'a.txt', 'changed', 'a txt changed');
)";

class UpgradeTest : public ::testing::Test {
 protected:
  void write(const std::vector<const char*>& scripts) {
    auto database = Database::open(directory_.at("helve.db"), {.create = true}).value();
    for (const char* script : scripts) ASSERT_TRUE(database.run_script(script));
  }
  // Every table and index with its SQL.
  static std::map<std::string, std::string> schema_of(const std::string& path) {
    auto database = Database::open(path, {.read_only = true}).value();
    std::map<std::string, std::string> found;
    const auto count = database.integer("SELECT count(*) FROM sqlite_schema WHERE sql IS NOT NULL").value();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string one =
          concat(" FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name LIMIT 1 OFFSET ", i);
      found.emplace(database.text(concat("SELECT name", one)).value(),
                    database.text(concat("SELECT sql", one)).value());
    }
    return found;
  }
  void expect_the_snippet(Store& store) {
    const auto snippet = store.snippets().load("retry loop");
    ASSERT_TRUE(snippet) << snippet.error().message;
    EXPECT_EQ(snippet->id, "snp_1");
    EXPECT_EQ(snippet->code, "for i in 1 2 3; do run; done");
    EXPECT_EQ(snippet->created, "2026-01-02T03:04:05.678Z");
    EXPECT_EQ(snippet->tags, std::vector<std::string>{"shell"});
    EXPECT_EQ(store.snippets().list({.query = "retry"})->total, 1U) << "search must find it";
  }

  TestDirectory directory_;
};

TEST_F(UpgradeTest, OpensVersionOneWithAllItsContent) {
  write({kVersionOne});
  const auto store = open_store(directory_.path());
  ASSERT_TRUE(store);
  expect_the_snippet(*store);
  EXPECT_TRUE(store->sessions().create({.id = "new"})) << "newer tables must exist";
  EXPECT_EQ(store->check()->version, newest_version());
}

TEST_F(UpgradeTest, OpensVersionTwoWithAllItsContent) {
  write({kVersionOne, kVersionTwo});
  const auto store = open_store(directory_.path());
  ASSERT_TRUE(store);
  expect_the_snippet(*store);
  const auto session = store->sessions().load("ses_old");
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->title, "An old talk");
  EXPECT_EQ(store->sessions().events("ses_old")->size(), 2U);
  EXPECT_EQ(store->history().find({.query = "changed"})->size(), 1U);
}

TEST_F(UpgradeTest, AnUpgradedDatabaseEqualsANewOne) {
  write({kVersionOne});
  ASSERT_TRUE(open_store(directory_.path()));
  const TestDirectory fresh;
  ASSERT_TRUE(open_store(fresh.path()));
  EXPECT_EQ(schema_of(directory_.at("helve.db")), schema_of(fresh.at("helve.db")));
}

TEST_F(UpgradeTest, EveryVersionHasAFixture) {
  EXPECT_EQ(newest_version(), 2) << "add a fixture for the new version";
}

TEST_F(UpgradeTest, RefusesANewerVersionWithoutChangingIt) {
  write({kVersionOne, kVersionTwo, "PRAGMA user_version = 3", "CREATE TABLE from_the_future (x)"});
  const std::string before = directory_.read("helve.db");
  const auto opened = open_sqlite_store({.directory = directory_.path()});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(opened.error().message,
            concat("The database ", directory_.at("helve.db"),
                   " has version 3, written by a newer Helve; this one supports versions up to 2."));
  EXPECT_EQ(opened.error().hint,
            "Use the newer Helve, or set XDG_DATA_HOME to another directory for this one.");
  EXPECT_EQ(directory_.read("helve.db"), before);
  for (const std::string& name : directory_.names())
    EXPECT_TRUE(name == "helve.db" || name == "helve.lock" || name.starts_with("helve.db-")) << name;
}

}  // namespace
}  // namespace helve::store
