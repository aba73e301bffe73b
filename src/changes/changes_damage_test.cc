// Damage to the history log is noticed: undo takes back no other change, and history names the record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "changes/changes_testing.h"
#include "changes/history_frames.h"

namespace helve::changes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t kLogHeader = 72;

// Two change sets of different files; `last` is where the record of the second begins in the log.
class ChangesDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(bench_.commit({bench_.write("older.txt", "older\n")}));
    last_ = log().size();
    ASSERT_TRUE(bench_.commit({bench_.write("newer.txt", "newer\n")}));
    whole_ = log();
  }
  [[nodiscard]] std::string log() const { return *read_file(bench_.history() + "/log"); }
  void write_log(const std::string& bytes) const {
    std::ofstream(bench_.history() + "/log", std::ios::binary | std::ios::trunc) << bytes;
  }

  ChangesBench bench_;
  std::size_t last_ = 0;
  std::string whole_;
};

TEST_F(ChangesDamage, NoFlippedBitInTheLastRecordMakesUndoTakeBackAnotherChange) {
  const std::vector<std::string> tree = bench_.tree();
  for (std::size_t bit = last_ * 8; bit < whole_.size() * 8; ++bit) {
    std::string damaged = whole_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    write_log(damaged);
    const auto undone = bench_.undo();
    ASSERT_FALSE(undone) << "byte " << bit / 8 - last_ << ", bit " << bit % 8;
    ASSERT_EQ(undone.error().kind, ErrorKind::kHistoryDamaged) << undone.error().message;
    ASSERT_THAT(bench_.changes().list({})->damaged, SizeIs(1)) << "byte " << bit / 8 - last_;
    ASSERT_THAT(*check_history(bench_.history()), SizeIs(1));
  }
  EXPECT_EQ(bench_.tree(), tree);
}

TEST_F(ChangesDamage, NoFlippedBitInTheHeaderLooksLikeAChangeByOthers) {
  for (std::size_t bit = 0; bit < kLogHeader * 8; ++bit) {
    std::string damaged = whole_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    write_log(damaged);
    // As after a restart: the seed is read again.
    const auto undone = bench_.undo();
    if (undone) {
      ASSERT_TRUE(bench_.commit({bench_.write("newer.txt", "newer\n")}));
      continue;
    }
    ASSERT_EQ(undone.error().kind, ErrorKind::kHistoryDamaged)
        << "byte " << bit / 8 << ": " << undone.error().message;
  }
}

TEST_F(ChangesDamage, IsNamedAndStopsOnlyWhatItMayConcern) {
  std::string damaged = whole_;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  write_log(damaged);
  EXPECT_THAT(bench_.changes().list({})->damaged, ElementsAre(HasSubstr(", made by test, of newer.txt).")));
  const auto undone = bench_.undo({.path = "newer.txt"});
  ASSERT_FALSE(undone);
  EXPECT_THAT(undone.error().message, HasSubstr("of newer.txt). It may be the change to undo"));
  EXPECT_THAT(undone.error().hint, HasSubstr("history with the action clear"));
  // Later changes and other files are not affected.
  ASSERT_TRUE(bench_.commit({bench_.write("newest.txt", "newest\n")}));
  ASSERT_TRUE(bench_.undo());
  ASSERT_TRUE(bench_.undo({.path = "older.txt"}));
  EXPECT_THAT(bench_.tree(), ElementsAre("newer.txt=newer\n"));
}

TEST_F(ChangesDamage, IsNotForgottenWhenTheHistoryIsPrunedButWhenItIsCleared) {
  std::string damaged = whole_;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  write_log(damaged);
  ASSERT_TRUE(bench_.commit({bench_.write("newest.txt", "newest\n")}));
  ASSERT_TRUE(bench_.changes().clear({.path = "newest.txt"}));
  EXPECT_THAT(bench_.changes().list({})->damaged, SizeIs(1));
  ASSERT_TRUE(bench_.changes().clear({}));
  EXPECT_THAT(bench_.changes().list({})->damaged, IsEmpty());
}

TEST_F(ChangesDamage, ARecordThatAKillCutShortIsNoDamage) {
  std::string torn = whole_.substr(last_);
  torn[offsetof(Frame, state)] = static_cast<char>(RecordState::kPending);
  for (std::size_t size = 0; size < torn.size(); ++size) {
    write_log(whole_ + torn.substr(0, size));
    ASSERT_THAT(bench_.changes().list({})->damaged, IsEmpty()) << size;
  }
  write_log(whole_ + std::string(300, '\0'));
  EXPECT_THAT(bench_.changes().list({})->damaged, IsEmpty());
  // Nor is it when the next process has appended behind it.
  write_log(whole_ + torn.substr(0, torn.size() - 1));
  ASSERT_TRUE(bench_.commit({bench_.write("newest.txt", "newest\n")}));
  EXPECT_THAT(bench_.changes().list({})->damaged, IsEmpty());
  ASSERT_TRUE(bench_.undo({}, 3));
  EXPECT_THAT(bench_.tree(), IsEmpty());
}

// Records of version 1 have letters as states.
TEST_F(ChangesDamage, ALogOfHelve01IsReadAndContinued) {
  std::string old = whole_;
  for (std::size_t at = kLogHeader; at < old.size();) {
    Frame frame;
    std::memcpy(&frame, &old[at], sizeof frame);
    old[at + sizeof frame] = 1;
    frame.state = 'C';
    frame.checksum = checksum_of(std::string_view(old).substr(at + sizeof frame, frame.length));
    std::memcpy(&old[at], &frame, sizeof frame);
    at += sizeof frame + frame.length;
  }
  write_log(old);
  const auto list = bench_.changes().list({});
  EXPECT_EQ(list->applied, 2U);
  EXPECT_THAT(list->damaged, IsEmpty());
  ASSERT_TRUE(bench_.commit({bench_.write("newest.txt", "newest\n")}));
  ASSERT_TRUE(bench_.undo({}, 3));
  EXPECT_THAT(bench_.tree(), IsEmpty());
}

}  // namespace
}  // namespace helve::changes
