// Commands that write more than fits in memory.
#include <sys/resource.h>

#include "process/error_lines.h"
#include "process/testing.h"

namespace helve::process {
namespace {

class FloodTest : public JobsTest {
 protected:
  static long most_memory_kilobytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  }
};

TEST_F(FloodTest, CountsAndKeepsAQuarterOfAGigabyteExactly) {
  const long before = most_memory_kilobytes();
  const auto job = run("yes 'a line of text' | head -c 268435456");
  const OutputState state = job->log().state();
  EXPECT_EQ(state.all.bytes, 268'435'456U);
  EXPECT_EQ(state.all.lines, 268'435'456U / 15 + 1);
  EXPECT_EQ(state.on_disk, state.all.bytes);
  EXPECT_EQ(std::filesystem::file_size(job->log().path()), state.all.bytes);
  EXPECT_LT(most_memory_kilobytes() - before, 64 << 10) << "grown by this many KiB";
  // Compare byte for byte with cmp.
  const auto compared =
      run(concat("yes 'a line of text' | head -c 268435456 | cmp - '", job->log().path(), "'"));
  EXPECT_EQ(compared->status().exit_code, 0) << text_of(*compared);
  // A line in the middle.
  const auto offset = job->log().line_offset(9'000'001);
  EXPECT_EQ(*offset, 9'000'000U * 15);
  EXPECT_EQ(job->log().read(*offset, 15)->bytes, "a line of text\n");
}

TEST_F(FloodTest, CountsConcurrentStreamsSeparately) {
  const auto job = run("yes out | head -c 20000000 & yes error | head -c 30000000 >&2; wait");
  const OutputState state = job->log().state();
  EXPECT_EQ(state.output, (StreamCount{20'000'000, 5'000'000}));
  EXPECT_EQ(state.error, (StreamCount{30'000'000, 5'000'000}));
  EXPECT_EQ(state.all.bytes, 50'000'000U);
  for (const std::uint64_t at : {0ULL, 4'000ULL, 10'000'000ULL, 19'999'996ULL})
    EXPECT_EQ(job->log().read_stream(Stream::kOutput, at, 4)->bytes, "out\n") << at;
  EXPECT_EQ(job->log().read_stream(Stream::kError, 29'999'994, 100)->bytes, "error\n");
}

TEST_F(FloodTest, BoundsMemoryForALineOf64Megabytes) {
  const long before = most_memory_kilobytes();
  const auto job = run("head -c 67108864 /dev/zero | tr '\\0' x");
  EXPECT_EQ(job->log().state().all, (StreamCount{67'108'864, 1}));
  const auto excerpt = head_and_tail(job->log(), 1000);
  EXPECT_EQ(excerpt->bytes_left_out(), 67'107'864U);
  EXPECT_LT(most_memory_kilobytes() - before, 64 << 10);
}

TEST_F(FloodTest, RecognisesBinaryOutput) {
  const auto job = run("head -c 10000000 /dev/urandom");
  EXPECT_EQ(job->log().state().all.bytes, 10'000'000U);
  EXPECT_TRUE(head_and_tail(job->log(), 1000)->binary);
}

TEST_F(FloodTest, CountsExactlyBeyondTheDiskLimit) {
  auto request = shell_request(directory_, "yes | head -c 50000000; echo the end");
  request.output.disk_bytes = 1'000'000;
  const auto job = run(std::move(request));
  const OutputState state = job->log().state();
  EXPECT_EQ(state.all, (StreamCount{50'000'008, 25'000'001}));
  EXPECT_EQ(state.on_disk, 1'000'000U);
  EXPECT_NE(state.trouble, "");
  EXPECT_TRUE(head_and_tail(job->log(), 100)->tail.ends_with("y\nthe end\n"));
}

}  // namespace
}  // namespace helve::process
