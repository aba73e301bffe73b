#include "changes/history_view.h"

#include <gtest/gtest.h>

namespace helve::changes {
namespace {

ChangeRecord record(int number) {
  ChangeRecord made{.id = "chg_" + std::to_string(number), .origin = {"session", "call", "edit"}};
  made.files.push_back({.path = "src/a.cc", .existed = true});
  made.files.push_back({.kind = FileChange::Kind::kMove, .path = "src/b.cc", .new_path = "src/c.cc"});
  return made;
}

TEST(HistoryOutline, OutlivesItsRecords) {
  HistoryOutline first;
  for (int i = 0; i < 1000; ++i)
    first.add(record(i), i == 0 ? RecordState::kPending : RecordState::kCommitted);
  const HistoryOutline outline = std::move(first);
  ASSERT_EQ(outline.records().size(), 1000U);
  EXPECT_EQ(outline.records().front().state, RecordState::kPending);
  const RecordOutline& last = outline.records().back();
  EXPECT_EQ(last.id, "chg_999");
  EXPECT_EQ(last.origin.tool, "edit");
  ASSERT_EQ(last.files.size(), 2U);
  EXPECT_EQ(last.files[0].action, FileAction::kChanged);
  EXPECT_EQ(last.files[0].place_now(), "src/a.cc");
  EXPECT_EQ(last.files[1].place_now(), "src/c.cc");
  EXPECT_TRUE(last.touches("src/b.cc"));
  EXPECT_TRUE(last.touches("src/c.cc"));
  EXPECT_FALSE(last.touches("src/d.cc"));
}

TEST(HistoryOutline, StoresAPathOfManyChangesOnce) {
  HistoryOutline outline;
  outline.add(record(1), RecordState::kCommitted);
  outline.add(record(2), RecordState::kCommitted);
  EXPECT_EQ(outline.records()[0].files[0].path.data(), outline.records()[1].files[0].path.data());
}

}  // namespace
}  // namespace helve::changes
