#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/strings.h"
#include "tools/testing.h"

namespace helve {
namespace {

class GrepToolTest : public testing::ToolTest {};

TEST_F(GrepToolTest, ShowsLinesWithNumbersByFileAndAllOfItAsData) {
  put("a.cc", "int one;\nint two;\nint three;\n");
  put("b/c.cc", "return two;\n");
  const Answer answer = call("grep", {{"pattern", "\\btwo\\b"}, {"contextLines", 1}});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.result->content,
            "a.cc\n1- int one;\n2: int two;\n3- int three;\n\nb/c.cc\n1: return two;\n");
  EXPECT_EQ(answer.result->summary, "Found 2 matching lines in 2 files (2 files searched)");
  EXPECT_EQ(
      to_text(answer.result->data),
      R"({"matches":[{"file":"a.cc","line":2,"column":5,"text":"int two;","submatches":[{"start":4,"end":7}],)"
      R"("before":["int one;"],"after":["int three;"]},)"
      R"({"file":"b/c.cc","line":1,"column":8,"text":"return two;","submatches":[{"start":7,"end":10}],)"
      R"("before":[],"after":[]}],"files":[{"file":"a.cc","matches":1},{"file":"b/c.cc","matches":1}],)"
      R"("totalMatches":2,"totalFiles":2,"complete":true,"filesSearched":2,"engine":"builtin"})");
}

TEST_F(GrepToolTest, CountsByFileOrInAll) {
  put("a.cc", "x\nx\n");
  put("b.cc", "x\n");
  EXPECT_EQ(content("grep", {{"pattern", "x"}, {"output", "files"}}), "a.cc: 2\nb.cc: 1\n");
  EXPECT_EQ(content("grep", {{"pattern", "x"}, {"output", "count"}}),
            "Found 3 matching lines in 2 files (2 files searched)\n");
}

TEST_F(GrepToolTest, FollowedLinksDoNotLeadToFilesThatRulesHide) {
  options_.settings.permissions.deny = {"read(./secret/**)"};
  put("secret/key.txt", "needle\n");
  put("a.txt", "needle\n");
  ASSERT_EQ(::symlink("secret", path("public").c_str()), 0);
  ASSERT_EQ(::symlink("secret/key.txt", path("z.txt").c_str()), 0);
  for (const char* output : {"matches", "files", "count"})
    for (const char* sort : {"path", "newest"}) {
      const Answer answer =
          call("grep", {{"pattern", "needle"}, {"follow", true}, {"output", output}, {"sort", sort}});
      ASSERT_TRUE(answer.ok());
      EXPECT_EQ(*answer.result->data.find("totalMatches"), Json(1)) << output << sort;
    }
}

TEST_F(GrepToolTest, NoNumberTellsWhatAHiddenFileHolds) {
  options_.settings.permissions.deny = {"read(**/.env)"};
  put(".env", "KEY=hunter2\n");
  put("a.txt", "KEY=open\n");
  ASSERT_EQ(::link(path(".env").c_str(), path("b.txt").c_str()), 0);
  for (const char* engine : {"builtin", "ripgrep"}) {
    options_.settings.search.engine =
        engine == std::string_view("builtin") ? SearchEngine::kBuiltin : SearchEngine::kRipgrep;
    restart();
    for (const char* output : {"matches", "files", "count", "files-without"}) {
      const auto found = [&](const char* pattern) {
        const Answer answer =
            call("grep", {{"pattern", pattern}, {"output", output}, {"hidden", true}, {"maxResults", 1}});
        return answer.ok() ? concat(to_text(*answer.result->data.find("totalMatches")), " ",
                                    to_text(*answer.result->data.find("totalFiles")), " ",
                                    answer.result->truncated ? "more" : "all")
                           : answer.result.error().message;
      };
      EXPECT_EQ(found("hunter2"), found("hunter3")) << engine << " " << output;
    }
    EXPECT_EQ(*call("grep", {{"pattern", "KEY"}, {"hidden", true}}).result->data.find("totalMatches"),
              Json(1));
  }
}

TEST_F(GrepToolTest, TellsThatThereIsMoreAndGoesOnWithItsCursor) {
  std::string text;
  for (int i = 1; i <= 25; ++i) text += "hit " + std::to_string(i) + "\n";
  put("a.txt", text);
  put("b.txt", text);
  std::string all;
  std::string cursor;
  int calls = 0;
  do {
    JsonObject arguments{{"pattern", "hit"}, {"maxResults", 10}};
    if (!cursor.empty()) arguments.append("cursor", cursor);
    const Answer answer = call("grep", std::move(arguments));
    ASSERT_TRUE(answer.ok());
    for (const Json& match : answer.result->data.find("matches")->as_array())
      all += match.find("file")->as_string() + ":" + match.find("text")->as_string() + " ";
    const Json* next = answer.result->data.find("cursor");
    EXPECT_EQ(answer.result->truncated, next != nullptr);
    if (next != nullptr) {
      EXPECT_THAT(answer.result->content, ::testing::HasSubstr(next->as_string()));
      EXPECT_THAT(answer.result->summary, ::testing::HasSubstr("there are more"));
    }
    cursor = next == nullptr ? "" : next->as_string();
    ++calls;
  } while (!cursor.empty());
  EXPECT_EQ(calls, 5);
  std::string wanted;
  for (const char* file : {"a.txt", "b.txt"}) {
    for (int i = 1; i <= 25; ++i) wanted += std::string(file) + ":hit " + std::to_string(i) + " ";
  }
  EXPECT_EQ(all, wanted);
}

TEST_F(GrepToolTest, RefusesACursorOfAnotherSearch) {
  put("a.txt", "x\nx\n");
  const Answer answer = call("grep", {{"pattern", "x"}, {"maxResults", 1}});
  const std::string cursor = answer.result->data.find("cursor")->as_string();
  EXPECT_EQ(error("grep", {{"pattern", "y"}, {"cursor", cursor}}).message,
            "The cursor belongs to another search.");
  EXPECT_EQ(error("grep", {{"pattern", "x"}, {"cursor", "hello"}}).message, "The cursor is damaged.");
}

TEST_F(GrepToolTest, ACursorDoesNotLeadToWhatARuleHides) {
  options_.settings.permissions.deny = {"read(./secret.txt)"};
  put("a.txt", "x\nx\n");
  put("secret.txt", "\nx\n");
  const Answer answer = call("grep", {{"pattern", "x"}, {"maxResults", 1}});
  std::string cursor = *from_base64(answer.result->data.find("cursor")->as_string());
  cursor = to_base64(cursor.substr(0, cursor.rfind(' ') + 1) + "secret.txt");
  EXPECT_EQ(error("grep", {{"pattern", "x"}, {"maxResults", 1}, {"cursor", cursor}}).message,
            "The cursor belongs to another search.");
}

TEST_F(GrepToolTest, AnInvalidPatternShowsWhereItFailsAndProposesTheEscapedForm) {
  const Error bad = error("grep", {{"pattern", "foo(bar"}});
  EXPECT_EQ(bad.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(bad.message, ::testing::HasSubstr("at character 4"));
  EXPECT_THAT(bad.hint, ::testing::HasSubstr("foo\\(bar"));
  EXPECT_THAT(error("grep", {{"pattern", "*.cc"}}).hint, ::testing::HasSubstr("find"));
  EXPECT_THAT(error("grep", {{"pattern", "(?=x)"}}).message, ::testing::HasSubstr("look"));
  EXPECT_THAT(error("grep", {{"pattern", "a\\nb"}}).hint, ::testing::HasSubstr("multiline"));
}

TEST_F(GrepToolTest, AMissingPathNamesNearOnes) {
  put("source/main.cc", "x\n");
  const Error missing = error("grep", {{"pattern", "x"}, {"path", "sorce"}});
  EXPECT_EQ(missing.code, ErrorCode::kNotFound);
  EXPECT_THAT((missing.message + missing.hint), ::testing::HasSubstr("source"));
}

TEST_F(GrepToolTest, AnEmptyResultSaysWhatWasSearchedAndWhatWasLeftOut) {
  put(".ignore", "*.log\n");
  put("a.cc", "nothing\n");
  put("b.log", "needle\n");
  EXPECT_EQ(content("grep", {{"pattern", "needle"}}),
            "No match for \"needle\" (1 file searched)\n\n"
            "Left out: 1 entry is ignored by ignore files (ignored: true looks there too) and 1 is hidden "
            "(hidden: true).\n");
  EXPECT_TRUE(
      content("grep", {{"pattern", "needle"}, {"filePattern", "*.rs"}})
          .starts_with("No match for \"needle\" (0 files searched)\n\nNo file matches filePattern *.rs.\n"));
  EXPECT_EQ(content("grep", {{"pattern", "needle"}, {"ignored", true}}), "b.log\n1: needle\n");
}

TEST_F(GrepToolTest, SaysWhereTheTextOfALongLineBegins) {
  put("a.js", std::string(1'000, 'a') + "needle" + std::string(1'000, 'b') + "\n");
  const Answer answer = call("grep", {{"pattern", "needle"}});
  const Json& match = answer.result->data.find("matches")->as_array().at(0);
  const std::string text = match.find("text")->as_string().substr(std::string("…").size());
  const auto start = static_cast<std::size_t>(match.find("textStart")->as_integer());
  EXPECT_EQ(match.find("column")->as_integer(), 1'001);
  EXPECT_EQ(text.substr(1'000 - start, 6), "needle");
}

TEST_F(GrepToolTest, TakesGlobsWithTheWorkspaceInFrontAndCommasInBrackets) {
  put("src/a.cc", "x\n");
  put("src/,.cc", "x\n");
  EXPECT_EQ(content("grep", {{"pattern", "x"}, {"filePattern", path("src/a.*")}}), "src/a.cc\n1: x\n");
  EXPECT_EQ(content("find", {{"pattern", "[a,].cc"}}), "src/,.cc\nsrc/a.cc\n");
  EXPECT_THAT(content("find", {{"pattern", "src"}}), ::testing::HasSubstr("src/** finds what is in it"));
}

TEST_F(GrepToolTest, StaysInTheWorkspace) {
  EXPECT_EQ(error("grep", {{"pattern", "root"}, {"path", "/etc"}}).code, ErrorCode::kSecurity);
  EXPECT_EQ(error("grep", {{"pattern", "root"}, {"path", "../"}}).code, ErrorCode::kSecurity);
  ::symlink("/etc", path("out").c_str());
  EXPECT_EQ(error("grep", {{"pattern", "root"}, {"path", "out"}}).code, ErrorCode::kSecurity);
  EXPECT_EQ(call("grep", {{"pattern", "root:"}}).result->data.find("totalMatches")->as_integer(), 0);
}

TEST_F(GrepToolTest, SearchesALongResultOfTheSession) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "line " + std::to_string(i) + "\n";
  put("a.txt", text);
  const Answer longer = call("grep", {{"pattern", "line"}, {"maxResults", 5'000}});
  ASSERT_TRUE(longer.ok());
  const std::string& stub = longer.result->content;
  const std::size_t begin = stub.find('/');
  const std::string file = stub.substr(begin, stub.find_first_of(" \n", begin) - begin);
  const std::string again = content("grep", {{"pattern", "line 4321$"}, {"path", file}});
  EXPECT_THAT(again, ::testing::HasSubstr("line 4321"));
  EXPECT_TRUE(again.starts_with(file)) << "the path with which it can be read: " << again;
}

TEST_F(GrepToolTest, NoPatternHangsTheTool) {
  // Patterns that take a backtracking engine longer than anyone waits.
  put("a.txt", std::string(100'000, 'a') + "\n");
  for (const char* pattern : {"(a+)+b", "(a|aa)+b", "(.*)*x", "(a?){50}a{50}b", "(x+x+)+y", "(\\w+\\s*)+:$"})
    EXPECT_EQ(call("grep", {{"pattern", pattern}}).result->data.find("totalMatches")->as_integer(), 0)
        << pattern;
  EXPECT_EQ(error("grep", {{"pattern", "((\\w{1000}){1000}){1000}"}}).code, ErrorCode::kInvalidArgument);
}

TEST_F(GrepToolTest, WhatIsLeftOfACallsTimeIsKept) {
  // A slow pattern over a large file, with hardly any time: a partial answer, not an error.
  std::string text;
  for (int i = 0; i < 600'000; ++i) text += "some words and others that follow them, line after line\n";
  put("a.txt", "first needle\n" + text);
  const Answer answer =
      runtime().call({.tool = "grep",
                      .arguments = JsonObject{{"pattern", "(\\w+ ){3}needle|first needle|(\\pL+ ){9}x"}},
                      .time_limit = std::chrono::milliseconds(30)});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_TRUE(answer.result->truncated || answer.result->data.find("complete")->as_bool());
}

class FindToolTest : public testing::ToolTest {};

TEST_F(FindToolTest, FindsByGlobAtAnyDepthOrByPath) {
  put("a.cc", "");
  put("src/b.cc", "xyz");
  put("src/deep/c.cc", "");
  put("src/deep/c.h", "");
  EXPECT_EQ(content("find", {{"pattern", "*.cc"}}), "a.cc\nsrc/b.cc\nsrc/deep/c.cc\n");
  EXPECT_EQ(content("find", {{"pattern", "src/*.cc"}}), "src/b.cc\n");
  EXPECT_EQ(content("find", {{"pattern", "src/**/*.{h,cc}"}}), "src/b.cc\nsrc/deep/c.cc\nsrc/deep/c.h\n");
  EXPECT_EQ(content("find", {{"pattern", "deep/*.h"}, {"path", "src"}}), "src/deep/c.h\n");
  EXPECT_EQ(content("find", {{"pattern", "c.[gh], a.*"}}), "a.cc\nsrc/deep/c.h\n");
  EXPECT_EQ(content("find", {{"pattern", "*"}, {"exclude", "deep/, a.*"}}), "src/b.cc\n");
  EXPECT_EQ(content("find", {{"pattern", "*"}, {"type", "directory"}}), "src/\nsrc/deep/\n");
  const Answer answer = call("find", {{"pattern", "b.cc"}});
  const Json& entry = answer.result->data.find("entries")->as_array().at(0);
  EXPECT_EQ(*entry.find("type"), Json("file"));
  EXPECT_EQ(*entry.find("size"), Json(3));
}

TEST_F(FindToolTest, SortsByPathOrNewestFirst) {
  for (const char* name : {"a", "b", "c"}) put(name, "");
  using std::filesystem::last_write_time;
  const auto now = std::filesystem::file_time_type::clock::now();
  last_write_time(path("a"), now - std::chrono::hours(1));
  last_write_time(path("b"), now);
  last_write_time(path("c"), now - std::chrono::hours(2));
  EXPECT_EQ(content("find", {{"pattern", "*"}, {"sort", "newest"}}), "b\na\nc\n");
  EXPECT_EQ(content("find", {{"pattern", "*"}, {"sort", "newest"}, {"maxResults", 2}}),
            "b\na\n\nThe newest 2 of 3 files. A narrower pattern or path shows the rest.\n");
  EXPECT_EQ(content("find", {{"pattern", "*"}, {"maxResults", 2}}),
            "a\nb\n\nThe first 2 of 3 files. A narrower pattern or path shows the rest.\n");
}

TEST_F(FindToolTest, SaysWhatWasSeenWhenNothingMatches) {
  put("a.cc", "");
  put(".hidden/b.cc", "");
  EXPECT_EQ(content("find", {{"pattern", "*.rs"}}),
            "Nothing matches \"*.rs\" (1 entry seen).\nLeft out: 1 is hidden (hidden: true).\n");
  EXPECT_EQ(content("find", {{"pattern", "*.cc"}, {"hidden", true}}), ".hidden/b.cc\na.cc\n");
  EXPECT_TRUE(content("find", {{"pattern", "cc"}})
                  .ends_with("\nNames are matched whole: *cc* finds what has it in its name.\n"));
}

TEST_F(FindToolTest, BadInputGetsAClearError) {
  put("a.cc", "");
  EXPECT_EQ(error("find", {{"pattern", "a[b"}}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error("find", {{"pattern", "!*.cc"}}).message, "The pattern names nothing to find.");
  EXPECT_EQ(error("find", {{"pattern", "*"}, {"path", "a.cc"}}).message,
            "a.cc is a file; find searches directories.");
  EXPECT_EQ(error("find", {{"pattern", "*"}, {"path", "nowhere"}}).code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace helve
