#include "tools/line_index.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/test_directory.h"
#include "workspace/root.h"

namespace helve::tools {
namespace {

class LineIndexTest : public ::testing::Test {
 protected:
  [[nodiscard]] workspace::OpenFile file(std::string_view content) const {
    directory_.write("f", content);
    return std::move(*workspace::Root::open(directory_.path())->open_read("f"));
  }

  TestDirectory directory_;
};

TEST_F(LineIndexTest, ReadsRangesOfALargeFileFromTheNearestMegabyte) {
  std::string content;
  std::vector<std::size_t> starts;
  for (int i = 1; content.size() < 5'000'000; ++i) {
    starts.push_back(content.size());
    content += "line " + std::to_string(i) + (i % 3 == 0 ? "\r\n" : "\n");
  }
  content += "no end";
  starts.push_back(content.size() - 6);
  starts.push_back(content.size());
  const workspace::OpenFile large = file(content);
  const auto index = LineIndex::scan(large, {});
  ASSERT_TRUE(index);
  EXPECT_EQ(index->counts(), text::count_lines(content));
  const std::size_t lines = starts.size() - 1;
  EXPECT_EQ(index->lines(), lines);
  for (const std::size_t first :
       {std::size_t{1}, std::size_t{2}, std::size_t{1000}, std::size_t{200'000}, lines - 3, lines}) {
    for (const std::size_t count : {1U, 4U, 20'000U}) {
      const auto range = index->read(large, first, count, 10'000'000);
      ASSERT_TRUE(range);
      const std::size_t end = std::min(first - 1 + count, lines);
      EXPECT_EQ(range->lines, end - first + 1);
      EXPECT_EQ(range->bytes, content.substr(starts[first - 1], starts[end] - starts[first - 1]))
          << first << "+" << count;
      EXPECT_FALSE(range->cut);
    }
  }
  EXPECT_EQ(index->read(large, lines + 1, 10, 1000)->lines, 0U);
}

TEST_F(LineIndexTest, EveryLineStartNearACheckpointIsFound) {
  // All bytes are line feeds: lines start at and around every checkpoint.
  const std::string content(2 * 1024 * 1024 + 10, '\n');
  const workspace::OpenFile breaks = file(content);
  const auto index = LineIndex::scan(breaks, {});
  for (const std::size_t line : {1024U * 1024 - 1, 1024U * 1024, 1024U * 1024 + 1, 2 * 1024U * 1024 + 10}) {
    const auto range = index->read(breaks, line, 1, 100);
    EXPECT_EQ(range->bytes, "\n") << line;
  }
  EXPECT_EQ(index->read(breaks, content.size(), 5, 100)->lines, 1U);
}

TEST_F(LineIndexTest, CutsALineThatIsTooLong) {
  const workspace::OpenFile long_line = file("short\n" + std::string(3'000'000, 'x') + "\nlast\n");
  const auto index = LineIndex::scan(long_line, {});
  const auto range = index->read(long_line, 1, 3, 1000);
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->cut);
  EXPECT_EQ(range->bytes.size(), 1000U);
  EXPECT_EQ(range->lines, 2U);
  EXPECT_EQ(index->read(long_line, 3, 1, 1000)->bytes, "last\n");
}

TEST_F(LineIndexTest, SkipsTheByteOrderMark) {
  const text::TextEncoding encoding{text::Charset::kUtf16Le, true};
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\r\n";
  const workspace::OpenFile wide = file(std::string(text::bom_of(encoding)) + *text::encode(text, encoding));
  const auto index = LineIndex::scan(wide, encoding);
  EXPECT_EQ(index->lines(), 100'000U);
  EXPECT_EQ(index->counts().dominant(), text::LineEnding::kCrLf);
  EXPECT_EQ(text::decode(index->read(wide, 1, 1, 100)->bytes, encoding), "0\r\n");
  EXPECT_EQ(text::decode(index->read(wide, 99'999, 2, 100)->bytes, encoding), "99998\r\n99999\r\n");
}

TEST_F(LineIndexTest, ReadsOldMacFilesAndEmptyOnes) {
  const workspace::OpenFile old_mac = file("a\rb\rc");
  const auto index = LineIndex::scan(old_mac, {});
  EXPECT_EQ(index->lines(), 3U);
  EXPECT_EQ(index->read(old_mac, 2, 1, 100)->bytes, "b\r");
  const workspace::OpenFile empty = file("");
  EXPECT_EQ(LineIndex::scan(empty, {})->lines(), 0U);
  EXPECT_EQ(LineIndex::scan(empty, {})->read(empty, 1, 1, 100)->lines, 0U);
}

TEST_F(LineIndexTest, StopsAfterEnoughLines) {
  const workspace::OpenFile large = file(std::string(3'000'000, '\n'));
  const auto index = LineIndex::scan(large, {}, {.enough_lines = 1000});
  EXPECT_FALSE(index->is_complete());
  EXPECT_EQ(index->read(large, 999, 2, 100)->bytes, "\n\n");
  EXPECT_TRUE(LineIndex::scan(large, {})->is_complete());
}

TEST_F(LineIndexTest, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(LineIndex::scan(file("a\n"), {}, {.stop = source.get_token()}).error().code,
            ErrorCode::kCancelled);
}

}  // namespace
}  // namespace helve::tools
