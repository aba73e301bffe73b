#include "changes/changes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "changes/changes_testing.h"

namespace helve::changes {
namespace {

using Tree = std::vector<std::string>;
using Kind = FileChange::Kind;

std::string message(const auto& result) { return result ? "ok" : result.error().message; }

std::string reason(const auto& result) {
  if (result) return "ok";
  const Json* found = result.error().details.find("reason");
  return found == nullptr ? result.error().message : found->as_string();
}

mode_t mode_of(const ChangesBench& bench, std::string_view path) {
  return bench.root().stat(path)->status.st_mode & 07777;
}

TEST(Changes, CreateChangeRemoveAndMoveInOneSet) {
  ChangesBench bench;
  bench.files().write("edit.txt", "one\ntwo\nthree\n");
  bench.files().write("gone.txt", "gone\n");
  bench.files().write("from.txt", "moved\n");
  const auto done = bench.commit({bench.write("new/deep/a.txt", "new\n"),
                                  bench.write("edit.txt", "one\n2\nthree\n"), bench.remove("gone.txt"),
                                  bench.move("from.txt", "to/there.txt", "moved\nand changed\n")});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(bench.tree(), (Tree{"edit.txt=one\n2\nthree\n", "new/", "new/deep/", "new/deep/a.txt=new\n",
                                "to/", "to/there.txt=moved\nand changed\n"}));
  ASSERT_EQ(done->files.size(), 4U);
  EXPECT_EQ(done->files[0].action, FileAction::kCreated);
  EXPECT_EQ(done->files[1].action, FileAction::kChanged);
  EXPECT_EQ(done->files[2].action, FileAction::kRemoved);
  EXPECT_EQ(done->files[3].action, FileAction::kMoved);
  EXPECT_EQ(done->files[3].path, "to/there.txt");
  EXPECT_EQ(done->files[3].old_path, "from.txt");
  EXPECT_EQ(done->files[1].identity, workspace::identity_of(bench.root().stat("edit.txt")->status));
  EXPECT_EQ(done->files[3].identity, workspace::identity_of(bench.root().stat("to/there.txt")->status));
  EXPECT_EQ(done->created_directories, (Tree{"new", "new/deep", "to"}));
  EXPECT_EQ(done->not_undoable, "");
  EXPECT_EQ(bench.leftovers(), Tree{});
}

TEST(Changes, UndoRevertsAWholeSetAndRedoRestoresIt) {
  ChangesBench bench;
  bench.files().write("edit.txt", "one\ntwo\nthree\n");
  bench.files().write("gone.txt", "gone\n");
  bench.files().write("from.txt", "moved\n");
  ::chmod(bench.files().at("gone.txt").c_str(), 0751);
  const Tree before = bench.tree();
  ASSERT_TRUE(
      bench.commit({bench.write("new/deep/a.txt", "new\n"), bench.write("edit.txt", "one\n2\nthree\n"),
                    bench.remove("gone.txt"), bench.move("from.txt", "to/there.txt", "changed\n")}));
  const Tree after = bench.tree();
  for (int round = 0; round < 2; ++round) {
    const auto undone = bench.undo();
    ASSERT_TRUE(undone) << undone.error().message;
    EXPECT_EQ(bench.tree(), before);
    EXPECT_EQ(mode_of(bench, "gone.txt"), 0751U);
    EXPECT_EQ(undone->steps.front().removed_directories, (Tree{"new", "new/deep", "to"}));
    EXPECT_EQ(undone->redoable, 1U);
    EXPECT_EQ(undone->undoable_left, 0U);
    const auto redone = bench.redo();
    ASSERT_TRUE(redone) << redone.error().message;
    EXPECT_EQ(bench.tree(), after);
    EXPECT_EQ(redone->redoable, 0U);
    EXPECT_EQ(redone->undoable_left, 1U);
  }
  EXPECT_EQ(bench.leftovers(), Tree{});
}

TEST(Changes, UndoReportsWhatChangedForADiff) {
  ChangesBench bench;
  bench.files().write("a.txt", "old\n");
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "new\n")}, "mine"));
  const auto undone = bench.undo();
  ASSERT_TRUE(undone) << undone.error().message;
  const UndoStep& step = undone->steps.front();
  EXPECT_EQ(step.origin, (ChangeOrigin{"mine", "c1", "test"}));
  ASSERT_EQ(step.files.size(), 1U);
  EXPECT_EQ(step.files[0].file.action, FileAction::kChanged);
  EXPECT_EQ(step.files[0].file.path, "a.txt");
  EXPECT_EQ(step.files[0].old_content, "new\n");
  EXPECT_EQ(step.files[0].new_content, "old\n");
  EXPECT_FALSE(step.files[0].content_left_out);
  EXPECT_EQ(step.files[0].mode, std::nullopt);
}

TEST(Changes, UndoGoesStepByStepAndReportsWhenNothingIsLeft) {
  ChangesBench bench;
  for (const char* content : {"1\n", "2\n", "3\n"})
    ASSERT_TRUE(bench.commit({bench.write("a.txt", content)}));
  const auto two = bench.undo({.path = "a.txt"}, 2);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->steps.size(), 2U);
  EXPECT_FALSE(two->stopped);
  EXPECT_EQ(bench.files().read("a.txt"), "1\n");
  const auto rest = bench.undo({.path = "a.txt"}, 5);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->steps.size(), 1U);
  ASSERT_TRUE(rest->stopped);
  EXPECT_EQ(rest->stopped->message, "There is nothing to undo for a.txt.");
  EXPECT_FALSE(bench.files().exists("a.txt"));
  const auto none = bench.undo({.path = "a.txt"});
  EXPECT_EQ(message(none), "There is nothing to undo for a.txt.");
  EXPECT_EQ(none.error().hint,
            "3 changes were already undone. To redo the last one: history with the action redo.");
  ASSERT_TRUE(bench.redo({}, 3));
  EXPECT_EQ(bench.files().read("a.txt"), "3\n");
  EXPECT_EQ(message(bench.redo()), "There is nothing to redo.");
}

TEST(Changes, UndoRefusesWhenTheFileChangedSinceAndShowsHow) {
  ChangesBench bench;
  bench.files().write("a.txt", "one\ntwo\nthree\n");
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "one\nTWO\nthree\n")}));
  bench.files().write("a.txt", "one\nTWO\nthree\nfour\n");
  const auto undone = bench.undo();
  ASSERT_FALSE(undone);
  EXPECT_EQ(undone.error().code, ErrorCode::kConflict);
  EXPECT_EQ(undone.error().message,
            "a.txt was changed by someone else since Helve changed it, so undo would lose that. "
            "Nothing was changed. Difference:\n"
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n TWO\n three\n+four\n");
  ASSERT_NE(undone.error().details.find("diff"), nullptr);
  EXPECT_EQ(undone.error().details.find("diff")->as_string(),
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n TWO\n three\n+four\n");
  EXPECT_EQ(bench.files().read("a.txt"), "one\nTWO\nthree\nfour\n");
  // Undo works again once the other change is reverted.
  bench.files().write("a.txt", "one\nTWO\nthree\n");
  EXPECT_EQ(message(bench.undo()), "ok");
}

TEST(Changes, UndoOfASetRefusesWhenOneFileChangedAndTouchesNone) {
  ChangesBench bench;
  bench.files().write("a.txt", "a\n");
  bench.files().write("b.txt", "b\n");
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "A\n"), bench.write("b.txt", "B\n")}));
  bench.files().write("a.txt", "theirs\n");
  EXPECT_EQ(reason(bench.undo()), "changed");
  EXPECT_EQ(bench.tree(), (Tree{"a.txt=theirs\n", "b.txt=B\n"}));
  std::filesystem::remove(bench.files().at("a.txt"));
  EXPECT_EQ(reason(bench.undo()), "deleted");
}

TEST(Changes, UndoByPathRequiresTheSetToBeTheNewestForAllItsFiles) {
  ChangesBench bench;
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "a\n"), bench.write("b.txt", "b\n")}));
  ASSERT_TRUE(bench.commit({bench.write("b.txt", "b2\n")}));
  const auto refused = bench.undo({.path = "a.txt"});
  EXPECT_EQ(reason(refused), "other_change");
  EXPECT_EQ(refused.error().hint, "Undo that one first: undo with the path b.txt.");
  EXPECT_EQ(bench.tree(), (Tree{"a.txt=a\n", "b.txt=b2\n"}));
  ASSERT_TRUE(bench.undo({.path = "b.txt"}));
  ASSERT_TRUE(bench.undo({.path = "a.txt"}));
  EXPECT_EQ(bench.tree(), Tree{});
}

TEST(Changes, UndoWithoutPathUndoesTheSessionsLastChange) {
  ChangesBench bench;
  ASSERT_TRUE(bench.commit({bench.write("mine.txt", "1\n")}, "me"));
  ASSERT_TRUE(bench.commit({bench.write("theirs.txt", "1\n")}, "them"));
  ASSERT_TRUE(bench.undo({.session = "me"}));
  EXPECT_EQ(bench.tree(), Tree{"theirs.txt=1\n"});
  const auto none = bench.undo({.session = "me"});
  EXPECT_EQ(message(none), "There is nothing to undo in this session.");
}

TEST(Changes, ANewChangeEndsRedoForItsFilesOnly) {
  ChangesBench bench;
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "1\n")}));
  ASSERT_TRUE(bench.commit({bench.write("b.txt", "1\n")}));
  ASSERT_TRUE(bench.undo({}, 2));
  EXPECT_EQ(bench.changes().list({})->redoable, 2U);
  ASSERT_TRUE(bench.commit({bench.write("a.txt", "other\n")}));
  EXPECT_EQ(bench.changes().list({})->redoable, 1U);
  EXPECT_EQ(message(bench.redo({.path = "a.txt"})), "There is nothing to redo for a.txt.");
  EXPECT_EQ(message(bench.redo({.path = "b.txt"})), "ok");
  EXPECT_EQ(bench.tree(), (Tree{"a.txt=other\n", "b.txt=1\n"}));
}

TEST(Changes, UndoRestoresTheModeUnlessOthersChangedIt) {
  ChangesBench bench;
  bench.files().write("a.sh", "x\n");
  ::chmod(bench.files().at("a.sh").c_str(), 0644);
  FileChange change = bench.write("a.sh", "y\n");
  change.mode = 0755;
  ASSERT_TRUE(bench.commit({change}));
  EXPECT_EQ(mode_of(bench, "a.sh"), 0755U);
  const auto undone = bench.undo();
  ASSERT_TRUE(undone);
  EXPECT_EQ(mode_of(bench, "a.sh"), 0644U);
  EXPECT_EQ(undone->steps[0].files[0].mode, std::optional<mode_t>(0644));
  // Undoing a change of content keeps a mode that was set since.
  ASSERT_TRUE(bench.commit({bench.write("a.sh", "z\n")}));
  ::chmod(bench.files().at("a.sh").c_str(), 0600);
  ASSERT_TRUE(bench.undo());
  EXPECT_EQ(mode_of(bench, "a.sh"), 0600U);
}

TEST(Changes, AChangeOfModeAloneIsAChange) {
  ChangesBench bench;
  bench.files().write("a.sh", "x\n");
  ::chmod(bench.files().at("a.sh").c_str(), 0644);
  FileChange change = bench.write("a.sh", "x\n");
  change.content.reset();
  change.mode = 0755;
  const auto done = bench.commit({change});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->files[0].action, FileAction::kChanged);
  EXPECT_EQ(mode_of(bench, "a.sh"), 0755U);
  ASSERT_TRUE(bench.undo());
  EXPECT_EQ(mode_of(bench, "a.sh"), 0644U);
  ASSERT_TRUE(bench.redo());
  EXPECT_EQ(mode_of(bench, "a.sh"), 0755U);
  ::chmod(bench.files().at("a.sh").c_str(), 0700);
  EXPECT_EQ(reason(bench.undo()), "mode");
}

TEST(Changes, ASetThatChangesNothingIsNotRecorded) {
  ChangesBench bench;
  bench.files().write("a.txt", "same\n");
  const auto done = bench.commit({bench.write("a.txt", "same\n")});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->files[0].action, FileAction::kUnchanged);
  EXPECT_EQ(done->change_id, "");
  EXPECT_EQ(bench.changes().list({})->total, 0U);
}

TEST(Changes, AConflictInOneFileLeavesAllFilesUnchanged) {
  ChangesBench bench;
  bench.files().write("a.txt", "a\n");
  bench.files().write("b.txt", "b\n");
  const std::vector<FileChange> set{bench.write("new/x.txt", "x\n"), bench.write("a.txt", "A\n"),
                                    bench.write("b.txt", "B\n")};
  bench.files().write("b.txt", "theirs\n");
  const auto done = bench.commit(set);
  EXPECT_EQ(message(done), "b.txt was changed by someone else since it was read. Nothing was written.");
  EXPECT_EQ(bench.tree(), (Tree{"a.txt=a\n", "b.txt=theirs\n"}));
  EXPECT_EQ(bench.leftovers(), Tree{});
}

TEST(Changes, AFailureInTheMiddleRollsBackTheOtherFiles) {
  ChangesBench bench;
  bench.files().write("a.txt", "a\n");
  bench.files().write("gone.txt", "gone\n");
  bench.files().write("from.txt", "from\n");
  bench.files().write("linked.txt", "linked\n");
  std::filesystem::create_hard_link(bench.files().at("linked.txt"), bench.files().at("other.txt"));
  const Tree before = bench.tree();
  // A hard-linked file is only refused when it is written.
  const auto done =
      bench.commit({bench.write("a.txt", "A\n"), bench.write("new/x.txt", "x\n"), bench.remove("gone.txt"),
                    bench.move("from.txt", "to/x.txt", "changed\n"), bench.write("linked.txt", "no\n")});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(bench.tree(), before);
  EXPECT_EQ(bench.leftovers(), Tree{});
  EXPECT_EQ(bench.changes().list({})->total, 0U);
}

TEST(Changes, RefusesDuplicatePathsLinksAndExistingDestinations) {
  ChangesBench bench;
  bench.files().write("a.txt", "a\n");
  bench.files().write("b.txt", "b\n");
  bench.files().link("a.txt", "link");
  EXPECT_EQ(message(bench.commit({bench.write("a.txt", "1"), bench.write("./link", "2")})),
            "a.txt occurs more than once in one change.");
  EXPECT_EQ(message(bench.commit({bench.remove("link")})),
            "link is a symlink; it cannot be removed as a file.");
  EXPECT_EQ(reason(bench.commit({bench.move("a.txt", "b.txt")})), "created");
  FileChange blind;
  blind.path = "a.txt";
  blind.content = std::vector<std::string_view>{"x"};
  EXPECT_EQ(reason(bench.commit({blind})), "created");
  EXPECT_EQ(bench.tree(), (Tree{"a.txt=a\n", "b.txt=b\n", "link=a\n"}));
}

TEST(Changes, WritesAndUndoesThroughALink) {
  ChangesBench bench;
  bench.files().write("real/a.txt", "a\n");
  bench.files().link("real/a.txt", "link");
  ASSERT_TRUE(bench.commit({bench.write("link", "b\n")}));
  EXPECT_EQ(bench.files().read("real/a.txt"), "b\n");
  ASSERT_TRUE(bench.undo({.path = "link"}));
  EXPECT_EQ(bench.files().read("real/a.txt"), "a\n");
  EXPECT_TRUE(std::filesystem::is_symlink(bench.files().at("link")));
}

TEST(Changes, HardLinkedFilesAreWrittenInPlaceAndUndoneInPlace) {
  ChangesBench bench;
  bench.files().write("a.txt", "first\n");
  std::filesystem::create_hard_link(bench.files().at("a.txt"), bench.files().at("b.txt"));
  FileChange change = bench.write("a.txt", "second and longer\n");
  change.hard_links = HardLinks::kWriteInPlace;
  const auto done = bench.commit({change});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(done->files[0].in_place);
  EXPECT_EQ(bench.files().read("b.txt"), "second and longer\n");
  ASSERT_TRUE(bench.undo());
  EXPECT_EQ(bench.tree(), (Tree{"a.txt=first\n", "b.txt=first\n"}));
}

TEST(Changes, TheHistoryPersistsAndIsPrivateToTheUser) {
  ChangesBench bench;
  ASSERT_TRUE(bench.commit({bench.write("a.txt", std::string(100'000, 'x'))}));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(bench.state() + "/history")) {
    struct stat status;
    ASSERT_EQ(::lstat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 077, 0U) << entry.path();
  }
  ASSERT_TRUE(bench.undo());  // by a new Changes object
  EXPECT_EQ(bench.tree(), Tree{});
}

}  // namespace
}  // namespace helve::changes
