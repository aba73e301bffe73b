#include "process/output_excerpt.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "process/error_lines.h"
#include "process/output_text.h"
#include "process/testing.h"

namespace helve::process {
namespace {

class ExcerptTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<OutputLog> log_of(std::string_view text,
                                                  const OutputLimits& limits = {}) const {
    auto log = OutputLog::create(directory_.path(), limits);
    EXPECT_TRUE(log);
    while (!text.empty()) {
      (*log)->append(Stream::kOutput, text.substr(0, 10'007));
      text.remove_prefix(std::min<std::size_t>(text.size(), 10'007));
    }
    return std::move(*log);
  }
  static std::string numbered(int count) {
    std::string text;
    for (int i = 1; i <= count; ++i) text += concat("line ", i, "\n");
    return text;
  }
  TestDirectory directory_{0777};
};

TEST_F(ExcerptTest, KeepsShortOutputWhole) {
  const auto log = log_of("one\ntwo\n");
  const auto excerpt = head_and_tail(*log, 100);
  EXPECT_TRUE(excerpt->complete());
  EXPECT_EQ(to_text(*excerpt, *log), "one\ntwo\n");
  EXPECT_EQ(to_text(*head_and_tail(*log_of(""), 100), *log), "");
}

TEST_F(ExcerptTest, KeepsBothEndsOfLongOutputAndCountsTheRest) {
  const std::string text = numbered(1000);
  const auto log = log_of(text);
  const auto excerpt = head_and_tail(*log, 50);
  EXPECT_EQ(excerpt->head, "line 1\nline 2\nline 3\n");
  EXPECT_EQ(excerpt->tail, "line 999\nline 1000\n");
  EXPECT_EQ(excerpt->lines_left_out, 995U);
  EXPECT_EQ(excerpt->tail_line, 999U);
  EXPECT_EQ(excerpt->bytes_left_out(), text.size() - excerpt->head.size() - excerpt->tail.size());
  EXPECT_EQ(to_text(*excerpt, *log),
            "line 1\nline 2\nline 3\n[… 995 lines (8,853 bytes) left out …]\nline 999\nline 1000\n");
}

TEST_F(ExcerptTest, CountsAreConsistentForEveryBudget) {
  const std::string text = numbered(300) + std::string(500, 'y') + "\nlast";
  const auto log = log_of(text);
  for (std::size_t budget = 0; budget < text.size() + 100; budget += 13) {
    const auto excerpt = head_and_tail(*log, budget);
    ASSERT_TRUE(excerpt);
    EXPECT_LE(excerpt->head.size() + excerpt->tail.size(), budget);
    if (excerpt->complete()) {
      EXPECT_EQ(excerpt->head + excerpt->tail, text);
      continue;
    }
    EXPECT_EQ(excerpt->head, text.substr(0, excerpt->head_end));
    EXPECT_EQ(excerpt->tail, text.substr(excerpt->tail_start));
    const std::string middle = text.substr(excerpt->head_end, excerpt->bytes_left_out());
    const bool ends_line = middle.ends_with('\n');
    EXPECT_EQ(excerpt->lines_left_out,
              static_cast<std::uint64_t>(std::ranges::count(middle, '\n')) + (ends_line ? 0 : 1));
  }
}

TEST_F(ExcerptTest, CutsAVeryLongLine) {
  const std::string text(64 << 20, 'x');
  const auto log = log_of(text);
  const auto excerpt = head_and_tail(*log, 1000);
  EXPECT_EQ(excerpt->head, std::string(500, 'x'));
  EXPECT_EQ(excerpt->tail, std::string(500, 'x'));
  EXPECT_EQ(excerpt->bytes_left_out(), text.size() - 1000);
  EXPECT_EQ(excerpt->lines_left_out, 1U);
}

TEST_F(ExcerptTest, AProgressBarShrinksToItsLastState) {
  std::string text = "start\n";
  for (int i = 0; i <= 100; ++i) text += concat("\r\x1b[K", i, "% of the work");
  const auto log = log_of(text + "\ndone\n");
  EXPECT_EQ(to_text(*head_and_tail(*log, 100), *log), "start\n100% of the work\ndone\n");
}

TEST_F(ExcerptTest, NamesBinaryOutputInsteadOfShowingIt) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * 7919 >> 3);
  const auto log = log_of(bytes);
  const auto excerpt = head_and_tail(*log, 1000);
  EXPECT_TRUE(excerpt->binary);
  EXPECT_EQ(to_text(*excerpt, *log), concat("[binary output, 100,000 bytes, kept in ", log->path(), "]"));
}

TEST_F(ExcerptTest, CountsLostBytesAsLeftOut) {
  const std::string text = numbered(10'000);
  const auto log = log_of(text, {.disk_bytes = 1000, .memory_bytes = 1000});
  const auto excerpt = head_and_tail(*log, 200);
  EXPECT_TRUE(excerpt->head.starts_with("line 1\n"));
  EXPECT_TRUE(excerpt->tail.ends_with("line 10000\n"));
  EXPECT_EQ(excerpt->bytes_left_out(), text.size() - excerpt->head.size() - excerpt->tail.size());
}

TEST(ErrorLines, ClassifiesLines) {
  for (const char* line :
       {"main.cc:3:5: error: expected ';'", "error[E0308]: mismatched types", "fatal: not a git repository",
        "FAILED tests/x.py", "thread 'main' panicked at src/main.rs",
        "Traceback (most recent call last):", "ValueError: bad", "x.o: undefined reference to `f'",
        "npm ERR! code 1", "✗ does not work", "Assertion `x' failed.", "Segmentation fault (core dumped)",
        "bash: foo: command not found", "[ERROR] build", "not ok 3 - x", "java.lang.NullPointerException: x",
        "ERROR something", "panic: runtime error", "make: *** [all] Error 2"})
    EXPECT_EQ(severity_of(line), Severity::kError) << line;
  for (const char* line : {"warning: unused variable", "x.c:3:5: warning: y", "npm WARN deprecated"})
    EXPECT_EQ(severity_of(line), Severity::kWarning) << line;
  for (const char* line : {"0 errors", "no errors found", "compiling error_handler.cc", "10 passed, 0 failed",
                           "terror", "the fat alligator", "Finished in 0.3 s", "", "e"})
    EXPECT_EQ(severity_of(line), Severity::kNone) << line;
}

TEST_F(ExcerptTest, FindsErrorLinesOfALongLogWithTheirNumbers) {
  std::string text;
  for (int i = 1; i <= 200'000; ++i)
    text += i == 70'000    ? "a.cc:1: error: broken\n"
            : i == 150'000 ? "ld: undefined reference to x\n"
            : i == 9       ? "warning: odd\n"
                           : "compiling something\n";
  const auto log = log_of(text);
  const auto found = find_error_lines(*log, 0, log->size(), {.time = milliseconds(60'000)});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->complete);
  EXPECT_EQ(found->lines,
            (std::vector<ErrorLine>{{9, "warning: odd", Severity::kWarning},
                                    {70'000, "a.cc:1: error: broken", Severity::kError},
                                    {150'000, "ld: undefined reference to x", Severity::kError}}));
  const auto part = find_error_lines(*log, *log->line_offset(100'000), log->size());
  EXPECT_EQ(part->lines.size(), 1U);
  EXPECT_EQ(part->lines[0].number, 150'000U);
}

TEST_F(ExcerptTest, PrefersErrorsToWarningsWhenNotAllFit) {
  std::string text;
  for (int i = 1; i <= 1000; ++i) text += concat(i % 10 == 0 ? "error: e" : "warning: w", i, "\n");
  const auto found = find_error_lines(*log_of(text), 0, text.size(), {.most = 8});
  EXPECT_EQ(found->errors, 100U);
  EXPECT_EQ(found->warnings, 900U);
  ASSERT_EQ(found->lines.size(), 8U);
  EXPECT_EQ(found->lines.front().number, 10U);
  EXPECT_EQ(found->lines.back().number, 1000U) << "the last ones are shown too";
  for (const ErrorLine& line : found->lines) EXPECT_EQ(line.severity, Severity::kError);
}

TEST_F(ExcerptTest, BoundsMemoryForAVeryLongLine) {
  const std::string text = "error: " + std::string(20 << 20, 'x') + "\nerror: second\n";
  const auto found = find_error_lines(*log_of(text), 0, text.size(), {.time = milliseconds(60'000)});
  ASSERT_EQ(found->lines.size(), 2U);
  EXPECT_LT(found->lines[0].text.size(), 400U);
  EXPECT_EQ(found->lines[1], (ErrorLine{2, "error: second", Severity::kError}));
}

}  // namespace
}  // namespace helve::process
