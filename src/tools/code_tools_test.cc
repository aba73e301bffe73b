#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_parse.h"
#include "base/strings.h"
#include "tools/testing.h"

namespace helve::testing {
namespace {

constexpr std::string_view kStore = R"(#include <string>

// Keeps things.
class Store : public Base {
 public:
  explicit Store(int size);
  // Opens it.
  bool open(const std::string& path, int mode = 3);

 private:
  int size_ = 0;
};

bool Store::open(const std::string& path, int mode) {
  if (path.empty() || mode < 0) return false;
  for (int i = 0; i < mode; ++i) {
  }
  return true;
}

int open_count = 0;
)";

class CodeToolsTest : public ToolTest {
 protected:
  CodeToolsTest() {
    put("src/store.cc", kStore);
    put("src/app.py",
        "\"\"\"The app.\"\"\"\nimport os\n\nLIMIT = 5\n\n@cached\nasync def main(args, *, debug: bool = "
        "False) -> int:\n    "
        "\"\"\"Runs it.\"\"\"\n    local = Store(1)\n    return 0 if debug else 1\n");
    put("notes.lua", "function special_lua_thing() end\n");
  }
  Json data(const std::string& tool, JsonObject arguments) {
    const Answer answer = call(tool, std::move(arguments));
    EXPECT_TRUE(answer.ok()) << (answer.ok() ? "" : answer.result.error().message);
    return answer.ok() ? answer.result->data : Json();
  }
};

TEST_F(CodeToolsTest, AnalyzeGivesTheStructureAsJson) {
  const std::string text = content("analyze_code", {{"path", "src/app.py"}});
  EXPECT_EQ(
      text,
      R"({"path":"src/app.py","language":"Python","totalLines":10,"complexity":2,"docstring":"The app.",)"
      R"("imports":["import os"],)"
      R"("functions":[{"name":"main","lines":[7,10],"async":true,"parameters":["args","*","debug: bool = False"],)"
      R"("returns":"int","decorators":["@cached"],"complexity":2,"docstring":"Runs it."}],)"
      R"("classes":[],"globals":[{"name":"LIMIT","line":4,"text":"LIMIT = 5"}]})"
      "\n");
}

TEST_F(CodeToolsTest, AnalyzeOfMoreCodeSaysMoreAndIsSmallerThanTheCode) {
  std::string code = get("src/app.py");
  for (int i = 0; i < 30; ++i) code += "# a line that says nothing at all, and says so at some length\n";
  put("src/app.py", code);
  const std::string text = content("analyze_code", {{"path", "src/app.py"}});
  EXPECT_LT(text.size(), code.size());
  for (const std::string_view part : {R"("docstring":"The app.")", R"("docstring":"Runs it.")",
                                      R"("decorators":["@cached"])", R"("text":"LIMIT = 5")"})
    EXPECT_THAT(text, ::testing::HasSubstr(part)) << part;
}

TEST_F(CodeToolsTest, AnalyzeNeverDropsDocstringsSilently) {
  // A short file keeps them, even when the answer is longer than the file.
  EXPECT_THAT(content("analyze_code", {{"path", "src/app.py"}}),
              ::testing::HasSubstr(R"("docstring":"Runs it.")"));
  std::string code;
  for (int i = 0; i < 100; ++i)
    code += concat("def f", i, "():\n    \"\"\"Counts to ", i, ".\n\n    Twice.\n    \"\"\"\n");
  put("src/short.py", code);
  const Answer answer = call("analyze_code", {{"path", "src/short.py"}});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.result->data.find("leftOut")->as_string(), "docstrings, text of globals");
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr(R"("leftOut":"docstrings)"));
  EXPECT_THAT(answer.result->summary, ::testing::HasSubstr("left out: docstrings"));
  EXPECT_TRUE(answer.result->truncated);
  std::string longer;
  for (int i = 0; i < 100; ++i)
    longer += concat("def f", i, "():\n    \"\"\"Counts to ", i, ".\n\n    ", std::string(300, 'x'),
                     "\n    \"\"\"\n");
  put("src/long.py", longer);
  const std::string text = content("analyze_code", {{"path", "src/long.py"}});
  EXPECT_LT(text.size(), longer.size());
  EXPECT_THAT(text, ::testing::HasSubstr(R"("docstring":"Counts to 99. …")"));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("leftOut":"docstrings after their first line")"));
}

TEST_F(CodeToolsTest, AnalyzePutsMethodsFromOutsideIntoTheirClass) {
  const Json json = data("analyze_code", {{"path", "src/store.cc"}});
  ASSERT_NE(json.find("classes"), nullptr);
  const Json& store = json.find("classes")->as_array().at(0);
  EXPECT_EQ(store.find("bases")->as_array().at(0), Json("Base"));
  const JsonArray& methods = store.find("methods")->as_array();
  ASSERT_EQ(methods.size(), 3U);
  EXPECT_EQ(*methods[2].find("complexity"), Json(4));
  EXPECT_TRUE(json.find("functions")->as_array().empty());
}

TEST_F(CodeToolsTest, AnalyzeRefusesWithTheReason) {
  put("a.bin", std::string("\0\1\2\3\0\0\0\0", 8));
  EXPECT_EQ(error("analyze_code", {{"path", "a.bin"}}).message,
            "a.bin cannot be analysed: it is a binary file.");
  const Error unknown = error("analyze_code", {{"path", "notes.lua"}});
  EXPECT_EQ(unknown.message, "notes.lua cannot be analysed: there is no parser for Lua.");
  EXPECT_THAT(unknown.hint, ::testing::HasSubstr("There are parsers for C, C++"));
  EXPECT_EQ(error("analyze_code", {{"path", "src"}}).message,
            "src is a directory; analyze_code takes a file.");
  EXPECT_EQ(error("analyze_code", {{"path", "src/stor.cc"}}).code, ErrorCode::kNotFound);
}

TEST_F(CodeToolsTest, OutlineHasLinesAndSignatures) {
  EXPECT_EQ(content("get_code_outline", {{"path", "src/store.cc"}}), R"(# src/store.cc (C++, 21 lines)

imports: <string>

4-12 class Store : public Base
  6 explicit Store(int size)
  8 bool open(const std::string& path, int mode = 3)
  11 int size_ = 0
14-19 bool Store::open(const std::string& path, int mode)
21 int open_count = 0
)");
}

TEST_F(CodeToolsTest, OutlineTellsOfWhatCouldNotBeParsed) {
  put("bad.py", "def f(:\n    pass\n\ndef g(): pass\n");
  EXPECT_THAT(content("get_code_outline", {{"path", "bad.py"}}),
              ::testing::HasSubstr("1 region could not be parsed (line 1)"));
}

TEST_F(CodeToolsTest, ALongOutlineGetsShallowerAndIsNeverCut) {
  std::string code;
  for (int i = 0; i < 400; ++i) {
    code += concat("class C", i, ":\n");
    for (int j = 0; j < 20; ++j) code += concat("    def method_", j, "(self, argument):\n        pass\n");
  }
  put("big.py", code);
  const std::string outline = content("get_code_outline", {{"path", "big.py"}});
  EXPECT_LT(outline.size(), 21'000U);
  EXPECT_THAT(outline, ::testing::HasSubstr("1-41 class C0 (20 members)\n")) << outline.substr(0, 300);
  EXPECT_THAT(outline, ::testing::HasSubstr("class C399 (20 members)\n"));
  EXPECT_THAT(outline, ::testing::HasSubstr("Left out for length: members."));
  // Read without a range shows the same instead of a head.
  const std::string shown = content("read", {{"path", "big.py"}});
  EXPECT_THAT(shown, ::testing::HasSubstr("so its outline is shown")) << shown.substr(0, 200);
  EXPECT_THAT(content("read", {{"path", "big.py"}, {"limit", 3}}), ::testing::HasSubstr("def method_0"));
}

TEST_F(CodeToolsTest, ADirectoryIsMapped) {
  const std::string map = content("get_code_outline", {{"path", "."}});
  EXPECT_THAT(map, ::testing::HasSubstr("# . (2 source files, 8 definitions)"));
  EXPECT_THAT(map, ::testing::HasSubstr("src/store.cc (21 lines)\n  4-12 class Store : public Base\n"));
}

TEST_F(CodeToolsTest, FindSymbolsOfAFileAndOfATree) {
  EXPECT_EQ(
      content("find_symbols", {{"path", "src"}, {"symbolType", "function"}, {"pattern", "^(main|open)$"}}),
      R"(src/app.py
  7-10 function main: async def main(args, *, debug: bool = False) -> int

src/store.cc
  8 method Store.open: bool open(const std::string& path, int mode = 3)
  14-19 method Store.open: bool Store::open(const std::string& path, int mode)
)");
  const Json json = data("find_symbols", {{"path", "src/store.cc"}, {"symbolType", "variable"}});
  EXPECT_EQ(*json.find("total"), Json(2));
  EXPECT_EQ(*json.find("symbols")->as_array().at(1).find("name"), Json("open_count"));
}

TEST_F(CodeToolsTest, FindSymbolsThatFindsNothingNamesWhatIsNear) {
  const std::string text = content("find_symbols", {{"path", "."}, {"pattern", "open_cuont"}});
  EXPECT_THAT(text, ::testing::HasSubstr("No symbol matches \"open_cuont\""));
  EXPECT_THAT(text, ::testing::HasSubstr("Names that are near: open_count."));
  EXPECT_EQ(error("find_symbols", {{"path", "."}, {"pattern", "("}}).code, ErrorCode::kInvalidArgument);
}

TEST_F(CodeToolsTest, FindSymbolsLooksIntoAnIgnoredDirectoryThatIsNamed) {
  put("vendor/x/lib.py", "def vendored(): pass\n");
  put(".ignore", "vendor/\n");
  EXPECT_EQ(content("find_symbols", {{"path", "vendor/x"}}),
            "vendor/x/lib.py\n  1 function vendored: def vendored()\n");
  EXPECT_THAT(content("find_symbols", {{"path", "."}}), ::testing::Not(::testing::HasSubstr("vendored")));
}

TEST_F(CodeToolsTest, QueryShowsTheBestFirstWithCode) {
  const Json json = data("code_query", {{"query", "Store.open"}});
  const JsonArray& results = json.find("results")->as_array();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(*results[0].find("line"), Json(14));  // the definition before the declaration
  EXPECT_EQ(*results[0].find("column"), Json(13));
  EXPECT_EQ(*results[0].find("match"), Json("exact"));
  EXPECT_EQ(*results[1].find("line"), Json(8));
  EXPECT_THAT(results[0].find("context")->as_string(), ::testing::HasSubstr("15:   if (path.empty()"));
}

TEST_F(CodeToolsTest, QuerySeesAChangeMadeBehindItsBack) {
  EXPECT_THAT(content("code_query", {{"query", "main"}}), ::testing::HasSubstr("src/app.py:7:11"));
  put("src/app.py", "\n\ndef renamed_main(): pass\n");
  EXPECT_THAT(content("code_query", {{"query", "renamed_main"}}), ::testing::HasSubstr("src/app.py:3:5"));
  EXPECT_THAT(content("code_query", {{
                                         "query",
                                         "main",
                                     },
                                     {"type", "class"}}),
              ::testing::HasSubstr("No definition of \"main\""));
}

TEST_F(CodeToolsTest, QueryFallsBackToTextAndSaysSo) {
  const std::string text = content("code_query", {{"query", "special_lua_thing"}});
  EXPECT_THAT(text, ::testing::HasSubstr("No definition of \"special_lua_thing\"."));
  EXPECT_THAT(text, ::testing::HasSubstr("found by grep"));
  EXPECT_THAT(text, ::testing::HasSubstr("notes.lua:1: function special_lua_thing() end"));
  const std::string nothing = content("code_query", {{"query", "zzz_nowhere"}});
  EXPECT_THAT(nothing, ::testing::HasSubstr("It does not occur as text either."));
}

TEST_F(CodeToolsTest, QueryForFiles) {
  EXPECT_EQ(content("code_query", {{"query", "store"}, {"type", "file"}}), "src/store.cc:1:1 file\n");
  EXPECT_EQ(content("code_query", {{"query", "src/app"}, {"type", "file"}}), "src/app.py:1:1 file\n");
  EXPECT_EQ(error("code_query", {{"query", "x"}, {"path", "src/app.py"}}).message,
            "src/app.py is a file; code_query looks in directories.");
  EXPECT_EQ(error("code_query", {{"query", "x"}, {"path", "srk"}}).code, ErrorCode::kNotFound);
}

TEST_F(CodeToolsTest, WhatRulesHideIsNotShown) {
  options_.settings.permissions.deny = {"read(./src/store.cc)"};
  EXPECT_THAT(content("code_query", {{"query", "open_count"}}),
              ::testing::Not(::testing::HasSubstr("store.cc")));
  EXPECT_THAT(content("find_symbols", {{"path", "."}}), ::testing::Not(::testing::HasSubstr("store.cc")));
  EXPECT_THAT(content("get_code_outline", {{"path", "."}}), ::testing::Not(::testing::HasSubstr("store.cc")));
}

}  // namespace
}  // namespace helve::testing
