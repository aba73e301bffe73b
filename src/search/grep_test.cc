#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "base/test_directory.h"
#include "search/grep.h"
#include "search/pattern.h"
#include "search/ripgrep_process.h"

namespace helve::search {
namespace {

class GrepTest : public ::testing::Test {
 protected:
  GrepAnswer grep(const GrepQuery& query, const ShouldStop& should_stop = [] { return false; }) {
    const auto root = workspace::Root::open(directory_.path());
    auto answer = grep_builtin(*root, query, should_stop);
    if (!answer) ADD_FAILURE() << answer.error().message;
    return answer ? std::move(*answer) : GrepAnswer{};
  }
  // "a.txt:2 two" for matches, "a.txt-1 one" for context.
  static std::vector<std::string> lines(const GrepAnswer& answer) {
    std::vector<std::string> all;
    for (const FoundFile& file : answer.files) {
      for (const FoundLine& line : file.lines)
        all.push_back(concat(file.path, line.is_match() ? ":" : "-", line.number, " ", line.text));
    }
    return all;
  }
  using Lines = std::vector<std::string>;

  TestDirectory directory_;
};

TEST_F(GrepTest, ReportsFileLineColumnAndSubmatches) {
  directory_.write("b.txt", "one\ntwo, two\n");
  directory_.write("a/x.txt", "two\n");
  const GrepAnswer answer = grep({.pattern = "two"});
  EXPECT_EQ(lines(answer), (Lines{"a/x.txt:1 two", "b.txt:2 two, two"}));
  EXPECT_EQ(answer.files[1].lines[0].matches, (std::vector<Submatch>{{0, 3}, {5, 8}}));
  EXPECT_EQ(answer.matches, 2U);
  EXPECT_EQ(answer.files_searched, 2U);
  EXPECT_FALSE(answer.more);
}

TEST_F(GrepTest, ShowsContextOnceEvenIfMatchesAreNear) {
  directory_.write("a.txt", "1\n2\nx3\n4\nx5\n6\n7\n8\nx9\n");
  EXPECT_EQ(
      lines(grep({.pattern = "x", .lines_before = 1, .lines_after = 1})),
      (Lines{"a.txt-2 2", "a.txt:3 x3", "a.txt-4 4", "a.txt:5 x5", "a.txt-6 6", "a.txt-8 8", "a.txt:9 x9"}));
}

TEST_F(GrepTest, FindsALastLineWithoutABreakAndNoLineAfterTheLastBreak) {
  directory_.write("a.txt", "x\nlast");
  directory_.write("b.txt", "x\n");
  EXPECT_EQ(lines(grep({.pattern = "last$"})), (Lines{"a.txt:2 last"}));
  EXPECT_EQ(lines(grep({.pattern = "^"})), (Lines{"a.txt:1 x", "a.txt:2 last", "b.txt:1 x"}));
}

TEST_F(GrepTest, TreatsCrlfAsALineEnding) {
  directory_.write("a.txt", "end\r\nthe end\r\n");
  EXPECT_EQ(lines(grep({.pattern = "end$", .syntax = {.crlf = true}})),
            (Lines{"a.txt:1 end", "a.txt:2 the end"}));
  EXPECT_EQ(lines(grep({.pattern = "end\\r$"})), (Lines{"a.txt:1 end", "a.txt:2 the end"}));
}

TEST_F(GrepTest, SkipsBinaryFilesUnlessTheCallerNamesThem) {
  directory_.write("early.bin", std::string("needle\0", 7));
  directory_.write("late.bin", "needle\n" + std::string(300'000, 'x') + std::string(1, '\0'));
  directory_.write("text.txt", "needle\n");
  EXPECT_EQ(lines(grep({.pattern = "needle"})), (Lines{"text.txt:1 needle"}));
  EXPECT_EQ(grep({.pattern = "needle", .path = "early.bin"}).matches, 1U);
  EXPECT_EQ(grep({.pattern = "needle", .path = "late.bin"}).matches, 1U);
}

TEST_F(GrepTest, ReadsUtf16WithoutTheByteOrderMark) {
  directory_.write("le.txt", std::string("\xFF\xFE"
                                         "a\0\xE9\0\n\0b\0\n\0",
                                         12));
  directory_.write("be.txt", std::string("\xFE\xFF\0a\0\xE9\0\n", 8));
  directory_.write("utf8.txt",
                   "\xEF\xBB\xBF"
                   "aé\n");
  const GrepAnswer answer = grep({.pattern = "^aé$"});
  EXPECT_EQ(lines(answer), (Lines{"be.txt:1 aé", "le.txt:1 aé", "utf8.txt:1 aé"}));
  for (const FoundFile& file : answer.files) EXPECT_EQ(file.lines[0].matches[0].begin, 0U) << file.path;
}

TEST_F(GrepTest, ShortensLongLinesAroundTheMatch) {
  directory_.write("a.js", std::string(100'000, 'a') + "needle" + std::string(100'000, 'b') + "\n");
  const GrepAnswer answer = grep({.pattern = "needle", .longest_line = 60});
  const FoundLine& line = answer.files.at(0).lines.at(0);
  EXPECT_EQ(line.text, "…" + std::string(18, 'a') + "needle" + std::string(36, 'b') + "…");
  EXPECT_EQ(line.matches[0].begin, 100'000U);
  EXPECT_EQ(line.bytes, 200'006U);
}

TEST_F(GrepTest, NeverSplitsACharacter) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "é€";
  directory_.write("a.txt", text + "x" + text + "\n");
  for (std::size_t longest = 20; longest < 30; ++longest) {
    const GrepAnswer answer = grep({.pattern = "x", .longest_line = longest});
    EXPECT_THAT(answer.files.at(0).lines.at(0).text, ::testing::Not(::testing::HasSubstr("\xEF\xBF\xBD")))
        << longest;
  }
}

TEST_F(GrepTest, SearchesLargeFilesInPiecesWithCorrectLinesAndContext) {
  // Larger than one piece, with matches around the boundaries of pieces.
  std::string text;
  std::size_t number = 0;
  std::vector<std::size_t> wanted;
  while (text.size() < (std::size_t{40} << 20)) {
    const bool hit = ++number % 50'021 == 0;
    if (hit) wanted.push_back(number);
    text += hit ? "a line with the needle in it\n" : concat("just line ", number, " of many others\n");
  }
  directory_.write("large.txt", text);
  const GrepAnswer answer =
      grep({.pattern = "needle", .lines_before = 2, .lines_after = 2, .most_matches = 1'000});
  std::vector<std::size_t> found;
  for (const FoundLine& line : answer.files.at(0).lines) {
    if (line.is_match()) {
      found.push_back(line.number);
      EXPECT_EQ(line.text, "a line with the needle in it");
    } else {
      EXPECT_EQ(line.text, concat("just line ", line.number, " of many others"));
    }
  }
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(answer.files.at(0).lines.size(), wanted.size() * 5);
}

TEST_F(GrepTest, MatchesMaySpanLinesOnRequest) {
  directory_.write("a.cc", "if (x) {\n  return;\n}\nif (y) {\n  go();\n}\n");
  const GrepAnswer answer = grep({.pattern = "\\{\\n\\s*return", .syntax = {.across_lines = true}});
  EXPECT_EQ(lines(answer), (Lines{"a.cc:1 if (x) {\n  return;"}));
  EXPECT_EQ(answer.files[0].lines[0].matches, (std::vector<Submatch>{{7, 17}}));
}

TEST_F(GrepTest, AnEmptyMatchAfterAMultiLineMatchIsPartOfIt) {
  directory_.write("a.txt", "a\n\nx\n");
  EXPECT_EQ(lines(grep({.pattern = "a\\n|^$", .syntax = {.across_lines = true}})), (Lines{"a.txt:1 a"}));
}

TEST_F(GrepTest, AMultiLineHitKeepsItsContextAtTheLimitAndWhenShortened) {
  const std::string tall = "BEGIN " + std::string(600, 'x') + "\nmore\nEND\n";
  directory_.write("a.txt", tall + "after\nb\nc\nBEGIN\nEND\n");
  for (const std::size_t most : {1U, 2U}) {
    const GrepAnswer answer = grep({.pattern = "BEGIN(?s:.*?)END",
                                    .syntax = {.across_lines = true},
                                    .lines_before = 1,
                                    .lines_after = 1,
                                    .most_matches = most});
    ASSERT_GE(answer.files.at(0).lines.size(), 2U);
    EXPECT_EQ(answer.files[0].lines[0].last_number, 3U);
    EXPECT_EQ(answer.files[0].lines[1].number, 4U);
    EXPECT_EQ(answer.files[0].lines[1].text, "after");
  }
}

TEST_F(GrepTest, TheStartOfAPieceIsNotTheStartOfTheFile) {
  std::string text;
  while (text.size() < (std::size_t{20} << 20)) text += "foo\n";
  directory_.write("a.txt", text);
  EXPECT_EQ(lines(grep({.pattern = "\\Afoo"})), (Lines{"a.txt:1 foo"}));
}

TEST_F(GrepTest, StopsInsideAMultiLineSearchThatWouldTakeHours) {
  directory_.write("a.txt", std::string(2'000'000, 'a') + "\n");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  const GrepAnswer answer = grep({.pattern = "a(?s:.*)zzz|a", .syntax = {.across_lines = true}},
                                 [&] { return std::chrono::steady_clock::now() > deadline; });
  EXPECT_TRUE(answer.stopped);
}

TEST_F(GrepTest, CountsBinaryFilesThatMatchButOmitsThem) {
  directory_.write("a.bin", std::string("needle\0", 7));
  directory_.write("b.bin", std::string("other\0", 6));
  directory_.write("utf32.txt", std::string("\xFF\xFE\0\0n\0\0\0", 8));
  EXPECT_EQ(grep({.pattern = "needle"}).binary_files, 1U);
  EXPECT_EQ(lines(grep({.pattern = "n"})), Lines{});
}

TEST_F(GrepTest, RejectsACursorOutsideOfTheSearch) {
  directory_.write("src/a.txt", "x\n");
  directory_.write("secret/k", "x\n");
  const auto root = workspace::Root::open(directory_.path());
  const GrepQuery query{.pattern = "x", .path = "src", .after = GrepPosition{"secret/k", 1}};
  EXPECT_EQ(grep_builtin(*root, query, [] { return false; }).error().code, ErrorCode::kInvalidArgument);
}

// Reading the answer in pages must give the same lines as one search.
TEST_F(GrepTest, ContinuesWhereTheLastAnswerEnded) {
  for (int i = 0; i < 40; ++i) {
    std::string text;
    for (int line = 0; line < 30; ++line) text += line % 3 == 0 ? "hit\n" : "miss\n";
    directory_.write(concat("d", i % 7, "/f", i, ".txt"), text);
  }
  const Lines all = lines(grep({.pattern = "hit", .most_matches = 10'000}));
  EXPECT_EQ(all.size(), 400U);
  Lines pieces;
  GrepQuery query{.pattern = "hit", .most_matches = 7};
  for (;;) {
    const GrepAnswer answer = grep(query);
    for (const std::string& line : lines(answer)) pieces.push_back(line);
    if (!answer.more) break;
    EXPECT_EQ(answer.matches, 7U);
    query.after = GrepPosition{answer.files.back().path, answer.files.back().lines.back().number};
  }
  EXPECT_EQ(pieces, all);
}

TEST_F(GrepTest, ReturnsTheFirstHitsInOrderWhenStopped) {
  for (int i = 0; i < 300; ++i) directory_.write(concat("d", i / 10, "/f", i, ".txt"), "hit\n");
  const Lines all = lines(grep({.pattern = "hit", .most_matches = 1'000}));
  std::atomic<int> asked = 0;
  const GrepAnswer answer = grep({.pattern = "hit", .most_matches = 1'000}, [&] { return ++asked > 200; });
  EXPECT_TRUE(answer.stopped);
  EXPECT_FALSE(answer.reached.empty());
  const Lines some = lines(answer);
  EXPECT_LT(some.size(), all.size());
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << "not the first ones";
}

TEST_F(GrepTest, CountsWithoutKeepingLines) {
  directory_.write("a.txt", "x\nx\ny\n");
  directory_.write("b.txt", "x\n");
  const GrepAnswer counts = grep({.pattern = "x", .wanted = GrepQuery::Wanted::kCounts});
  EXPECT_EQ(counts.files, (std::vector<FoundFile>{{"a.txt", 2, {}}, {"b.txt", 1, {}}}));
  const GrepAnswer totals = grep({.pattern = "x", .wanted = GrepQuery::Wanted::kTotals});
  EXPECT_EQ(totals.matches, 3U);
  EXPECT_EQ(totals.files_found, 2U);
  EXPECT_TRUE(totals.files.empty());
}

TEST_F(GrepTest, GlobsDoNotIncludeIgnoredFiles) {
  directory_.write(".ignore", "*.log\n");
  directory_.write("a.cc", "x\n");
  directory_.write("a.log", "x\n");
  directory_.write("src/b.cc", "x\n");
  directory_.write("src/b.h", "x\n");
  EXPECT_EQ(lines(grep({.pattern = "x", .file_globs = {"*"}})),
            (Lines{"a.cc:1 x", "src/b.cc:1 x", "src/b.h:1 x"}));
  EXPECT_EQ(lines(grep({.pattern = "x", .file_globs = {"*.cc", "*.log"}})),
            (Lines{"a.cc:1 x", "src/b.cc:1 x"}));
  EXPECT_EQ(lines(grep({.pattern = "x", .file_globs = {"src/*.{h,cc}", "!*.h"}})), (Lines{"src/b.cc:1 x"}));
  EXPECT_EQ(lines(grep({.pattern = "x", .path = "src", .file_globs = {"src/*.h"}})), (Lines{"src/b.h:1 x"}));
  EXPECT_EQ(lines(grep({.pattern = "x", .file_globs = {"*.log"}, .ignored = true})), (Lines{"a.log:1 x"}));
}

class EngineTest : public GrepTest {
 protected:
  // Searches into `answer` and returns the log output.
  std::string grep_with(const EngineChoice& choice, GrepAnswer& answer) {
    const std::string log = directory_.path() + ".log";
    {
      const UniqueFd fd(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
      Logger logger(LogLevel::kWarning, Logger::Format::kPlain, fd.get());
      const auto root = workspace::Root::open(directory_.path());
      const auto found = search::grep(*root, {.pattern = "needle"}, choice, logger, [] { return false; });
      if (found) answer = *found;
    }
    std::ifstream in(log);
    const std::string output(std::istreambuf_iterator<char>(in), {});
    std::filesystem::remove(log);
    return output;
  }
  std::string script(const std::string& body) {
    directory_.write(".bin/rg", "#!/bin/sh\n" + body);
    std::filesystem::permissions(directory_.at(".bin/rg"), std::filesystem::perms::owner_all);
    return directory_.at(".bin/rg");
  }
};

TEST_F(EngineTest, MissingRipgrepIsLoggedAndTheBuiltinEngineIsUsed) {
  directory_.write("a.txt", "needle\n");
  GrepAnswer answer;
  const std::string log = grep_with({.engine = Engine::kRipgrep, .ripgrep = "no-such-ripgrep"}, answer);
  EXPECT_THAT(log, ::testing::HasSubstr("no-such-ripgrep"));
  EXPECT_EQ(answer.engine, "builtin");
  EXPECT_EQ(lines(answer), (Lines{"a.txt:1 needle"}));
}

TEST_F(EngineTest, KilledRipgrepIsLoggedAndTheBuiltinEngineIsUsed) {
  directory_.write("a.txt", "needle\n");
  directory_.write("b.txt", "needle\n");
  const std::string program = script(
      "echo '{\"type\":\"begin\",\"data\":{\"path\":{\"text\":\"./a.txt\"}}}'\n"
      "echo "
      "'{\"type\":\"match\",\"data\":{\"path\":{\"text\":\"./a.txt\"},\"lines\":{\"text\":\"needle\\\\n\"},"
      "\"line_number\":1,\"submatches\":[{\"start\":0,\"end\":6}]}}'\nkill -9 $$\n");
  GrepAnswer answer;
  const std::string log = grep_with({.engine = Engine::kRipgrep, .ripgrep = program}, answer);
  EXPECT_THAT(log, ::testing::HasSubstr("exited early"));
  EXPECT_EQ(lines(answer), (Lines{"a.txt:1 needle", "b.txt:1 needle"}));
}

TEST_F(EngineTest, UnparsableRipgrepOutputIsLoggedAndTheBuiltinEngineIsUsed) {
  directory_.write("a.txt", "needle\n");
  GrepAnswer answer;
  const std::string log = grep_with({.engine = Engine::kRipgrep, .ripgrep = script("echo hello\n")}, answer);
  EXPECT_THAT(log, ::testing::HasSubstr("could not be parsed"));
  EXPECT_EQ(answer.engine, "builtin");
}

TEST_F(EngineTest, RelativeRipgrepPathsAreRejected) {
  EXPECT_FALSE(find_program("./rg"));
  EXPECT_FALSE(find_program("bin/rg"));
}

TEST_F(EngineTest, RealRipgrepGivesTheSameAnswer) {
  if (!find_program("rg")) GTEST_SKIP() << "ripgrep is not installed";
  directory_.write("a.txt", "one\nneedle\nthree\n");
  directory_.write("b/c.txt", "needle \xFF needle\r\n");
  GrepAnswer theirs;
  EXPECT_EQ(grep_with({.engine = Engine::kRipgrep}, theirs), "");
  GrepAnswer ours;
  EXPECT_EQ(grep_with({.engine = Engine::kBuiltin}, ours), "");
  EXPECT_EQ(theirs.engine, "ripgrep");
  EXPECT_EQ(ours.files, theirs.files);
}

TEST_F(EngineTest, RealRipgrepGivesTheSamePagesWithMuchContext) {
  if (!find_program("rg")) GTEST_SKIP() << "ripgrep is not installed";
  std::string text;
  for (int i = 0; i < 200; ++i) text += "needle\n" + std::string(202, '\n');
  directory_.write("a.txt", text);
  directory_.write("b.txt", "needle\nx\nneedle\n");
  const auto root = workspace::Root::open(directory_.path());
  Logger logger(LogLevel::kWarning);
  for (const std::size_t most : {1'000U, 3U}) {
    GrepQuery query{.pattern = "needle", .lines_before = 50, .lines_after = 50, .most_matches = most};
    for (int page = 0; page < 3; ++page) {
      const auto ours =
          search::grep(*root, query, {.engine = Engine::kBuiltin}, logger, [] { return false; });
      const auto theirs =
          search::grep(*root, query, {.engine = Engine::kRipgrep}, logger, [] { return false; });
      ASSERT_TRUE(ours && theirs);
      EXPECT_EQ(ours->files, theirs->files) << most << " page " << page;
      EXPECT_EQ(ours->more, theirs->more);
      if (!ours->more) break;
      query.after = GrepPosition{ours->files.back().path, 0};
      for (const FoundLine& line : ours->files.back().lines) {
        if (line.is_match()) query.after->line = line.number;
      }
    }
  }
}

TEST(Pattern, DetectsCarriageReturnEscapes) {
  for (const char* pattern :
       {"\\r", "a\r", "\\x0D", "\\x0d$", "\\x{D}", "\\x{0d}", "\\u000D", "\\u{d}", "\\U0000000D"})
    EXPECT_FALSE(wants_crlf(pattern, {})) << pattern;
  for (const char* pattern : {"r", "\\\\r", "\\x0DF", "\\x{D0}", "foo$", "\\d"})
    EXPECT_TRUE(wants_crlf(pattern, {})) << pattern;
  EXPECT_TRUE(wants_crlf("\\r", {.literal = true}));
}

}  // namespace
}  // namespace helve::search
