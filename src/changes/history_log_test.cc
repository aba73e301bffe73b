#include "changes/history_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/test_directory.h"
#include "changes/history_frames.h"
#include "changes/history_record.h"

namespace helve::changes {
namespace {

ChangeRecord sample(const std::string& id) {
  ChangeRecord record;
  record.id = id;
  record.role = RecordRole::kUndo;
  record.subject = "chg_subject";
  record.time_ms = 1'800'000'000'123;
  record.origin = {"session", "call", "tool"};
  record.created_directories = {"a", "a/b"};
  FileRecord file;
  file.kind = FileChange::Kind::kMove;
  file.path = std::string("a\0\xFF\n", 4);
  file.new_path = "b";
  file.in_place = true;
  file.old_mode = 0;
  file.new_mode = 07777;
  file.splice = {{{1, 2, 3}, {std::uint64_t{1} << 60, 0, 127}}, 128};
  file.kept_print.fill(7);
  file.old_bytes = {KeptBytes::Place::kInline, 3, std::string("\0x\0", 3)};
  file.new_bytes = {KeptBytes::Place::kBlob, 99999, "abcdef"};
  file.undoable = false;
  file.temporary = ".helve-tmp_x";
  record.files = {file, FileRecord{.path = "plain"}};
  return record;
}

class HistoryLogTest : public ::testing::Test {
 protected:
  HistoryLogTest() : fd_(::open(directory_.path().c_str(), O_RDONLY | O_DIRECTORY)) {}

  [[nodiscard]] HistoryLog log() const {
    return *HistoryLog::open(fd_.get(), HistoryLog::Missing::kCreate, workspace::Durability::kNone);
  }
  [[nodiscard]] std::vector<std::string> ids() const {
    std::vector<std::string> all;
    const auto records = log().load();
    for (const LoggedRecord& logged : *records)
      all.push_back(logged.record.id +
                    static_cast<char>(state_byte(logged.state, static_cast<unsigned char>('P'))));
    return all;
  }

  TestDirectory directory_;
  UniqueFd fd_;
};

using Ids = std::vector<std::string>;

TEST(HistoryCodec, RoundTripsRecordsAndRefusesTruncatedOnes) {
  const ChangeRecord record = sample("chg_1");
  const std::string bytes = encode_record(record);
  EXPECT_EQ(decode_record(bytes), record);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(decode_record(std::string_view(bytes).substr(0, size)), std::nullopt) << size;
  EXPECT_EQ(decode_record(bytes + "x"), std::nullopt);
  // Corrupt bytes must not crash the decoder.
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string broken = bytes;
    broken[i] = static_cast<char>(broken[i] ^ 0xFF);
    static_cast<void>(decode_record(broken));
  }
}

TEST_F(HistoryLogTest, KeepsRecordsInOrderWithTheirStates) {
  EXPECT_EQ(
      HistoryLog::open(fd_.get(), HistoryLog::Missing::kRefuse, workspace::Durability::kNone).error().code,
      ErrorCode::kNotFound);
  const auto first = log().append(sample("one"), 0, workspace::Durability::kFull);
  ASSERT_TRUE(first);
  ASSERT_TRUE(log().append(sample("two"), 10, workspace::Durability::kNone));
  EXPECT_EQ(ids(), (Ids{"oneP", "twoP"}));
  ASSERT_TRUE(log().mark(*first, "one", RecordState::kCommitted));
  ASSERT_TRUE(log().mark("two", RecordState::kKeptAside));
  EXPECT_EQ(ids(), (Ids{"oneC", "twoK"}));
  EXPECT_EQ(log().load()->front().record, sample("one"));
  EXPECT_EQ(log().usage()->records, 2U);
  EXPECT_EQ(log().usage()->oldest_ms, 1'800'000'000'123);
}

TEST_F(HistoryLogTest, SkipsPartialRecords) {
  ASSERT_TRUE(log().append(sample("one"), 0, workspace::Durability::kNone));
  const std::string whole = directory_.read("log");
  ASSERT_TRUE(log().append(sample("two"), 0, workspace::Durability::kNone));
  const std::string second = directory_.read("log").substr(whole.size());
  for (const std::size_t part : {std::size_t{1}, std::size_t{20}, std::size_t{40}, second.size() - 1}) {
    directory_.write("log", whole + second.substr(0, part));
    EXPECT_EQ(ids(), Ids{"oneP"}) << part;
    const auto third = log().append(sample("three"), 0, workspace::Durability::kNone);
    ASSERT_TRUE(third);
    ASSERT_TRUE(log().mark(*third, "three", RecordState::kCommitted));
    EXPECT_EQ(ids(), (Ids{"oneP", "threeC"})) << part;
    EXPECT_EQ(log().find("three")->value(), sample("three")) << part;
    EXPECT_EQ(log().find("one")->value(), sample("one")) << part;
  }
  // A damaged record in the middle does not affect the others.
  std::string damaged = whole + second + second;
  damaged[whole.size() + 60] ^= 1;
  directory_.write("log", damaged);
  EXPECT_EQ(ids(), (Ids{"oneP", "twoP"}));
  EXPECT_EQ(log().find("two")->value(), sample("two"));
}

TEST_F(HistoryLogTest, RewriteDropsChosenRecordsButNotPendingOnes) {
  for (const char* id : {"one", "two", "three"})
    ASSERT_TRUE(log().append(sample(id), 0, workspace::Durability::kNone));
  const auto position = log().append(sample("four"), 0, workspace::Durability::kNone);
  ASSERT_TRUE(position);
  for (const char* id : {"one", "three"}) ASSERT_TRUE(log().mark(id, RecordState::kCommitted));
  const FingerprintKey::Seed seed = log().key().seed();
  const auto dropped = log().rewrite(
      [](const std::vector<LoggedRecord>& records) { return std::vector<bool>(records.size(), true); },
      workspace::Durability::kFull);
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->size(), 2U);
  EXPECT_EQ(ids(), (Ids{"twoP", "fourP"}));
  EXPECT_EQ(log().usage()->records, 2U);
  EXPECT_EQ(log().key().seed(), seed);
  // A position from before still finds its record.
  ASSERT_TRUE(log().mark(*position, "four", RecordState::kRolledBack));
  EXPECT_EQ(ids(), (Ids{"twoP", "fourR"}));
  EXPECT_EQ(directory_.names(), (std::vector<std::string>{"log"}));
}

// Longer than one read, with garbage and torn records at all possible piece boundaries.
TEST_F(HistoryLogTest, ALongLogIsReadInPieces) {
  Ids expected;
  const auto big = [](int i) {
    ChangeRecord record = sample("id" + std::to_string(i));
    // The garbage contains beginnings of a frame mark.
    record.files.front().old_bytes = {KeptBytes::Place::kInline, 0,
                                      std::string(static_cast<std::size_t>(3000 + i * 7), '\n')};
    return record;
  };
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(log().append(big(i), 0, workspace::Durability::kNone));
    expected.push_back("id" + std::to_string(i) + "P");
    if (i % 7 == 0) {
      const std::string all = directory_.read("log");
      std::string rubbish(static_cast<std::size_t>(i * 37), '\xF1');
      rubbish += "\n\xF1hlvr";
      directory_.write("log", all + rubbish);
    }
  }
  ASSERT_GT(directory_.read("log").size(), std::size_t{1} << 20);
  EXPECT_EQ(ids(), expected);

  const auto outline = log().outline();
  ASSERT_EQ(outline->records().size(), 300U);
  EXPECT_EQ(outline->records()[150].id, "id150");
  EXPECT_EQ(outline->records()[150].files.front().path, big(150).files.front().path);
  EXPECT_EQ(log().find("id150")->value(), big(150));
  EXPECT_EQ(*log().find("id300"), std::nullopt);

  ASSERT_TRUE(log().mark("id299", RecordState::kCommitted));
  const auto dropped = log().rewrite(
      [](const std::vector<LoggedRecord>& records) { return std::vector<bool>(records.size(), true); },
      workspace::Durability::kNone);
  ASSERT_EQ(dropped->size(), 1U);
  expected.pop_back();
  EXPECT_EQ(ids(), expected);
  EXPECT_EQ(log().find("id298")->value(), big(298));
}

}  // namespace
}  // namespace helve::changes
