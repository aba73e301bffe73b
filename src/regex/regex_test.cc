#include "regex/regex.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"

namespace helve::regex {
namespace {

constexpr SyntaxOptions kManyLines{.across_lines = true};

Regex regex_of(std::string_view pattern, const SyntaxOptions& options = {}) {
  auto regex = Regex::compile(pattern, options);
  EXPECT_TRUE(regex.has_value()) << pattern;
  return *regex;
}

// All matches in order, as "0-2 5-5".
std::string all(std::string_view pattern, std::string_view text, const SyntaxOptions& options = {}) {
  Finder finder(regex_of(pattern, options));
  std::string out;
  for (std::size_t from = 0; from <= text.size();) {
    const auto match = finder.find(text, from);
    if (!match) break;
    out += concat(out.empty() ? "" : " ", match->begin, "-", match->end);
    from = match->end > match->begin ? match->end : match->end + 1;
  }
  return out;
}

TEST(Regex, PrefersTheLeftmostMatchAndThenWhatIsWrittenFirst) {
  EXPECT_EQ(all("b|abc|ab", "xabcb"), "1-4 4-5");
  EXPECT_EQ(all("a|ab", "ab"), "0-1");
  EXPECT_EQ(all("a+?b??", "aab"), "0-1 1-2");
  EXPECT_EQ(all("(?:a|ab)(?:c|bcd)(?:d*)", "abcd"), "0-4");
}

TEST(Regex, FindsEmptyMatches) {
  EXPECT_EQ(all("", "ab"), "0-0 1-1 2-2");
  EXPECT_EQ(all("x*", "axb"), "0-0 1-2 2-2 3-3");
  EXPECT_EQ(all("^", "a\nb\n"), "0-0 2-2 4-4");
  EXPECT_EQ(all("$", "a\nb"), "1-1 3-3");
  EXPECT_EQ(all("", "\xC3\xA9"), "0-0 1-1 2-2");  // bytes, not characters, as in the regex crate
}

TEST(Regex, LookAroundsSeeTextBeforeTheStartOfTheSearch) {
  Finder words(regex_of("\\bb"));
  EXPECT_EQ(words.find("ab", 1), std::nullopt);
  EXPECT_EQ(words.find(" b", 1), (Span{1, 2}));
  EXPECT_EQ(words.find("\xC3\xA9"
                       "b",
                       2),
            std::nullopt);
  Finder lines(regex_of("^b"));
  EXPECT_EQ(lines.find("ab", 1), std::nullopt);
  EXPECT_EQ(lines.find("\nb", 1), (Span{1, 2}));
  Finder text(regex_of("\\Ab"));
  EXPECT_EQ(text.find("\nb", 1), std::nullopt);
}

TEST(Regex, NoMatchBeginsBeforeTheStartOfTheSearch) {
  Finder finder(regex_of("a+b"));
  EXPECT_EQ(finder.find("aaab", 2), (Span{2, 4}));
  EXPECT_EQ(finder.find("aaab", 3), std::nullopt);
  EXPECT_EQ(finder.find("aaab", 5), std::nullopt);
}

TEST(Regex, KnowsUnicodeWords) {
  EXPECT_EQ(all("\\b\\w+\\b", "\xC3\xA9t\xC3\xA9 \xE4\xB8\xAD!"), "0-5 6-9");
  EXPECT_EQ(all("(?-u:\\b)t(?-u:\\b)", "\xC3\xA9t\xC3\xA9"), "2-3");
  EXPECT_EQ(all("\\bt\\b", "\xC3\xA9t\xC3\xA9"), "");
  EXPECT_EQ(all("(?i)\xC3\x89", "\xC3\xA9"), "0-2");
}

TEST(Regex, SkipsMalformedText) {
  EXPECT_EQ(all(".", "a\xFF\xE2\x82z"), "0-1 4-5");
  EXPECT_EQ(all("(?-u:\\xFF)", "a\xFFz"), "1-2");
  EXPECT_EQ(all("[^a]", "\x80\xC3\xA9"), "1-3");
}

TEST(Regex, EndsLinesAtCarriageReturnsOnRequest) {
  const SyntaxOptions crlf{.crlf = true};
  EXPECT_EQ(all("a$", "a\r\na\n", crlf), "0-1 3-4");
  EXPECT_EQ(all("a$", "a\r\na\n"), "3-4");
  EXPECT_EQ(all("^a", "a\r\na", crlf), "0-1 3-4");
}

TEST(Regex, MatchesAcrossLinesOnRequest) {
  EXPECT_EQ(all("a\\s+b", "a\n\nb", kManyLines), "0-4");
  EXPECT_EQ(all("a\\s+b", "a\n\nb a b"), "5-8");
}

TEST(Regex, PrefersTheEmptyPathThroughALoopWithALook) {
  EXPECT_EQ(all("(?:\\b|%)+", "z%"), "0-0 1-1");
  EXPECT_EQ(all("(?:^|[a-c])+", "ab"), "0-0 1-2");
}

TEST(Regex, RejectsPatternsThatAreTooLarge) {
  const auto regex = Regex::compile("((\\w{1000}){1000}){1000}");
  ASSERT_FALSE(regex.has_value());
  EXPECT_EQ(regex.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(regex.error().message.starts_with("The pattern is too large")) << regex.error().message;
  EXPECT_TRUE(Regex::compile("\\w{1000}").has_value());
}

TEST(Finder, FindsWhereTheFirstMatchEnds) {
  Finder finder(regex_of("b\\w+"));
  EXPECT_EQ(finder.find_end("a\nxbcd\n"), 5u);
  EXPECT_EQ(finder.find_end("a\nxbcd\n", 4), std::nullopt);
  EXPECT_FALSE(finder.matches("b"));
  EXPECT_TRUE(finder.matches("bb"));
  EXPECT_FALSE(finder.find_end("bb", 7).has_value());
}

TEST(Finder, FindsTheLineOfTheLeftmostMatchInManyLines) {
  Finder finder(regex_of("a.*b|c"));
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "xx a xx\n";
  const std::size_t line = text.size();
  text += "a c b\nc\n";
  const auto end = finder.find_end(text);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(*end, line + 3);
  EXPECT_EQ(finder.find(text), (Span{line, line + 5}));
}

TEST(Finder, KeepsItsCacheWhenMoved) {
  Finder first(regex_of("b+"));
  EXPECT_EQ(first.find("abb"), (Span{1, 3}));
  Finder second(std::move(first));
  EXPECT_EQ(second.find("abb"), (Span{1, 3}));
  second = Finder(regex_of("a"));
  EXPECT_EQ(second.find("abb"), (Span{0, 1}));
}

TEST(Finder, OutlivesTheRegex) {
  std::optional<Finder> finder;
  {
    const Regex regex = regex_of("\\w+");
    finder.emplace(regex);
  }
  EXPECT_EQ(finder->find("  ab "), (Span{2, 4}));
}

TEST(Finder, SharesARegexWithOtherThreads) {
  const Regex regex = regex_of("\\bk\\w*9\\b");
  std::string text;
  for (int i = 0; i < 3000; ++i) text += concat("k", i, " ");
  std::vector<std::size_t> counts(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t& count : counts)
      threads.emplace_back([&] {
        Finder finder(regex);
        for (auto match = finder.find(text); match; match = finder.find(text, match->end)) ++count;
      });
  }
  EXPECT_EQ(counts, std::vector<std::size_t>(4, 300));
}

TEST(Finder, FindsNothingOnceItIsStopped) {
  std::atomic<bool> stop = false;
  Finder finder(regex_of("a"), &stop);
  EXPECT_TRUE(finder.matches("xxa"));
  stop = true;
  EXPECT_EQ(finder.find("xxa"), std::nullopt);
  EXPECT_EQ(finder.find_end("xxa"), std::nullopt);
}

}  // namespace
}  // namespace helve::regex
