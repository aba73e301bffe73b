#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/strings.h"
#include "base/test_directory.h"
#include "search/find.h"
#include "search/grep.h"
#include "search/pattern.h"

namespace helve::search {
namespace {

using Lines = std::vector<std::string>;

class GrepOptions : public ::testing::Test {
 protected:
  // "a.txt:2:5 two": line, column and text of each match.
  Lines matches(GrepQuery query) {
    query.syntax.crlf = wants_crlf(query.pattern, query.syntax);
    const auto root = workspace::Root::open(directory_.path());
    const auto answer = grep_builtin(*root, query, [] { return false; });
    if (!answer) return {answer.error().message};
    Lines all;
    for (const FoundFile& file : answer->files) {
      if (file.lines.empty()) all.push_back(file.path);
      for (const FoundLine& line : file.lines)
        if (line.is_match())
          all.push_back(
              concat(file.path, ":", line.number, ":", line.matches.front().begin + 1, " ", line.text));
    }
    return all;
  }
  Lines find(const FindQuery& query) {
    const auto root = workspace::Root::open(directory_.path());
    const auto answer = find_files(*root, query, [] { return false; });
    if (!answer) return {answer.error().message};
    Lines all;
    for (const FoundEntry& entry : answer->entries) all.push_back(entry.path);
    return all;
  }

  TestDirectory directory_;
};

TEST_F(GrepOptions, AnEmptyPatternMatchesEveryLine) {
  directory_.write("a", "x\n\n");
  EXPECT_EQ(matches({.pattern = ""}), (Lines{"a:1:1 x", "a:2:1 "}));
  EXPECT_EQ(matches({.pattern = "", .syntax = {.literal = true}}), (Lines{"a:1:1 x", "a:2:1 "}));
}

TEST_F(GrepOptions, InvertFindsLinesWithoutAMatch) {
  directory_.write("a", "one\ntwo\nthree");
  EXPECT_EQ(matches({.pattern = "o", .invert = true}), Lines{"a:3:1 three"});
  EXPECT_EQ(matches({.pattern = "two\\nth", .syntax = {.across_lines = true}, .invert = true}),
            Lines{"a:1:1 one"});
}

TEST_F(GrepOptions, WordsAndLinesAreWhole) {
  using Whole = regex::SyntaxOptions::Whole;
  directory_.write("a", "foobar\na foo b\nfoo\n");
  EXPECT_EQ(matches({.pattern = "x|foo", .syntax = {.whole = Whole::kWord}}),
            (Lines{"a:2:3 a foo b", "a:3:1 foo"}));
  EXPECT_EQ(matches({.pattern = "x|foo", .syntax = {.whole = Whole::kLine}}), Lines{"a:3:1 foo"});
  EXPECT_EQ(matches({.pattern = "(?x) foo # )", .syntax = {.whole = Whole::kLine}}), Lines{"a:3:1 foo"});
}

TEST_F(GrepOptions, MatchesPerFileAreLimitedAlsoOnTheNextPage) {
  directory_.write("a", "x1\nx2\nx3\nx4\n");
  directory_.write("b", "x5\n");
  EXPECT_EQ(matches({.pattern = "x", .most_per_file = 2}), (Lines{"a:1:1 x1", "a:2:1 x2", "b:1:1 x5"}));
  EXPECT_EQ(matches({.pattern = "x", .most_per_file = 2, .after = GrepPosition{"a", 1}}),
            (Lines{"a:2:1 x2", "b:1:1 x5"}));
}

TEST_F(GrepOptions, FilesWithoutAMatchAreFiles) {
  directory_.write("a", "x\n");
  directory_.write("b", "y\n");
  directory_.write("c", "x\n");
  directory_.write("d", "");
  EXPECT_EQ(matches({.pattern = "x", .wanted = GrepQuery::Wanted::kFilesWithout}), (Lines{"b", "d"}));
}

TEST_F(GrepOptions, LinksAreFollowedWithinTheWorkspaceAndLoopsAreNot) {
  directory_.write("in/a", "x\n");
  directory_.link("in", "through");
  directory_.link("in/a", "z");
  directory_.link(".", "in/loop");
  directory_.link("/etc", "outside");
  EXPECT_EQ(matches({.pattern = "x"}), Lines{"in/a:1:1 x"});
  EXPECT_EQ(matches({.pattern = "x", .follow = true}), (Lines{"in/a:1:1 x", "through/a:1:1 x", "z:1:1 x"}));
  EXPECT_EQ(matches({.pattern = "x", .follow = true, .after = GrepPosition{"in/a", 1}}),
            (Lines{"through/a:1:1 x", "z:1:1 x"}));
}

TEST_F(GrepOptions, ANamedLinkKeepsItsName) {
  directory_.write("in/a", "x\n");
  directory_.link("in/a", "file");
  directory_.link("in", "folder");
  EXPECT_EQ(matches({.pattern = "x", .path = "file"}), Lines{"file:1:1 x"});
  EXPECT_EQ(matches({.pattern = "x", .path = "./folder/"}), Lines{"folder/a:1:1 x"});
  EXPECT_EQ(matches({.pattern = "x", .path = "folder", .after = GrepPosition{"folder/a", 1}}), Lines{});
  EXPECT_EQ(find({.globs = {"*"}, .path = "folder"}), Lines{"folder/a"});
}

TEST_F(GrepOptions, NewestFilesComeFirstAndPagesGoOnThere) {
  for (const char* name : {"a", "b", "c"}) directory_.write(name, "x\n");
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(directory_.at("a"), now - std::chrono::hours(2));
  std::filesystem::last_write_time(directory_.at("b"), now - std::chrono::hours(1));
  std::filesystem::last_write_time(directory_.at("c"), now - std::chrono::hours(3));
  EXPECT_EQ(matches({.pattern = "x", .newest_first = true}), (Lines{"b:1:1 x", "a:1:1 x", "c:1:1 x"}));
  EXPECT_EQ(matches({.pattern = "x", .newest_first = true, .after = GrepPosition{"a", 1}}), Lines{"c:1:1 x"});
  EXPECT_EQ(matches({.pattern = "x", .newest_first = true, .after = GrepPosition{"/etc/passwd", 0}}),
            Lines{"The file of the cursor is gone."});
}

TEST_F(GrepOptions, ALineBreakHasItsColumnAlsoAfterACarriageReturn) {
  directory_.write("a", "abc\r\nd\r\n");
  EXPECT_EQ(matches({.pattern = "\\n", .syntax = {.across_lines = true}}), (Lines{"a:1:5 abc", "a:2:3 d"}));
  EXPECT_EQ(matches({.pattern = "\\r\\n", .syntax = {.across_lines = true}}),
            (Lines{"a:1:4 abc", "a:2:2 d"}));
}

TEST_F(GrepOptions, TypesChooseFilesAndShowHiddenOnes) {
  for (const char* name : {"a.py", "b.js", ".bashrc", ".hidden.py", "Makefile"})
    directory_.write(name, "x\n");
  const auto of_type = [&](std::string_view types) {
    return matches(
        {.pattern = "x", .types = find_types(types).value(), .wanted = GrepQuery::Wanted::kCounts});
  };
  EXPECT_EQ(of_type("py"), (Lines{".hidden.py", "a.py"}));
  EXPECT_EQ(of_type("sh, make"), (Lines{".bashrc", "Makefile"}));
  EXPECT_EQ(of_type("!py,!js"), Lines{"Makefile"});
  EXPECT_EQ(find_types("pyton").error().message, "There is no file type \"pyton\".");
}

TEST_F(GrepOptions, FindKnowsTheGlobsOfBash) {
  for (const char* name : {"a.cc", "a.h", "b.CC", "src/c.cc", "src/foo(1).txt"}) directory_.write(name, "");
  EXPECT_EQ(find({.globs = {"@(a|c).*"}}), (Lines{"a.cc", "a.h", "src/c.cc"}));
  EXPECT_EQ(find({.globs = {"!(*.cc|*.txt)"}}), (Lines{"a.h", "b.CC"}));
  EXPECT_EQ(find({.globs = {"*", "!!(*.cc|src)"}}), (Lines{"a.cc", "src/c.cc"}));
  EXPECT_EQ(find({.globs = {"+([a-c]).?(c)c"}}), (Lines{"a.cc", "src/c.cc"}));
  EXPECT_EQ(find({.globs = {"src//c.cc"}}), Lines{"src/c.cc"});
  EXPECT_EQ(find({.globs = {"foo(1).txt"}}), Lines{"src/foo(1).txt"});
  EXPECT_EQ(find({.globs = {"b.cc"}, .ignore_case = true}), Lines{"b.CC"});
  EXPECT_EQ(find({.globs = {"*"}, .rule_globs = {"!(a).cc"}}).size(), 5U);  // a rule has no groups
}

TEST_F(GrepOptions, ManyGroupsStayFast) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "!(a|b)*(a|b)";
  const auto glob = Glob::compile(pattern, {.syntax = GlobOptions::Syntax::kExtended});
  ASSERT_TRUE(glob);
  EXPECT_TRUE(glob->matches(std::string(200, 'a')));
  EXPECT_FALSE(Glob::compile("*(*(*(*(*(a)))))b", {.syntax = GlobOptions::Syntax::kExtended})
                   ->matches(std::string(250, 'a')));
}

}  // namespace
}  // namespace helve::search
