// The tools that ask language servers, through the whole path.
#include "base/strings.h"
#include "tools/testing.h"
#include "unit/places.h"

namespace helve {
namespace {

class LspToolsTest : public testing::ToolTest {
 protected:
  LspToolsTest() {
    put("a.fake", "def first\nuses second  \n\"🎉 名\" first\n");
    put("b.fake", "def second\nfirst\n");
    options_.settings.tools.enabled = {"*", "lsp_format"};
    use("");
  }
  void use(const std::string& faults) {
    options_.settings.lsp.servers["fake"] = {
        .command = "/usr/bin/python3",
        .args = std::vector<std::string>{places::in_source("tests/lsp/fake_server.py"), faults,
                                         directory_.at("log")},
        .files = std::vector<std::string>{"*.fake"},
        .install = "get fake-server"};
  }
  // The fake server knows what is open.
  void open_both() {
    static_cast<void>(call("hover_info", {{"path", "a.fake"}, {"symbol", "first"}}));
    static_cast<void>(call("hover_info", {{"path", "b.fake"}, {"symbol", "second"}}));
  }
};

TEST_F(LspToolsTest, ReferencesAreGroupedByFile) {
  open_both();
  const Answer answer = call("find_references", {{"path", "a.fake"}, {"line", 2}, {"character", 8}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->summary, "Found 3 references in 2 files");
  EXPECT_EQ(answer.result->content,
            "a.fake\n  1:5: def first\n  3:7: \"🎉 名\" first\nb.fake:2:1: first\n"
            "Lines and columns count from 1 here; in data and in parameters from 0.\n");
  const Json& place = answer.result->data.find("places")->as_array().at(1);
  EXPECT_EQ(*place.find("line"), Json(2));
  EXPECT_EQ(*place.find("character"), Json(7));  // UTF-16, as the parameters
  EXPECT_EQ(*answer.result->data.find("state"), Json("ready"));
  EXPECT_EQ(*answer.result->data.find("partial"), Json(false));
}

TEST_F(LspToolsTest, ReferencesListPlacesThatTheServerDoesNotReport) {
  use("no-uses-elsewhere");
  const Answer answer = call("find_references", {{"path", "a.fake"}, {"symbol", "first"}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->summary, "Found 2 references in 1 file, and 1 place not confirmed");
  EXPECT_THAT(answer.result->content,
              ::testing::HasSubstr("Not confirmed by fake: 1 more place with this name. Read them:\n"
                                   "b.fake:2:1: first\n"));
  EXPECT_EQ(*answer.result->data.find("partial"), Json(true));
  EXPECT_EQ(*answer.result->data.find("unconfirmed")->as_array().at(0).find("path"), Json("b.fake"));
  // A symbol of which all places are known.
  const Answer whole = call("find_references", {{"path", "c.fake"}, {"symbol", "second"}});
  EXPECT_FALSE(whole.ok());
  put("c.fake", "def third\nthird\n");
  EXPECT_EQ(*call("find_references", {{"path", "c.fake"}, {"symbol", "third"}}).result->data.find("partial"),
            Json(false));
}

TEST_F(LspToolsTest, RenameThatWouldMissPlacesIsRefusedAndNamesThem) {
  use("no-uses-elsewhere");
  put("notes.md", "first\n");
  JsonObject arguments{{"path", "a.fake"}, {"symbol", "first"}, {"newName", "erster"}};
  const Error refused = error("rename_symbol", arguments);
  EXPECT_EQ(refused.code, ErrorCode::kConflict);
  EXPECT_EQ(refused.message,
            "Nothing was renamed. first also occurs at b.fake:2, and fake would not rename it there.");
  EXPECT_THAT(refused.hint, ::testing::HasSubstr("leaveUnconfirmed: true"));
  ASSERT_NE(refused.details.find("places"), nullptr);
  EXPECT_EQ(*refused.details.find("places")->as_array().at(0).find("text"), Json("first"));
  EXPECT_EQ(get("b.fake"), "def second\nfirst\n");
  EXPECT_EQ(get("a.fake").find("erster"), std::string::npos);
  arguments.append("leaveUnconfirmed", true);
  const Answer answer = call("rename_symbol", arguments);
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_THAT(answer.result->content,
              ::testing::HasSubstr(
                  "note: Unchanged are comments, strings and other files with the name: notes.md.\n"));
  EXPECT_EQ(get("a.fake"), "def erster\nuses second  \n\"🎉 名\" erster\n");
  EXPECT_EQ(get("b.fake"), "def second\nfirst\n");
}

TEST_F(LspToolsTest, FilesThatARuleHidesAreNotRead) {
  options_.settings.permissions.deny = {"read(./b.fake)"};
  use("no-uses-elsewhere");
  const Answer answer = call("find_references", {{"path", "a.fake"}, {"symbol", "first"}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_THAT(answer.result->content, ::testing::Not(::testing::HasSubstr("b.fake")));
}

TEST_F(LspToolsTest, AServerOfTheProjectReadsNoFileThatAWildcardHides) {
  options_.settings.permissions.deny = {"read(**/.env)"};
  put("open.txt", "seen-by-the-server");
  put(".env", "hunter2");
  put("node_modules/.bin/projectls", "#!/bin/sh\ncat open.txt .env >&2\nexit 3\n");
  std::filesystem::permissions(path("node_modules/.bin/projectls"), std::filesystem::perms::owner_all);
  options_.settings.lsp.servers["fake"] = {.command = "projectls",
                                           .files = std::vector<std::string>{"*.fake"}};
  const Error failed = error("hover_info", {{"path", "a.fake"}, {"symbol", "first"}});
  const std::string told = concat(failed.message, failed.hint, to_text(failed.details));
  EXPECT_THAT(told, ::testing::HasSubstr("seen-by-the-server"));
  EXPECT_THAT(told, ::testing::Not(::testing::HasSubstr("hunter2")));
}

TEST_F(LspToolsTest, AnEmptyAnswerSaysWhereItLooked) {
  EXPECT_EQ(content("goto_definition", {{"path", "a.fake"}, {"line", 1}, {"character", 2}}),
            "fake finds nothing for a.fake:2:3, which is on the line\n  uses second\n"
            "Point to the name itself, or give symbol instead of line and character.\n");
}

TEST_F(LspToolsTest, ReportsOnceHowToHelpAServerThatGuesses) {
  put("c.cc", "def third\n");
  options_.settings.lsp.servers["clangd"] = options_.settings.lsp.servers["fake"];
  options_.settings.lsp.servers["clangd"].files.reset();
  const JsonObject third{{"path", "c.cc"}, {"symbol", "third"}};
  const std::string first = content("hover_info", third);
  EXPECT_THAT(first, ::testing::HasSubstr("CMAKE_EXPORT_COMPILE_COMMANDS"));
  const std::string second = content("hover_info", third);
  EXPECT_THAT(second, ::testing::Not(::testing::HasSubstr("CMAKE_EXPORT_COMPILE_COMMANDS")));
  EXPECT_TRUE(second.starts_with("note: clangd guesses how files are compiled.\n")) << second;
}

TEST_F(LspToolsTest, HoverAndSymbolsAnswer) {
  EXPECT_EQ(content("hover_info", {{"path", "a.fake"}, {"symbol", "first"}}),
            "```fake\ndef first\n```\n\nMore *words*.\n");
  EXPECT_EQ(content("lsp_symbols", {{"path", "b.fake"}}),
            "b.fake\n  1:5: function second\n"
            "Lines and columns count from 1 here; in data and in parameters from 0.\n");
  EXPECT_EQ(call("lsp_symbols", {{"query", "irst"}, {"path", "a.fake"}}).result->summary, "Found 1 symbol");
}

TEST_F(LspToolsTest, NamesAreFoundByOurOwnIndex) {
  // The fake server knows nothing of Python, so that only the index can have found these.
  options_.settings.lsp.servers["fake"].files = std::vector<std::string>{"*.py"};
  put("deep/m.py",
      "class A:\n    def run(self): pass\nclass B:\n    名 = '🎉'; x = 1\n    def run(self): pass\n");
  put("n.py", "import m\ndef run(): pass\n");
  const auto asked = [&](const std::string& path, const std::string& symbol) -> std::string {
    const Answer answer = call("find_references", {{"path", path}, {"symbol", symbol}});
    if (!answer.ok()) return answer.result.error().message;
    const Json& spot = *answer.result->data.find("asked");
    return concat(spot.find("path")->as_string(), ":", spot.find("line")->as_integer(), ":",
                  spot.find("character")->as_integer(), " ", spot.find("symbol")->as_string());
  };
  EXPECT_EQ(asked("n.py", "B/run"), "deep/m.py:4:8 B/run");
  EXPECT_EQ(asked("n.py", "A.run"), "deep/m.py:1:8 A/run");
  EXPECT_EQ(asked("n.py", "run"), "n.py:1:4 run") << "the file's own comes first";
  EXPECT_EQ(asked("n.py", "B/x"), "deep/m.py:3:14 B/x") << "in UTF-16 columns";
  // A file written a moment ago counts.
  put("deep/m.py", "\n\nclass B:\n    def run(self): pass\n");
  EXPECT_EQ(asked("n.py", "B::run()"), "deep/m.py:3:8 B/run");
  const Error refused =
      error("rename_symbol", {{"path", "n.py"}, {"symbol", "Nothing/run"}, {"newName", "walk"}});
  EXPECT_EQ(refused.code, ErrorCode::kNotFound) << refused.message;
}

TEST_F(LspToolsTest, APositionNeedsBothNumbers) {
  EXPECT_EQ(error("hover_info", {{"path", "a.fake"}, {"line", 1}}).message,
            "A position needs both line and character.");
  EXPECT_EQ(error("hover_info", {{"path", "a.fake"}}).message,
            "`symbol`, or `line` and `character`, is required.");
}

TEST_F(LspToolsTest, RenameIsOneChangeThatCanBeUndone) {
  open_both();
  const std::string before = get("a.fake");
  Answer answer = call("rename_symbol",
                       {{"path", "b.fake"}, {"symbol", "first"}, {"newName", "erster"}, {"dryRun", true}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->summary, "Dry run: would rename first to erster: 3 places in 2 files (+3 −3)");
  EXPECT_EQ(get("a.fake"), before);
  answer = call("rename_symbol", {{"path", "b.fake"}, {"symbol", "first"}, {"newName", "erster"}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->summary, "Renamed first to erster: 3 places in 2 files (+3 −3)");
  EXPECT_EQ(get("a.fake"), "def erster\nuses second  \n\"🎉 名\" erster\n");
  EXPECT_EQ(get("b.fake"), "def second\nerster\n");
  ASSERT_TRUE(call("undo", {}).ok());
  EXPECT_EQ(get("a.fake"), before);
  EXPECT_EQ(get("b.fake"), "def second\nfirst\n");
}

TEST_F(LspToolsTest, RenameKeepsByteOrderMarkAndLineEndings) {
  put("c.fake",
      "\xEF\xBB\xBF"
      "def third\r\nthird\r\n");
  ASSERT_TRUE(call("rename_symbol", {{"path", "c.fake"}, {"symbol", "third"}, {"newName", "x"}}).ok());
  EXPECT_EQ(get("c.fake"),
            "\xEF\xBB\xBF"
            "def x\r\nx\r\n");
}

TEST_F(LspToolsTest, RenameOutsideOfTheWorkspaceIsRefusedAsAWhole) {
  use("outside-rename");
  const Error refused = error("rename_symbol", {{"path", "a.fake"}, {"symbol", "first"}, {"newName", "x"}});
  EXPECT_EQ(refused.code, ErrorCode::kSecurity);
  EXPECT_THAT(refused.message, ::testing::HasSubstr("/etc/passwd, which is outside of the workspace"));
  EXPECT_THAT(get("a.fake"), ::testing::Not(::testing::HasSubstr("def x")));
}

TEST_F(LspToolsTest, RenameDoesNotTouchWhatARuleKeepsFromBeingChanged) {
  options_.settings.permissions.deny = {"edit(./b.fake)"};
  open_both();
  const Error refused = error("rename_symbol", {{"path", "a.fake"}, {"symbol", "first"}, {"newName", "x"}});
  EXPECT_EQ(refused.code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(refused.message, ::testing::HasSubstr("b.fake"));
  EXPECT_THAT(get("a.fake"), ::testing::Not(::testing::HasSubstr("def x")));
  EXPECT_EQ(get("b.fake"), "def second\nfirst\n");
}

TEST_F(LspToolsTest, ARenameThatDoesNotHitTheNameIsNotMade) {
  use("misplaced-rename");
  const std::string before = get("a.fake");
  EXPECT_EQ(error("rename_symbol", {{"path", "a.fake"}, {"symbol", "first"}, {"newName", "x"}}).code,
            ErrorCode::kConflict);
  EXPECT_EQ(get("a.fake"), before);
}

TEST_F(LspToolsTest, FormatTouchesOnlyWhatTheServerSays) {
  const Answer answer = call("lsp_format", {{"path", "a.fake"}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(get("a.fake"), "def first\nuses second\n\"🎉 名\" first\n");
  EXPECT_EQ(content("lsp_format", {{"path", "a.fake"}}), "There is nothing to change.\n");
}

TEST_F(LspToolsTest, FormatIsOfferedOnlyByItsName) {
  options_.settings.tools.enabled = {"*"};
  EXPECT_EQ(error("lsp_format", {{"path", "a.fake"}}).code, ErrorCode::kUnknownTool);
}

TEST_F(LspToolsTest, AnEditTellsWhatErrorsItBrought) {
  options_.settings.lsp.diagnostics_after_edit = true;
  options_.settings.lsp.diagnostics_wait_ms = 60'000;
  put("c.fake", "ERROR old\nfine\n");
  std::string text = content("edit", {{"path", "c.fake"}, {"oldText", "fine"}, {"newText", "\nERROR new"}});
  EXPECT_THAT(text,
              ::testing::HasSubstr("New errors and warnings that this brought (fake):\n"
                                   "c.fake:3:1: error: ERROR new: there is an error (7)\n    ERROR new\n"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("ERROR old: there")));
  text = content("write", {{"path", "d.fake"}, {"content", "good\n"}});
  EXPECT_THAT(text, ::testing::HasSubstr("No new errors or warnings (fake)."));
  const Answer patched =
      call("apply_patch", {{"patch", "--- a/d.fake\n+++ b/d.fake\n@@ -1 +1 @@\n-good\n+ERROR here\n"}});
  ASSERT_TRUE(patched.ok()) << patched.result.error().message;
  EXPECT_THAT(patched.result->content, ::testing::HasSubstr("ERROR here: there is an error"));
  // A file without a server has nothing to say.
  EXPECT_THAT(content("write", {{"path", "notes.txt"}, {"content", "x\n"}}),
              ::testing::Not(::testing::HasSubstr("errors")));
}

TEST_F(LspToolsTest, AnEditDoesNotWaitLongForErrors) {
  use("silent");
  options_.settings.lsp.diagnostics_after_edit = true;
  options_.settings.lsp.diagnostics_wait_ms = 100;
  const Answer answer = call("write", {{"path", "d.fake"}, {"content", "good\n"}});
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(
      answer.result->content,
      ::testing::HasSubstr("Whether this brought errors to d.fake is pending; get_diagnostics will tell."));
  EXPECT_EQ(*answer.result->data.find("diagnosticsState"), Json("pending"));
}

TEST_F(LspToolsTest, SaysHowToInstallWhatIsMissing) {
  options_.settings.lsp.servers["fake"].command = "no-such-program-anywhere";
  const Error missing = error("get_diagnostics", {{"path", "a.fake"}});
  EXPECT_EQ(missing.code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.hint, ::testing::HasSubstr("get fake-server"));
  EXPECT_EQ(*missing.details.find("state"), Json("unavailable"));
}

TEST_F(LspToolsTest, AServerOfTheWorkspaceCannotWriteThere) {
  put("server.py", concat("#!/usr/bin/python3\nopen('made', 'w')\n"));
  std::filesystem::permissions(path("server.py"), std::filesystem::perms::all);
  options_.settings.lsp.servers["fake"] = {.command = path("server.py"),
                                           .files = std::vector<std::string>{"*.fake"}};
  const Error failed = error("get_diagnostics", {{"path", "a.fake"}});
  EXPECT_THAT(failed.message, ::testing::HasSubstr("Read-only file system"));
  EXPECT_FALSE(exists("made"));
}

}  // namespace
}  // namespace helve
