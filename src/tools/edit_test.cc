// edit and multi_edit: what must never happen to somebody's file, each named after that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tools/testing.h"

namespace helve {
namespace {

class EditTest : public testing::ToolTest {
 protected:
  Answer edit(const std::string& file, const std::string& old_text, const std::string& new_text,
              const JsonObject& more = {}) {
    JsonObject arguments{{"path", file}, {"oldText", old_text}, {"newText", new_text}};
    for (const auto& [key, value] : more) arguments.append(key, value);
    return call("edit", std::move(arguments));
  }
};

TEST_F(EditTest, ReplacesOnePlaceAndShowsIt) {
  put("a.txt", "one\ntwo\nthree\n");
  const Answer answer = edit("a.txt", "two", "zwei");
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(get("a.txt"), "one\nzwei\nthree\n");
  EXPECT_EQ(answer.result->summary, "a.txt: 1 replacement (+1 −1)");
  EXPECT_EQ(answer.result->content,
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n "
            "three\n\nNow:\n1\tone\n2\tzwei\n3\tthree\n");
  EXPECT_EQ(answer.result->affected_paths, std::vector<std::string>{"a.txt"});
}

TEST_F(EditTest, DataHasTheLengthsAndTheSnippet) {
  put("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
  const auto facts = [](const Answer& answer) {
    const Json& data = answer.result->data;
    return concat(to_text(*data.find("oldTextLength")), " ", to_text(*data.find("newTextLength")), "\n",
                  data.find("snippet")->as_string());
  };
  EXPECT_EQ(facts(edit("a.txt", "six", "sèchs", {{"dryRun", true}})),
            "3 5\n3\tthree\n4\tfour\n5\tfive\n6\tsèchs\n");
  EXPECT_EQ(facts(edit("a.txt", "six", "sèchs")), "3 5\n3\tthree\n4\tfour\n5\tfive\n6\tsèchs\n");
  const Answer several =
      call("multi_edit", {{"path", "a.txt"},
                          {"edits", JsonArray{JsonObject{{"oldText", "one"}, {"newText", "eins"}},
                                              JsonObject{{"oldText", "two\n"}, {"newText", ""}}}}});
  EXPECT_EQ(facts(several), "7 4\n1\teins\n2\tthree\n3\tfour\n4\tfive\n5\tsèchs\n");
  EXPECT_THAT(several.result->content, ::testing::Not(::testing::HasSubstr("Now:")));  // the diff shows it
  const Answer undone = call("undo", {});
  EXPECT_EQ(facts(undone), "27 30\n1\tone\n2\ttwo\n3\tthree\n4\tfour\n5\tfive\n6\tsèchs\n");
  EXPECT_EQ(undone.result->data.find("diff")->as_string(),
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,5 @@\n-eins\n+one\n+two\n three\n four\n five\n");
}

TEST_F(EditTest, TheSnippetOfWholeContentsIsThePlaceOfTheChange) {
  std::string text;
  for (int i = 1; i <= 50; ++i) text += concat("line ", i, "\n");
  put("a.txt", text);
  put("crlf.txt", "a\r\nb\r\nc\r\n");
  const auto snippet = [&](const std::string& file, const std::string& old_text) {
    const JsonObject one{{"oldText", old_text}, {"newText", ""}};
    const Answer answer =
        call("multi_edit",
             {{"path", file}, {"edits", JsonArray{one, JsonObject{{"oldText", "c"}, {"newText", "d"}}}}});
    return answer.ok() ? answer.result->data.find("snippet")->as_string() : answer.result.error().message;
  };
  put("end.txt", "c\n" + text + "last");
  EXPECT_THAT(snippet("end.txt", "last"), ::testing::StartsWith("1\td\n2\tline 1\n"));
  EXPECT_EQ(snippet("crlf.txt", "b\r\n"), "1\ta\n2\td\n");
  ASSERT_TRUE(edit("a.txt", "line 40\n", "").ok());
  EXPECT_THAT(call("undo", {}).result->data.find("snippet")->as_string(),
              ::testing::StartsWith("37\tline 37\n38\tline 38\n39\tline 39\n40\tline 40\n41\tline 41\n"));
}

TEST_F(EditTest, DoesNotTreatReplacementPatternsSpecially) {
  put("a.txt", "x = old;\n");
  ASSERT_TRUE(edit("a.txt", "old", "$& $1 \\0 \\n ${x}").ok());
  EXPECT_EQ(get("a.txt"), "x = $& $1 \\0 \\n ${x};\n");
}

TEST_F(EditTest, RefusesAmbiguousMatchAndShowsPlaces) {
  put("a.txt", "a\nsame\nb\nc\nsame\nd\nsame\nsame\n");
  const Error error = this->error("edit", {{"path", "a.txt"}, {"oldText", "same"}, {"newText", "other"}});
  EXPECT_EQ(error.code, ErrorCode::kConflict);
  EXPECT_EQ(error.message,
            "oldText is in a.txt 4 times. The first three places:\nline 2:\n1\ta\n2\tsame\n3\tb\n\nline "
            "5:\n4\tc\n5\tsame\n6\td\n\nline 7:\n6\td\n7\tsame\n8\tsame\n");
  EXPECT_EQ(get("a.txt"), "a\nsame\nb\nc\nsame\nd\nsame\nsame\n");
}

TEST_F(EditTest, ReplacesAllOrTheFirstWhenAsked) {
  put("a.txt", "x x\nx\n");
  EXPECT_EQ(edit("a.txt", "x", "y", {{"allowMultiple", true}}).result->summary,
            "a.txt: 1 replacement (+1 −1)");
  EXPECT_EQ(get("a.txt"), "y x\nx\n");
  EXPECT_EQ(edit("a.txt", "x", "z", {{"replaceAll", true}}).result->summary, "a.txt: 2 replacements (+2 −2)");
  EXPECT_EQ(get("a.txt"), "y z\nz\n");
}

TEST_F(EditTest, RefusesEmptyAndEqualTexts) {
  put("a.txt", "x\n");
  EXPECT_EQ(error("edit", {{"path", "a.txt"}, {"oldText", ""}, {"newText", "y"}}).code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(error("edit", {{"path", "a.txt"}, {"oldText", "x"}, {"newText", "x"}}).code,
            ErrorCode::kInvalidArgument);
}

TEST_F(EditTest, NamesWhatDiffersOnAMissAndNeverGuesses) {
  const std::string text = "int main() {\n\tif (ready) {\n\t\tsay(\"hello\");\n\t}\n}\n";
  put("a.c", text);
  const auto message = [&](const std::string& old_text) {
    return error("edit", {{"path", "a.c"}, {"oldText", old_text}, {"newText", "x"}}).message;
  };
  EXPECT_THAT(message("    if (ready) {\n        say(\"hello\");"),
              ::testing::HasSubstr(
                  "lines 2–3; only the indentation differs:\n2\t\tif (ready) {\n3\t\t\tsay(\"hello\");\n"));
  EXPECT_THAT(message("\tif (ready) {  \n\t\tsay(\"hello\");"),
              ::testing::HasSubstr("only white space at line ends differs"));
  EXPECT_THAT(message("\t\tsay(\u201Chello\u201D);"),
              ::testing::HasSubstr("only quotes, dashes or special spaces differ"));
  EXPECT_THAT(message("INT MAIN() {"), ::testing::HasSubstr("only letter case differs"));
  EXPECT_THAT(message("\tif (raedy) {\n\t\tsay(\"hallo\");"),
              ::testing::HasSubstr("The closest text is at lines 2–3"));
  EXPECT_EQ(get("a.c"), text);
}

TEST_F(EditTest, RecognisesLineNumbersPastedIntoOldText) {
  put("a.c", "int a;\nint b;\n");
  const Error error =
      this->error("edit", {{"path", "a.c"}, {"oldText", "1\tint a;\n2\tint b;"}, {"newText", "x"}});
  EXPECT_EQ(error.hint, "Send oldText again without the line numbers. The text itself is in the file.");
}

TEST_F(EditTest, AppliesALooseMatchOnlyBySettingAndLabelsIt) {
  options_.settings.edit.loose_matches = true;
  put("a.c", "int main() {\n\tsay(\"hello\");\n}\n");
  const Answer answer = edit("a.c", "    say(\u201Chello\u201D);", "\tsay(\"bye\");");
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_TRUE(
      answer.result->content.starts_with("Not an exact match: only quotes, dashes or special spaces differ"));
  EXPECT_EQ(get("a.c"), "int main() {\n\tsay(\"bye\");\n}\n");
  put("b.c", "\tx();\n  x();\n");
  EXPECT_EQ(error("edit", {{"path", "b.c"}, {"oldText", "    x();\n"}, {"newText", "y();\n"}}).code,
            ErrorCode::kNotFound);
}

TEST_F(EditTest, IndentsTheNewTextOfALooseMatchLikeTheFile) {
  options_.settings.edit.loose_matches = true;
  put("a.py", "class A:\n\tdef f(self):\n\t\treturn 1\n");
  const Answer answer = edit("a.py", "    def f(self):\n        return 1\n",
                             "    def f(self):\n        if x:\n            return 2\n");
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(get("a.py"), "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\treturn 2\n");
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("newText was indented like the file."));
}

TEST_F(EditTest, PlacesThatOverlapAreAmbiguous) {
  put("a.c", "}\n}\n}");
  EXPECT_THAT(error("edit", {{"path", "a.c"}, {"oldText", "}\n}"}, {"newText", "x"}}).message,
              ::testing::HasSubstr("oldText is in a.c 2 times."));
  put("b.txt", "aaa");
  EXPECT_EQ(error("edit", {{"path", "b.txt"}, {"oldText", "aa"}, {"newText", "x"}}).code,
            ErrorCode::kConflict);
  put("mixed.c", "}\r\n}\n}\r\n");
  EXPECT_EQ(error("edit", {{"path", "mixed.c"}, {"oldText", "}\n}"}, {"newText", "x"}}).code,
            ErrorCode::kConflict);
  // replaceAll goes from the start and never replaces a place twice.
  ASSERT_TRUE(
      call("edit", {{"path", "b.txt"}, {"oldText", "aa"}, {"newText", "x"}, {"replaceAll", true}}).ok());
  EXPECT_EQ(get("b.txt"), "xa");
  put("b.txt", "    x");
  ASSERT_TRUE(
      call("edit", {{"path", "b.txt"}, {"oldText", "  "}, {"newText", "\t"}, {"replaceAll", true}}).ok());
  EXPECT_EQ(get("b.txt"), "\t\tx");
  put("c.txt", "aaa");
  ASSERT_TRUE(
      call("edit", {{"path", "c.txt"}, {"oldText", "aa"}, {"newText", "x"}, {"allowMultiple", true}}).ok());
  EXPECT_EQ(get("c.txt"), "xa");
}

TEST_F(EditTest, HintsNameOnlyParametersOfTheTool) {
  put("a.txt", "x x");
  EXPECT_THAT(error("edit", {{"path", "a.txt"}, {"oldText", "x"}, {"newText", "y"}}).hint,
              ::testing::HasSubstr("allowMultiple"));
  for (const int count : {1, 2}) {
    JsonArray edits;
    for (int n = 0; n < count; ++n) edits.push_back(JsonObject{{"oldText", "x"}, {"newText", "y"}});
    const Error error = this->error("multi_edit", {{"path", "a.txt"}, {"edits", std::move(edits)}});
    EXPECT_THAT(error.hint, ::testing::HasSubstr("replaceAll"));
    EXPECT_THAT(error.hint, ::testing::Not(::testing::HasSubstr("allowMultiple")));
  }
}

TEST_F(EditTest, MatchesLineBreaksOfTheFileAndKeepsThem) {
  put("crlf.txt", "one\r\ntwo\r\nthree\r\n");
  ASSERT_TRUE(edit("crlf.txt", "one\ntwo", "1\n2\n2.5").ok());
  EXPECT_EQ(get("crlf.txt"), "1\r\n2\r\n2.5\r\nthree\r\n");
  put("mixed.txt", "a\r\nb\nc\r\nd\n");
  ASSERT_TRUE(edit("mixed.txt", "c", "C").ok());
  EXPECT_EQ(get("mixed.txt"), "a\r\nb\nC\r\nd\n");
}

TEST_F(EditTest, RoundTripChangesOnlyTheEditedBytes) {
  const auto utf16 = [](std::string_view text, bool big) {
    std::string out = big ? "\xFE\xFF" : "\xFF\xFE";
    for (const char c : text) {
      if (big) out += '\0';
      out += c;
      if (!big) out += '\0';
    }
    return out;
  };
  struct Sample {
    const char* name;
    std::string before;
    std::string after;
  };
  const std::vector<Sample> corpus{
      {"plain", "say WORD now\n", "say word! now\n"},
      {"no final newline", "say WORD", "say word!"},
      {"bom", "\xEF\xBB\xBFsay WORD now\r\n", "\xEF\xBB\xBFsay word! now\r\n"},
      {"latin-1", "caf\xE9 WORD \xFC\n", "caf\xE9 word! \xFC\n"},
      {"windows-1251", "\xCF\xF0\xE8\xE2\xE5\xF2 WORD \xEC\xE8\xF0\r\n",
       "\xCF\xF0\xE8\xE2\xE5\xF2 word! \xEC\xE8\xF0\r\n"},
      {"invalid utf-8", "ok \xC3\xA9 WORD \xFF\xFE\x80 tail\n", "ok \xC3\xA9 word! \xFF\xFE\x80 tail\n"},
      {"utf-16le", utf16("say WORD\r\nnow", false), utf16("say word!\r\nnow", false)},
      {"utf-16be", utf16("say WORD\nnow\n", true), utf16("say word!\nnow\n", true)},
      {"mixed endings", "a\r\nWORD\nb\rc\r\n", "a\r\nword!\nb\rc\r\n"},
      {"nul and form feed", std::string("a\fWORD\n") + "b\n", "a\fword!\nb\n"},
      {"cr only", "a\rWORD\rb\r", "a\rword!\rb\r"},
      {"huge line", std::string(3'000'000, 'x') + " WORD " + std::string(3'000'000, 'y'),
       std::string(3'000'000, 'x') + " word! " + std::string(3'000'000, 'y')},
  };
  for (const Sample& sample : corpus) {
    put("file.txt", sample.before);
    const Answer answer = edit("file.txt", "WORD", "word!");
    ASSERT_TRUE(answer.ok()) << sample.name << ": " << answer.result.error().message;
    EXPECT_EQ(get("file.txt") == sample.after, true) << sample.name;
    ASSERT_TRUE(call("undo", {{"path", "file.txt"}}).ok()) << sample.name;
    EXPECT_EQ(get("file.txt") == sample.before, true) << sample.name << " after undo";
  }
}

TEST_F(EditTest, RefusesTextThatTheEncodingCannotHoldBeforeAnythingIsWritten) {
  put("latin.txt", "caf\xE9 na\xEFve WORD\n");
  const Error error = this->error("edit", {{"path", "latin.txt"}, {"oldText", "WORD"}, {"newText", "日本"}});
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(get("latin.txt"), "caf\xE9 na\xEFve WORD\n");
}

TEST_F(EditTest, KeepsModeAndWritesThroughSymlinks) {
  put("run.sh", "echo old\n");
  ::chmod(path("run.sh").c_str(), 0754);
  std::filesystem::create_symlink("run.sh", path("link.sh"));
  ASSERT_TRUE(edit("link.sh", "old", "new").ok());
  EXPECT_EQ(get("run.sh"), "echo new\n");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.sh")));
  struct stat status{};
  ::stat(path("run.sh").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0754U);
}

TEST_F(EditTest, AsksBeforeWritingAHardLinkedFile) {
  options_.settings.mode = Mode::kAcceptEdits;
  put("a.txt", "old\n");
  std::filesystem::create_hard_link(path("a.txt"), path("b.txt"));
  EXPECT_EQ(error("edit", {{"path", "a.txt"}, {"oldText", "old"}, {"newText", "new"}}).code,
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(get("b.txt"), "old\n");
  restart();
  options_.settings.mode = Mode::kFull;
  ASSERT_TRUE(edit("a.txt", "old", "new").ok());
  EXPECT_EQ(get("b.txt"), "new\n");
}

TEST_F(EditTest, DryRunTouchesNothing) {
  put("a.txt", "one\n");
  const Answer answer = edit("a.txt", "one", "two", {{"dryRun", true}});
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(answer.result->summary.starts_with("Dry run: "));
  EXPECT_EQ(get("a.txt"), "one\n");
  EXPECT_FALSE(std::filesystem::exists(directory_.at("state/history")));
}

TEST_F(EditTest, GoesOnWhenTheFileChangedSinceItWasReadAndSaysSo) {
  put("a.txt", "one\ntwo\nthree\n");
  ASSERT_TRUE(call("read", {{"path", "a.txt"}}).ok());
  put("a.txt", "ONE\ntwo\nthree\n");
  const Answer answer = edit("a.txt", "two", "2");
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("The file changed since you read it"));
  EXPECT_EQ(get("a.txt"), "ONE\n2\nthree\n");
}

TEST_F(EditTest, AConflictShowsWhatChangedSinceItWasRead) {
  put("a.txt", "one\ntwo\nthree\n");
  ASSERT_TRUE(call("read", {{"path", "a.txt"}}).ok());
  put("a.txt", "one\n2\nthree\n");
  const Error error = this->error("edit", {{"path", "a.txt"}, {"oldText", "two"}, {"newText", "zwei"}});
  EXPECT_EQ(error.code, ErrorCode::kConflict);
  EXPECT_THAT(error.message, ::testing::HasSubstr("-two\n+2\n"));
}

TEST_F(EditTest, MultiEditIsAllOrNothing) {
  put("a.txt", "one\ntwo\nthree\n");
  const auto edits = [](const std::vector<std::pair<std::string, std::string>>& pairs) {
    JsonArray list;
    for (const auto& [from, to] : pairs) list.push_back(JsonObject{{"oldText", from}, {"newText", to}});
    return list;
  };
  const Error error =
      this->error("multi_edit", {{"path", "a.txt"}, {"edits", edits({{"one", "1"}, {"four", "4"}})}});
  EXPECT_TRUE(error.message.starts_with("edits[1]: oldText is not in a.txt.")) << error.message;
  EXPECT_EQ(get("a.txt"), "one\ntwo\nthree\n");
  ASSERT_TRUE(
      call("multi_edit", {{"path", "a.txt"}, {"edits", edits({{"one", "two!"}, {"two!\ntwo", "2"}})}}).ok());
  EXPECT_EQ(get("a.txt"), "2\nthree\n");
  ASSERT_TRUE(call("undo", {}).ok());
  EXPECT_EQ(get("a.txt"), "one\ntwo\nthree\n");
}

TEST_F(EditTest, TenThousandEditsFromSixtyFourThreadsLoseNothing) {
  constexpr int kThreads = 64;
  constexpr int kFiles = 8;
  constexpr int kEdits = 10'000;
  options_.settings.workspace.durability = DurabilityPolicy::kNone;
  for (int f = 0; f < kFiles; ++f) put("f" + std::to_string(f), "start\n");
  runtime();
  std::atomic<int> next = 0;
  std::vector<char> succeeded(kEdits);
  const auto mark = [](int i) { return "<" + std::to_string(i) + ">"; };
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = next++; i < kEdits; i = next++)
        succeeded[static_cast<std::size_t>(i)] =
            edit("f" + std::to_string(i % kFiles), "start\n", "start\n" + mark(i) + "\n").ok() ? 1 : 0;
    });
  threads.clear();
  EXPECT_EQ(std::ranges::count(succeeded, 1), kEdits);
  for (int f = 0; f < kFiles; ++f) {
    const std::string text = get("f" + std::to_string(f));
    for (int i = f; i < kEdits; i += kFiles)
      EXPECT_EQ(text.contains(mark(i) + "\n"), succeeded[static_cast<std::size_t>(i)] == 1) << mark(i);
  }
}

}  // namespace
}  // namespace helve
