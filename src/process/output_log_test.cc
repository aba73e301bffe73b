#include "process/output_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>

#include "process/testing.h"

namespace helve::process {
namespace {

class OutputLogTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<OutputLog> make(const OutputLimits& limits = {}) const {
    auto log = OutputLog::create(directory_.path(), limits);
    EXPECT_TRUE(log) << log.error().message;
    return std::move(*log);
  }
  [[nodiscard]] static std::string all_of(const OutputLog& log) { return log.read(0, 100 << 20)->bytes; }

  TestDirectory directory_{0777};
};

TEST(OutputIndex, CountsLineBreaks) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string text(random() % 100, 'x');
    for (char& c : text)
      c = static_cast<char>(std::array{'\n', 'a', '\x0b', '\x8a', '\x09', '\0'}[random() % 6]);
    EXPECT_EQ(count_line_breaks(text), static_cast<std::uint64_t>(std::ranges::count(text, '\n')));
  }
}

TEST(OutputIndex, LineMarksStayFewAndCorrect) {
  LineMarks marks;
  const std::string piece = std::string(999, 'x') + "\n";
  std::string block;
  for (int i = 0; i < 1000; ++i) block += piece;
  for (int i = 0; i < 2000; ++i)
    marks.append(block);  // 2 GB, far more than the marks at 64 KiB distance cover
  EXPECT_EQ(marks.bytes(), 2'000'000'000U);
  EXPECT_EQ(marks.breaks(), 2'000'000U);
  for (const std::uint64_t offset : {0ULL, 1ULL, 999'999'999ULL, 1'999'999'999ULL}) {
    const auto mark = marks.before_offset(offset);
    EXPECT_LE(mark.offset, offset);
    EXPECT_EQ(mark.breaks, mark.offset / 1000);
    EXPECT_LE(offset - mark.offset, 4U << 20);
  }
}

TEST_F(OutputLogTest, CountsAndKeepsEverything) {
  const auto log = make();
  log->append(Stream::kOutput, "one\ntwo");
  log->append(Stream::kError, "bad\n");
  log->append(Stream::kOutput, "\nthree");
  const OutputState state = log->state();
  EXPECT_EQ(state.all, (StreamCount{17, 4}));
  EXPECT_EQ(state.output, (StreamCount{13, 3}));
  EXPECT_EQ(state.error, (StreamCount{4, 1}));
  EXPECT_EQ(state.on_disk, 17U);
  EXPECT_EQ(state.trouble, "");
  EXPECT_EQ(read_whole(log->path()), "one\ntwobad\n\nthree");
  EXPECT_EQ(all_of(*log), "one\ntwobad\n\nthree");
  EXPECT_EQ(log->read_stream(Stream::kOutput, 0, 100)->bytes, "one\ntwo\nthree");
  EXPECT_EQ(log->read_stream(Stream::kOutput, 5, 4)->bytes, "wo\nt");
  EXPECT_EQ(log->read_stream(Stream::kError, 1, 100)->bytes, "ad\n");
  EXPECT_EQ(log->segments(8, 12), (std::vector<Segment>{{7, 0, Stream::kError}, {11, 7, Stream::kOutput}}));
}

TEST_F(OutputLogTest, TheFileIsPrivateAndRemovedUnlessKept) {
  std::string path;
  {
    const auto log = make();
    path = log->path();
    struct stat status;
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
  }
  EXPECT_EQ(directory_.names().size(), 0U);
  {
    const auto log = make();
    log->append(Stream::kOutput, "kept");
    log->keep();
    path = log->path();
  }
  EXPECT_EQ(read_whole(path), "kept");
}

TEST_F(OutputLogTest, ReportsAMissingDirectory) {
  const auto log = OutputLog::create("/no/such/place");
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message, ::testing::HasSubstr("for the command's output: No such file"));
}

TEST_F(OutputLogTest, RandomReadsReturnTheWrittenBytes) {
  std::mt19937 random(7);
  const auto log = make({.memory_bytes = 1000});
  std::string all;
  std::string streams[2];
  for (int i = 0; i < 5000; ++i) {
    std::string piece(1 + random() % 60, 'a');
    for (char& c : piece) c = static_cast<char>(random() % 12 == 0 ? '\n' : 'a' + random() % 26);
    const std::size_t which = random() % 2;
    log->append(which == 1 ? Stream::kError : Stream::kOutput, piece);
    all += piece;
    streams[which] += piece;
  }
  for (int i = 0; i < 500; ++i) {
    const std::size_t offset = random() % (all.size() + 10);
    const std::size_t size = random() % 3000;
    const std::string expected = offset < all.size() ? all.substr(offset, size) : "";
    const auto part = log->read(offset, size);
    EXPECT_EQ(expected.substr(0, part->bytes.size()), part->bytes);
    EXPECT_EQ(part->bytes.empty(), expected.empty());
    const std::size_t breaks = static_cast<std::size_t>(std::count(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(offset, all.size())), '\n'));
    EXPECT_EQ(*log->line_breaks_before(offset), breaks);
    for (const Stream stream : {Stream::kOutput, Stream::kError}) {
      const std::string& whole = streams[stream == Stream::kError ? 1 : 0];
      const std::size_t at = random() % whole.size();
      EXPECT_EQ(log->read_stream(stream, at, size)->bytes, whole.substr(at, size));
    }
  }
  const auto lines = split(all, '\n');
  std::uint64_t offset = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (line % 37 == 0) {
      EXPECT_EQ(*log->line_offset(line + 1), offset) << line;
    }
    offset += lines[line].size() + 1;
  }
  EXPECT_EQ(*log->line_offset(1'000'000), all.size());
}

TEST_F(OutputLogTest, EnforcesAndReportsTheLimit) {
  const auto log = make({.disk_bytes = 1000, .memory_bytes = 100});
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const std::string line = concat("line ", i, "\n");
    log->append(Stream::kOutput, line);
    all += line;
  }
  const OutputState state = log->state();
  EXPECT_EQ(state.all, (StreamCount{all.size(), 300}));
  EXPECT_EQ(state.on_disk, 1000U);
  EXPECT_EQ(state.in_memory, 100U);
  EXPECT_EQ(state.lost(), all.size() - 1100);
  EXPECT_EQ(state.trouble, "the output is larger than the 1,000 bytes that are kept");
  EXPECT_EQ(log->read(0, 5000)->bytes, all.substr(0, 1000));
  EXPECT_EQ(log->read(all.size() - 50, 5000)->bytes, all.substr(all.size() - 50));
  const auto lost = log->read(1500, 10);
  EXPECT_EQ(lost->offset, all.size() - 100) << "the read continues after the gap";
  EXPECT_EQ(*log->line_breaks_before(all.size() - 50),
            static_cast<std::uint64_t>(std::count(all.begin(), all.end() - 50, '\n')));
}

TEST_F(OutputLogTest, AFullDiskKeepsEarlierOutput) {
  const auto log = make({.memory_bytes = 1000});
  // The limit makes writes fail as on a full disk; the signal must not end the test.
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 5000, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string piece = std::string(99, 'x') + "\n";
  for (int i = 0; i < 100; ++i) log->append(Stream::kOutput, piece);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  const OutputState state = log->state();
  EXPECT_EQ(state.all, (StreamCount{10'000, 100}));
  EXPECT_EQ(state.on_disk, 5000U);
  EXPECT_EQ(state.lost(), 4000U);
  EXPECT_THAT(state.trouble, ::testing::HasSubstr("File too large"));
  EXPECT_EQ(log->read(9'900, 1000)->bytes, piece);
  log->clear();
  log->append(Stream::kOutput, piece);
  EXPECT_EQ(log->state().trouble, "") << "clearing frees the disk";
  EXPECT_EQ(all_of(*log), piece);
}

TEST_F(OutputLogTest, ClearStartsOver) {
  const auto log = make();
  for (int i = 0; i < 5000; ++i) log->append(i % 2 == 0 ? Stream::kOutput : Stream::kError, "x\n");
  log->clear();
  EXPECT_EQ(log->generation(), 1U);
  EXPECT_EQ(log->state().all, StreamCount{});
  EXPECT_EQ(log->segments(0, 100), std::vector<Segment>{});
  log->append(Stream::kError, "new\n");
  EXPECT_EQ(all_of(*log), "new\n");
  EXPECT_EQ(log->read_stream(Stream::kError, 0, 10)->bytes, "new\n");
  EXPECT_EQ(directory_.names().size(), 1U) << "the old index is gone";
}

TEST_F(OutputLogTest, ReadersDoNotDisturbTheWriter) {
  const auto log = make({.memory_bytes = 4096});
  std::atomic<bool> done = false;
  {
    std::jthread reader([&] {
      std::mt19937 random(3);
      while (!done) {
        const std::uint64_t size = log->size();
        if (size < 10) continue;
        const std::uint64_t line = 1 + random() % (size / 10);
        const auto offset = log->line_offset(line);
        EXPECT_EQ(*offset, (line - 1) * 10);
        EXPECT_EQ(log->read(*offset, 10)->bytes.size(), 10U);
        const OutputState now = log->state();
        EXPECT_EQ(now.on_disk, now.all.bytes);
        EXPECT_EQ(now.output.bytes + now.error.bytes, now.all.bytes);
      }
    });
    for (int i = 0; i < 20'000; ++i)
      log->append(i % 3 == 0 ? Stream::kError : Stream::kOutput, "123456789\n");
    done = true;
  }
  EXPECT_EQ(log->size(), 200'000U);
}

TEST_F(OutputLogTest, ShrinkFreesMemoryAndKeepsEverythingReadable) {
  const auto log = make({.memory_bytes = 100'000});
  std::string all;
  for (int i = 0; i < 30'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    log->append(i % 2 == 0 ? Stream::kOutput : Stream::kError, line);
    all += line;
  }
  OutputState before = log->state();
  EXPECT_EQ(before.in_memory, 100'000U);
  const auto errors = log->read_stream(Stream::kError, 0, 1 << 20)->bytes;
  log->shrink();
  const OutputState after = log->state();
  EXPECT_LT(after.in_memory, 10'000U);
  EXPECT_GT(after.in_memory, 0U);
  EXPECT_EQ(after.lost(), 0U);
  EXPECT_EQ(after.all, before.all);
  EXPECT_EQ(all_of(*log), all);
  EXPECT_EQ(log->read_stream(Stream::kError, 0, 1 << 20)->bytes, errors);
  for (const std::size_t back : {1U, 8'192U, 8'193U, 50'000U})
    EXPECT_EQ(log->read(all.size() - back, 1 << 20)->bytes, all.substr(all.size() - back)) << back;
  EXPECT_EQ(*log->line_breaks_before(all.size() - 20'000),
            static_cast<std::uint64_t>(std::count(all.begin(), all.end() - 20'000, '\n')));
}

TEST_F(OutputLogTest, ShrinkKeepsBytesInMemoryThatAreNotOnDisk) {
  const auto log = make({.disk_bytes = 10'000, .memory_bytes = 50'000});
  const std::string all(60'000, 'x');
  log->append(Stream::kOutput, all);
  log->shrink();
  EXPECT_EQ(log->state().in_memory, 50'000U);
}

TEST_F(OutputLogTest, NoOutputFillsTheDisk) {
  // No disk has that much.
  const auto log = make({.free_bytes = std::uint64_t{1} << 60});
  const std::string piece(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 6; ++i) log->append(Stream::kOutput, piece);
  const OutputState state = log->state();
  EXPECT_EQ(state.all.bytes, std::uint64_t{6} << 20);
  EXPECT_LT(state.on_disk, std::uint64_t{4} << 20);
  EXPECT_THAT(state.trouble, ::testing::HasSubstr("is almost full"));
}

}  // namespace
}  // namespace helve::process
