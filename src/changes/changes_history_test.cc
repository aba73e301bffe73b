// Listing, diffs, size limits and clearing of the history.
#include <gtest/gtest.h>

#include "changes/changes_testing.h"

namespace helve::changes {
namespace {

using Tree = std::vector<std::string>;

std::uint64_t bytes_on_disk(const ChangesBench& bench) {
  std::uint64_t sum = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(bench.history()))
    if (entry.is_regular_file() && entry.path().filename().string().find('.') == std::string::npos)
      sum += entry.file_size();
  return sum;
}

TEST(ChangesHistory, ListsNewestFirstWithCountsBySessionAndPath) {
  ChangesBench bench;
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "1\n")}, "one"));
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "1\n2\n"), bench.write("b.txt", "b\n")}, "two"));
  ASSERT_TRUE(bench.commit({bench.move("b.txt", "c.txt")}, "two"));
  ASSERT_TRUE(bench.undo({.path = "c.txt"}));
  const auto all = bench.changes().list({});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->total, 3U);
  EXPECT_EQ(all->applied, 2U);
  EXPECT_EQ(all->undone, 1U);
  EXPECT_EQ(all->redoable, 1U);
  ASSERT_EQ(all->entries.size(), 3U);
  EXPECT_EQ(all->entries[0].files, (std::vector<HistoryFile>{{FileAction::kMoved, "c.txt", "b.txt", 0, 0}}));
  EXPECT_EQ(all->entries[0].state, ChangeState::kUndone);
  EXPECT_TRUE(all->entries[0].redoable);
  EXPECT_EQ(all->entries[1].files, (std::vector<HistoryFile>{{FileAction::kChanged, "a.txt", "", 0, 2},
                                                             {FileAction::kCreated, "b.txt", "", 0, 2}}));
  EXPECT_EQ(all->entries[2].session, "one");
  EXPECT_EQ(all->entries[2].tool, "test");
  EXPECT_EQ(bench.changes().list({.session = "one"})->total, 1U);
  EXPECT_EQ(bench.changes().list({.path = "b.txt"})->total, 2U);
  EXPECT_EQ(bench.changes().list({.session = "one", .path = "b.txt"})->total, 0U);
  const auto few = bench.changes().list({}, 1);
  EXPECT_EQ(few->entries.size(), 1U);
  EXPECT_EQ(few->total, 3U);
}

TEST(ChangesHistory, DiffShowsBeforeAndAfterEvenOfOldChanges) {
  ChangesBench bench;
  bench.files().write("a.txt", "one\ntwo\n");
  const auto first = bench.commit({bench.write("a.txt", "one\n2\n"), bench.write("n.txt", "n\n")})->change_id;
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "other\n"), bench.remove("n.txt")}));
  const auto diff = bench.changes().diff(first);
  ASSERT_TRUE(diff) << diff.error().message;
  ASSERT_EQ(diff->files.size(), 2U);
  EXPECT_EQ(diff->files[0].before, "one\ntwo\n");
  EXPECT_EQ(diff->files[0].after, "one\n2\n");
  EXPECT_FALSE(diff->files[0].partial);
  EXPECT_EQ(diff->files[1].before, std::nullopt);
  EXPECT_EQ(diff->files[1].after, "n\n");
  const auto last = bench.changes().diff(bench.changes().list({}, 1)->entries[0].change_id);
  EXPECT_EQ(last->files[1].before, "n\n");
  EXPECT_EQ(last->files[1].after, std::nullopt);
  EXPECT_EQ(bench.changes().diff("chg_none").error().message, "The history has no change chg_none.");
}

TEST(ChangesHistory, AWordInALargeFileNeedsFewBytesAndCanBeUndone) {
  ChangesBench bench;
  std::string large;
  while (large.size() < 3'000'000) large += "line " + std::to_string(large.size()) + "\n";
  bench.files().write("large.txt", large);
  FileChange change = bench.write("large.txt", "");
  const std::string_view old = *change.old_content;
  change.content = std::vector<std::string_view>{old.substr(0, 1'000'000), "WORD", old.substr(1'000'004)};
  const auto done = bench.commit({change});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_LT(bytes_on_disk(bench), 1000U);
  const auto diff = bench.changes().diff(done->change_id);
  ASSERT_TRUE(diff->files[0].before);
  EXPECT_TRUE(*diff->files[0].before == large);
  EXPECT_FALSE(diff->files[0].partial);
  // A change elsewhere in the file is detected, and only the changed parts are known.
  std::string changed = bench.files().read("large.txt");
  changed[2'000'000] = '#';
  bench.files().write("large.txt", changed);
  const auto refused = bench.undo();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().details.find("bytesNow")->as_integer(), 3'000'000 + (large.size() - 3'000'000));
  const auto parts = bench.changes().diff(done->change_id);
  EXPECT_TRUE(parts->files[0].partial);
  EXPECT_EQ(parts->files[0].after, "WORD");
  changed[2'000'000] = large[2'000'000];
  bench.files().write("large.txt", changed);
  ASSERT_TRUE(bench.undo());
  EXPECT_TRUE(bench.files().read("large.txt") == large);
  ASSERT_TRUE(bench.redo());
  EXPECT_EQ(bench.files().read("large.txt").substr(1'000'000, 4), "WORD");
}

TEST(ChangesHistory, ASessionRedoesWhatItUndidItself) {
  ChangesBench bench;
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "of one")}, "one"));
  ASSERT_TRUE(bench.commit({bench.write("b.txt", "of the other")}, "other"));
  const auto undo = [&](const char* session, const char* path) {
    return bench.changes().undo({session, "c", "undo"}, {.path = path});
  };
  ASSERT_TRUE(undo("other", "b.txt"));
  ASSERT_TRUE(undo("other", "a.txt"));
  const auto redo = [&](const char* session) {
    return bench.changes().redo({session, "c", "history"}, {.session = session});
  };
  EXPECT_FALSE(redo("one")) << "it undid nothing";
  ASSERT_TRUE(redo("other"));
  EXPECT_EQ(bench.files().read("a.txt"), "of one") << "its last undo";
}

TEST(ChangesHistory, ReportsHowManyCanStillBeUndoneAndRedone) {
  ChangesBench bench;
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "1")}, "one"));
  ASSERT_TRUE(bench.commit({bench.write("b.txt", "2")}, "other"));
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "3")}, "one"));
  const auto undone = bench.changes().undo({"other", "c", "undo"}, {.path = "a.txt"});
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->undoable_left, 1U);
  EXPECT_EQ(undone->redoable, 1U);
  const auto redone = bench.changes().redo({"other", "c", "history"}, {.session = "other"});
  ASSERT_TRUE(redone);
  EXPECT_EQ(redone->undoable_left, 1U) << "b.txt; the redone change belongs to another session";
  EXPECT_EQ(redone->redoable, 0U);
  const auto all = bench.changes().undo({"other", "c", "undo"}, {.path = "a.txt"}, 5);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->steps.size(), 2U);
  EXPECT_TRUE(all->stopped);
  EXPECT_EQ(all->undoable_left, 0U);
  EXPECT_EQ(all->redoable, 2U);
}

TEST(ChangesHistory, ANewChangeToOneFileOfASetEndsItsRedo) {
  ChangesBench bench;
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "1"), bench.write("b.txt", "1")}));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(bench.undo());
    ASSERT_TRUE(bench.redo());
  }
  ASSERT_TRUE(bench.undo());
  ASSERT_TRUE(bench.commit({bench.write("c.txt", "2")}));
  EXPECT_EQ(bench.changes().list({})->redoable, 1U) << "the change was to another file";
  ASSERT_TRUE(bench.commit({bench.write("b.txt", "2")}));
  EXPECT_EQ(bench.changes().list({})->redoable, 0U);
  EXPECT_FALSE(bench.redo({.path = "a.txt"}));
}

TEST(ChangesHistory, ManyPlacesInALargeFileNeedOnlyTheirBytes) {
  ChangesBench bench;
  std::string large;
  while (large.size() < 1'000'000) large += "some words and a word to replace\n";
  bench.files().write("large.txt", large);
  FileChange change = bench.write("large.txt", "");
  const std::string_view old = *change.old_content;
  std::vector<std::string_view> pieces;
  std::size_t reached = 0;
  for (std::size_t at = old.find("replace"); at != old.npos; at = old.find("replace", at + 1)) {
    pieces.push_back(old.substr(reached, at - reached));
    pieces.push_back("exchange");
    reached = at + 7;
  }
  pieces.push_back(old.substr(reached));
  change.content = pieces;
  ASSERT_TRUE(bench.commit({change}));
  EXPECT_LT(bytes_on_disk(bench), large.size() * 3 / 4);
  ASSERT_TRUE(bench.undo());
  EXPECT_TRUE(bench.files().read("large.txt") == large);
}

TEST(ChangesHistory, TheSameContentIsStoredOnce) {
  ChangesBench bench;
  const std::string one(100'000, '1');
  const std::string two(100'000, '2');
  bench.files().write("a.txt", one);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(bench.commit({bench.write("a.txt", two)}));
    ASSERT_TRUE(bench.commit({bench.write("a.txt", one)}));
  }
  EXPECT_LT(bytes_on_disk(bench), 220'000U);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(bench.undo());
  EXPECT_TRUE(bench.files().read("a.txt") == one);
}

TEST(ChangesHistory, DropsTheOldestFirstWhenTooLarge) {
  ChangesBench bench({.durability = workspace::Durability::kNone, .max_bytes = 1'000'000});
  for (int i = 0; i < 30; ++i)
    ASSERT_TRUE(bench.commit({bench.write("a.txt", std::string(100'000, static_cast<char>('a' + i % 26)))}));
  EXPECT_LE(bytes_on_disk(bench), 1'000'000U);
  const auto list = bench.changes().list({});
  EXPECT_GE(list->total, 3U);
  EXPECT_LE(list->total, 10U);
  EXPECT_LE(list->bytes_used, 1'000'000U);
  const std::size_t left = list->total;
  const auto undone = bench.undo({}, 100);
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->steps.size(), left);
  EXPECT_EQ(bench.leftovers(), Tree{});
}

TEST(ChangesHistory, DropsByNumberAndAge) {
  {
    ChangesBench bench({.durability = workspace::Durability::kNone, .max_changes = 10});
    for (int i = 0; i < 25; ++i) ASSERT_TRUE(bench.commit({bench.write("a.txt", std::to_string(i))}));
    EXPECT_LE(bench.changes().list({})->total, 10U);
    EXPECT_GE(bench.changes().list({})->total, 9U);
  }
  {
    ChangesBench bench({.durability = workspace::Durability::kNone, .max_age = std::chrono::hours(-1)});
    ASSERT_TRUE(bench.commit({bench.write("a.txt", "1")}));
    EXPECT_EQ(bench.changes().list({})->total, 0U);
  }
}

TEST(ChangesHistory, ReportsFilesThatAreTooLargeToUndo) {
  ChangesBench bench({.durability = workspace::Durability::kNone, .largest_kept = 1000});
  bench.files().write("a.bin", std::string(5'000, 'a'));
  bench.files().write("b.bin", std::string(5'000, 'b'));
  const auto alone = bench.commit({bench.write("a.bin", "new")});
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->not_undoable, "a.bin: too large to undo (5,000 bytes would have to be kept)");
  const auto refused = bench.undo();
  EXPECT_EQ(refused.error().message,
            "The old content was not kept: a.bin: too large to undo (5,000 bytes would have to be kept).");
  EXPECT_EQ(bench.changes().list({})->entries[0].not_undoable, alone->not_undoable);
  // In a set of several files, the old bytes are stored only until the commit.
  const auto set = bench.commit({bench.write("b.bin", "new"), bench.write("c.txt", "c")});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->not_undoable, "b.bin: too large to undo (5,000 bytes would have to be kept)");
  EXPECT_LT(bytes_on_disk(bench), 3'000U);
  // A creation can be undone, but not redone.
  ASSERT_TRUE(bench.commit({bench.write("d.bin", std::string(5'000, 'd'))}));
  const auto undone = bench.undo();
  ASSERT_TRUE(undone) << undone.error().message;
  EXPECT_EQ(undone->steps[0].not_redoable, "d.bin: too large to undo (5,000 bytes would have to be kept)");
  EXPECT_EQ(undone->redoable, 0U);
}

TEST(ChangesHistory, ClearRemovesASessionAPathOrAll) {
  ChangesBench bench;
  const std::string large(50'000, 'x');
  ASSERT_TRUE(bench.commit({bench.write("a.txt", large + "1")}, "one"));
  ASSERT_TRUE(bench.commit({bench.write("b.txt", large + "2")}, "two"));
  ASSERT_TRUE(bench.commit({bench.write("c.txt", large + "3")}, "two"));
  EXPECT_EQ(bench.changes().clear({.path = "b.txt"})->changes, 1U);
  EXPECT_EQ(bench.changes().list({})->total, 2U);
  EXPECT_EQ(bench.undo({.path = "b.txt"}).error().code, ErrorCode::kNotFound);
  const auto session = bench.changes().clear({.session = "one"});
  EXPECT_EQ(session->changes, 1U);
  EXPECT_GT(session->bytes, 50'000U);
  EXPECT_EQ(bench.changes().clear({})->changes, 1U);
  EXPECT_EQ(bench.changes().list({})->total, 0U);
  EXPECT_LT(bytes_on_disk(bench), 1000U);
  EXPECT_EQ(bench.tree().size(), 3U);
  EXPECT_EQ(bench.leftovers(), Tree{});
}

TEST(ChangesHistory, EachWorkspaceHasItsOwnHistory) {
  ChangesBench bench;
  const TestDirectory other;
  const auto root = workspace::Root::open(other.path());
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "1")}));
  auto elsewhere = Changes::open(*root, bench.state());
  EXPECT_EQ(elsewhere->list({})->total, 0U);
  EXPECT_EQ(elsewhere->undo({"s"}, {}).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(Changes::open(*root, "relative"));
}

TEST(ChangesHistory, ADamagedLogIsReportedAndCanBeCleared) {
  ChangesBench bench;
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "1")}));
  std::ofstream(bench.history() + "/log", std::ios::binary) << "nonsense";
  const auto refused = bench.commit({bench.write("a.txt", "2")});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("The history of this workspace is damaged"));
  EXPECT_EQ(bench.files().read("a.txt"), "1");
  ASSERT_TRUE(bench.changes().clear({}));
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "2")}));
  ASSERT_TRUE(bench.undo());
  EXPECT_EQ(bench.files().read("a.txt"), "1");
}

}  // namespace
}  // namespace helve::changes
