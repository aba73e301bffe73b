#include "text/text_lines.h"

#include <gtest/gtest.h>

#include <random>

namespace helve::text {
namespace {

using namespace std::string_view_literals;

std::string as_utf16(std::string_view text, Charset charset) { return encode(text, {charset}).value(); }

TEST(TextLines, CountsEachKindOfEnding) {
  const LineCounts counts = count_lines("a\nb\r\nc\rd\r\n\n");
  EXPECT_EQ(counts, (LineCounts{11, 2, 2, 1, true, false}));
  EXPECT_EQ(counts.lines(), 4U);
  EXPECT_TRUE(counts.is_mixed());
  EXPECT_TRUE(counts.has_final_break());
  EXPECT_EQ(counts.dominant(), LineEnding::kLf);
}

TEST(TextLines, DoesNotCountTheEmptyLineAfterAFinalBreak) {
  EXPECT_EQ(count_lines("").lines(), 0U);
  EXPECT_EQ(count_lines("a").lines(), 1U);
  EXPECT_EQ(count_lines("a\n").lines(), 1U);
  EXPECT_EQ(count_lines("a\nb").lines(), 2U);
  EXPECT_EQ(count_lines("\n").lines(), 1U);
  EXPECT_EQ(count_lines("a\r\nb\r\n").lines(), 2U);
  EXPECT_EQ(count_lines("a\r\nb\r\n").dominant(), LineEnding::kCrLf);
  EXPECT_EQ(count_lines("a").dominant(), std::nullopt);
}

TEST(TextLines, CarriageReturnsEndLinesOnlyWithoutLineFeeds) {
  EXPECT_EQ(count_lines("a\rb\rc").lines(), 3U);
  EXPECT_EQ(count_lines("a\rb\rc").dominant(), LineEnding::kCr);
  EXPECT_EQ(count_lines("10%\r20%\rdone\n").lines(), 1U);
}

TEST(TextLines, CountsUtf16ByItsUnits) {
  // U+0A0A and U+0D0A contain the bytes of line feeds but are not line feeds.
  const std::string text = "a\r\n\xE0\xA8\x8A\xE0\xB4\x8A\nb";
  for (const Charset charset : {Charset::kUtf16Le, Charset::kUtf16Be}) {
    const LineCounts counts = count_lines(as_utf16(text, charset), charset);
    EXPECT_EQ(counts, (LineCounts{14, 1, 1, 0, false, false}));
    EXPECT_EQ(counts.lines(), 3U);
  }
}

TEST(TextLines, ChunksMaySplitAnywhere) {
  std::mt19937 random(7);
  for (const Charset charset : {Charset::kUtf8, Charset::kUtf16Le, Charset::kUtf16Be}) {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += "ab\r\n\n\r"[random() % 6];
    const std::string bytes = as_utf16(text, charset);
    const LineCounts whole = count_lines(bytes, charset);
    std::size_t lf = 0;
    std::size_t crlf = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      lf += text[i] == '\n';
      crlf += i > 0 && text[i] == '\n' && text[i - 1] == '\r';
    }
    EXPECT_EQ(whole.lf + whole.crlf, lf);
    EXPECT_EQ(whole.crlf, crlf);
    for (const std::size_t size : {1U, 3U, 64U, 1001U}) {
      LineCounter counter(charset);
      for (std::size_t at = 0; at < bytes.size(); at += size)
        counter.add(std::string_view(bytes).substr(at, size));
      EXPECT_EQ(counter.counts(), whole) << size;
    }
  }
}

TEST(TextLines, FindsWhereALineStarts) {
  const std::string_view text = "one\r\ntwo\nthree";
  EXPECT_EQ(find_line(text, 1, {}), 0U);
  EXPECT_EQ(find_line(text, 2, {}), 5U);
  EXPECT_EQ(find_line(text, 3, {}), 9U);
  EXPECT_EQ(find_line(text, 4, {}), std::nullopt);
  EXPECT_EQ(line_of(text, 0, {}), 1U);
  EXPECT_EQ(line_of(text, 8, {}), 2U);
  EXPECT_EQ(line_of(text, 9, {}), 3U);
  std::string large;
  for (int i = 1; i <= 50'000; ++i) large += std::to_string(i) + "\n";
  for (const std::size_t line : {1U, 2U, 777U, 49'999U, 50'000U}) {
    const auto at = find_line(large, line, {});
    ASSERT_TRUE(at);
    EXPECT_EQ(std::stoul(large.substr(*at)), line);
  }
  EXPECT_EQ(find_line(large, 50'001, {}), large.size());
  EXPECT_EQ(find_line(large, 50'002, {}), std::nullopt);
  const std::string wide = as_utf16("a\nb\nc", Charset::kUtf16Be);
  EXPECT_EQ(find_line(wide, 3, {Charset::kUtf16Be}), 8U);
}

TEST(TextLines, SplitsLinesWithTheirEndings) {
  std::string_view rest = "a\r\nb\n\nc\r";
  std::vector<std::pair<std::string_view, std::string_view>> lines;
  while (const auto line = next_line(rest, {})) lines.emplace_back(line->text, line->ending);
  EXPECT_EQ(lines, (std::vector<std::pair<std::string_view, std::string_view>>{
                       {"a", "\r\n"}, {"b", "\n"}, {"", "\n"}, {"c\r", ""}}));
  std::string_view old_mac = "a\rb";
  EXPECT_EQ(next_line(old_mac, {Charset::kUtf8, '\r'})->ending, "\r");
  EXPECT_EQ(next_line(old_mac, {Charset::kUtf8, '\r'})->text, "b");
  const std::string wide = as_utf16("x\r\ny", Charset::kUtf16Le);
  std::string_view wide_rest = wide;
  EXPECT_EQ(next_line(wide_rest, {Charset::kUtf16Le})->ending, "\r\0\n\0"sv);
  EXPECT_EQ(next_line(wide_rest, {Charset::kUtf16Le})->text, "y\0"sv);
}

}  // namespace
}  // namespace helve::text
