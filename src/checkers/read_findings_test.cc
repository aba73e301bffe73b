// Tests with recorded outputs of the real programs.
#include "checkers/read_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::checkers {
namespace {

const CheckerSpec& spec_of(std::string_view name) {
  // Some programs format and lint.
  for (const CheckerSpec* spec : checkers_for(Purpose::kLint, ""))
    if (spec->name == name) return *spec;
  for (const CheckerSpec& spec : checker_table())
    if (spec.name == name) return spec;
  throw std::logic_error("no such checker");
}

Expected<std::vector<Finding>> read(std::string_view linter, const std::string& path, std::string_view text,
                                    const ProgramOutput& output, bool guesses_flags = false) {
  const Subject subject{.workspace = "/w", .path = path};
  return read_findings({.spec = spec_of(linter),
                        .subject = subject,
                        .text = text,
                        .output = output,
                        .guesses_flags = guesses_flags});
}

std::string reason_of(const Expected<std::vector<Finding>>& findings) {
  if (findings) return "it ran";
  const Json* state = findings.error().details.find("state");
  EXPECT_TRUE(state != nullptr && state->as_string() == "did-not-run") << findings.error().message;
  EXPECT_EQ(findings.error().code, ErrorCode::kExecutionFailed);
  EXPECT_FALSE(findings.error().hint.empty());
  return findings.error().message;
}

constexpr std::string_view kPython = "import os\ndef f( a,b ):\n  x=\"\xC3\xA9\"; return a+undefined_name\n";

TEST(ReadPylint, CountsColumnsFromOneAndInCharacters) {
  // 2.16: columns from 0, in bytes of UTF-8
  const auto found = read("pylint", "a.py", kPython, {.exit_code = 22, .output = R"([
    {"type": "convention", "module": "a", "obj": "", "line": 1, "column": 0, "endLine": null, "endColumn": null,
     "path": "a.py", "symbol": "missing-module-docstring", "message": "Missing module docstring",
     "message-id": "C0114"},
    {"type": "error", "module": "a", "obj": "f", "line": 3, "column": 19, "endLine": 3, "endColumn": 33,
     "path": "a.py", "symbol": "undefined-variable", "message": "Undefined variable 'undefined_name'",
     "message-id": "E0602"},
    {"type": "warning", "module": "a", "obj": "", "line": 1, "column": 0, "endLine": 1, "endColumn": 9,
     "path": "a.py", "symbol": "unused-import", "message": "Unused import os", "message-id": "W0611"}])"});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ((*found)[0].extent, (Extent{1, 1, 0, 0}));
  EXPECT_EQ((*found)[0].severity, Severity::kInformation);
  EXPECT_EQ((*found)[1].extent, (Extent{1, 1, 1, 10}));
  EXPECT_EQ((*found)[1].code, "W0611 unused-import");
  EXPECT_EQ((*found)[2].extent, (Extent{3, 19, 3, 33}));
  EXPECT_EQ((*found)[2].severity, Severity::kError);
  EXPECT_EQ(
      to_text(to_json((*found)[2])),
      "{\"path\":\"a.py\",\"line\":3,\"column\":19,\"endLine\":3,\"endColumn\":33,\"severity\":\"error\","
      "\"code\":\"E0602 undefined-variable\",\"source\":\"pylint\",\"message\":\"Undefined variable "
      "'undefined_name'\",\"fix\":null}");
}

TEST(ReadPylint, DistinguishesCleanFromInvalidConfiguration) {
  const auto clean = read("pylint", "a.py", "", {.exit_code = 0, .output = "[]\n"});
  ASSERT_TRUE(clean);
  EXPECT_TRUE(clean->empty());
  EXPECT_THAT(reason_of(read("pylint", "a.py", "",
                             {.exit_code = 32, .output = "[]", .errors = "pylint: error: no such option"})),
              ::testing::HasSubstr("no such option"));
  EXPECT_THAT(reason_of(read("pylint", "a.py", "", {.exit_code = 1, .errors = "Traceback: boom"})),
              ::testing::HasSubstr("boom"));
}

TEST(ReadFlake8, ReadsLinesAndTreatsSyntaxErrorsAsErrors) {
  const auto found = read("flake8", "b c/a.py", kPython,
                          {.exit_code = 1,
                           .output = "/w/b c/a.py:3:8: E702 multiple statements on one line (semicolon)\n"
                                     "/w/b c/a.py:3:20: F821 undefined name 'undefined_name'\n"
                                     "/w/b c/a.py:1:8: E999 SyntaxError: invalid syntax\n"});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ((*found)[0].code, "E999");
  EXPECT_EQ((*found)[0].severity, Severity::kError);
  EXPECT_EQ((*found)[1].extent, (Extent{3, 8, 0, 0})) << "pycodestyle counts characters";
  EXPECT_EQ((*found)[1].severity, Severity::kWarning);
  EXPECT_EQ((*found)[2].extent, (Extent{3, 19, 0, 0})) << "pyflakes counts bytes";
  EXPECT_EQ((*found)[2].message, "undefined name 'undefined_name'");
}

TEST(ReadFlake8, DidNotRunAfterAnInternalError) {
  EXPECT_THAT(reason_of(read("flake8", "a.py", "",
                             {.exit_code = 1,
                              .errors = "There was a critical error during execution of Flake8:\nplugin"})),
              ::testing::HasSubstr("critical error"));
}

TEST(ReadEslint, ReadsFixesByTheirOffsets) {
  const std::string_view text = "const a = 1;\nlet \xC3\xA9 = \"\xF0\x9F\x98\x80\"; var b = 2\n";
  const auto found =
      read("eslint", "t.js", text, {.exit_code = 1, .output = R"([{"filePath":"/w/t.js","messages":[
    {"ruleId":"no-var","severity":2,"message":"Unexpected var, use let or const instead.","line":2,"column":15,
     "nodeType":"VariableDeclaration","messageId":"unexpectedVar","endLine":2,"endColumn":24,
     "fix":{"range":[27,30],"text":"let"}},
    {"ruleId":"eqeqeq","severity":1,"message":"Expected '==='.","line":1,"column":7,"endLine":1,"endColumn":9}],
    "errorCount":1,"warningCount":1}])"});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].severity, Severity::kWarning);
  EXPECT_TRUE((*found)[0].fix.empty());
  // The emoji is one character and two UTF-16 units.
  EXPECT_EQ((*found)[1].extent, (Extent{2, 14, 2, 23}));
  ASSERT_EQ((*found)[1].fix.size(), 1U);
  EXPECT_EQ((*found)[1].fix[0].extent, (Extent{2, 14, 2, 17}));
  EXPECT_EQ((*found)[1].fix[0].new_text, "let");
}

TEST(ReadEslint, ReportsWhyItDidNotCheck) {
  EXPECT_THAT(
      reason_of(read("eslint", "t.js", "",
                     {.exit_code = 2,
                      .errors = "Oops! Something went wrong! :(\n\nESLint: 9.39.5\n\nESLint couldn't find "
                                "an eslint.config.(js|mjs|cjs) file."})),
      ::testing::HasSubstr("has no configuration"));
  EXPECT_THAT(
      reason_of(read("eslint", "t.ts", "", {.exit_code = 0, .output = R"([{"filePath":"/w/t.ts","messages":[
    {"ruleId":null,"fatal":false,"severity":1,"nodeType":null,
     "message":"File ignored because no matching configuration was supplied."}]}])"})),
      ::testing::HasSubstr("no matching configuration"));
  const auto syntax = read("eslint", "bad.js", "let x = ;\n", {.exit_code = 1, .output = R"([{"messages":[
    {"ruleId":null,"nodeType":null,"fatal":true,"severity":2,"message":"Parsing error: Unexpected token ;",
     "line":1,"column":9}]}])"});
  ASSERT_TRUE(syntax) << "a syntax error is a finding: " << syntax.error().message;
  EXPECT_EQ(syntax->at(0).severity, Severity::kError);
}

TEST(ReadEslint, AcceptsInvalidNumbers) {
  const auto found = read("eslint", "t.js", "a\n", {.exit_code = 1, .output = R"([{"messages":[
    {"ruleId":"x","severity":2,"message":"m","line":18446744073709551615,"column":-3,"endLine":1e300,
     "fix":{"range":[18446744073709551615,-1],"text":7}}]}])"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at(0).extent, Extent());
  EXPECT_TRUE(found->at(0).fix.empty());
}

TEST(ReadShellcheck, ReadsJson1) {
  const auto found =
      read("shellcheck", "a.sh", "#!/bin/sh\n[ $1 = a ]\n", {.exit_code = 1, .output = R"({"comments":[
    {"file":"/w/a.sh","line":2,"endLine":2,"column":3,"endColumn":5,"level":"info","code":2086,
     "message":"Double quote to prevent globbing and word splitting.","fix":{"replacements":[
      {"column":3,"endColumn":3,"endLine":2,"insertionPoint":"afterEnd","line":2,"precedence":11,"replacement":"\""},
      {"column":5,"endColumn":5,"endLine":2,"insertionPoint":"beforeStart","line":2,"precedence":11,
       "replacement":"\""}]}}]})"});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ((*found)[0].code, "SC2086");
  EXPECT_EQ((*found)[0].severity, Severity::kInformation);
  ASSERT_EQ((*found)[0].fix.size(), 2U);
  EXPECT_EQ((*found)[0].fix[1].extent, (Extent{2, 5, 2, 5}));
}

TEST(ReadShellcheck, DoesNotCheckOtherShells) {
  EXPECT_THAT(
      reason_of(read("shellcheck", "z.zsh", "", {.exit_code = 1, .output = R"({"comments":[{"file":"z.zsh",
    "line":1,"endLine":1,"column":1,"endColumn":1,"level":"error","code":1071,
    "message":"ShellCheck only supports sh/bash/dash/ksh scripts. Sorry!","fix":null}]})"})),
      ::testing::HasSubstr("only supports"));
}

TEST(ReadClangTidy, ReadsWarningsWithTheirNotes) {
  const std::string_view text = "int f(int n) {\n  char buf[4];\n  /*\xC3\xA9*/ buf[7] = 1;\n}\n";
  const auto found = read(
      "clang-tidy", "src/b.cpp", text,
      {.exit_code = 0,
       .output = "/w/src/b.cpp:3:10: warning: array index 7 is past the end of the array (that has type "
                 "'char[4]') [clang-diagnostic-array-bounds]\n    3 |   buf[7] = 1;\n      |   ^   ~\n"
                 "/w/src/b.cpp:2:3: note: array 'buf' declared here\n    2 |   char buf[4];\n      |   ^\n"
                 "/usr/include/x.h:9:1: error: no [clang-diagnostic-error]\n"});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].path, "src/b.cpp");
  EXPECT_EQ((*found)[0].extent, (Extent{3, 9, 0, 0})) << "clang counts bytes";
  EXPECT_EQ((*found)[0].code, "clang-diagnostic-array-bounds");
  EXPECT_THAT((*found)[0].message, ::testing::HasSubstr("\nnote: src/b.cpp:2:3: array 'buf' declared here"));
  EXPECT_EQ((*found)[1].path, "/usr/include/x.h");
}

TEST(ReadClangTidy, MissingHeaderWithoutFlagsIsNotAFinding) {
  const ProgramOutput output{
      .exit_code = 1,
      .output = "/w/a.cpp:2:10: error: 'nothere.h' file not found [clang-diagnostic-error]\n",
      .errors = "1 error generated.\nError while processing /w/a.cpp.\n"};
  const std::string reason = reason_of(read("clang-tidy", "a.cpp", "", output, /*guesses_flags=*/true));
  EXPECT_THAT(reason, ::testing::HasSubstr("'nothere.h' file not found")) << reason;
  EXPECT_THAT(reason, ::testing::HasSubstr("compiler's flags")) << reason;
  const auto known = read("clang-tidy", "a.cpp", "", output);
  ASSERT_TRUE(known) << "with the flags it is one";
  EXPECT_EQ(known->size(), 1U);
  EXPECT_THAT(
      reason_of(read("clang-tidy", "a.cpp", "", {.exit_code = 1, .errors = "Error: no checks enabled."})),
      ::testing::HasSubstr("no checks"));
}

TEST(ReadCppcheck, ReadsStderr) {
  const auto found = read(
      "cppcheck", "b.cpp", "a\nb\nc\n",
      {.exit_code = 0,
       .errors = "error\t3\t1\tarrayIndexOutOfBounds\t/w/b.cpp\tArray 'buf[4]' accessed at index 7, which "
                 "is\tout of bounds.\nstyle\t2\t1\tunreadVariable\t/w/b.cpp\tNever used.\nnofile\t0\t0\n"});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].severity, Severity::kInformation);
  EXPECT_EQ((*found)[1].code, "arrayIndexOutOfBounds");
  EXPECT_THAT((*found)[1].message, ::testing::HasSubstr("which is\tout of bounds."));
  EXPECT_THAT(reason_of(read("cppcheck", "b.cpp", "",
                             {.exit_code = 1,
                              .output = "cppcheck: error: could not find or open any of the paths given."})),
              ::testing::HasSubstr("could not find"));
}

TEST(ReadFindings, DoesNotCrashOnInvalidOutput) {
  const std::string json =
      R"([{"filePath":"/w/a.py","line":1,"column":0,"endLine":9,"endColumn":99,"comments":[{"code":1,"line":3,
      "fix":{"replacements":[{"line":1}]}}],"messages":[{"line":2,"column":7,"severity":2,"message":"m",
      "fix":{"range":[0,99],"text":"x"}}]}])";
  const std::string lines =
      "/w/a.py:3:20: F821 undefined\n/w/a.py:3:10: warning: text [check]\n/w/a.py:1:1: note: more\n"
      "error\t3\t1\tid\t/w/a.py\tmessage\n";
  for (const std::string& whole :
       {json, json.substr(1, json.size() - 2), lines, std::string("[[]]"),
        std::string("{\"comments\":[7,null,[]]}"), std::string("[{\"messages\":[1]}]")})
    for (std::size_t size = 0; size <= whole.size(); ++size)
      for (const CheckerSpec& spec : checker_table()) {
        if (spec.purpose != Purpose::kLint) continue;
        const auto found =
            read(spec.name, "a.py", "x\n\xC3\xA9\n",
                 {.exit_code = 1, .output = whole.substr(0, size), .errors = whole.substr(size)});
        EXPECT_TRUE(found || found.error().code == ErrorCode::kExecutionFailed);
      }
}

TEST(ReadFormatted, RejectsOutputWithAnError) {
  const Subject subject{.workspace = "/w", .path = "bad.py"};
  // black prints the unchanged text
  const auto black = read_formatted(spec_of("black"), subject, "def f(:\n",
                                    {.exit_code = 123,
                                     .output = "def f(:\n",
                                     .errors = "error: cannot format bad.py: Cannot parse: 1:6: def f(:\n"});
  ASSERT_FALSE(black);
  EXPECT_THAT(black.error().message, ::testing::HasSubstr("Cannot parse: 1:6"));
  EXPECT_EQ(black.error().details.find("exitCode")->as_integer(), 123);
  const auto gofmt =
      read_formatted(spec_of("gofmt"), subject, "func f( {\n",
                     {.exit_code = 2, .errors = "<standard input>:1:1: expected 'package', found 'func'\n"});
  ASSERT_FALSE(gofmt);
  EXPECT_THAT(gofmt.error().message, ::testing::HasSubstr("expected 'package'"));
  const auto nothing = read_formatted(spec_of("yapf"), subject, "x = 1\n", {.exit_code = 0, .output = "\n"});
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().message, ::testing::HasSubstr("returned no text"));
  EXPECT_EQ(*read_formatted(spec_of("yapf"), subject, "\n", {.exit_code = 0, .output = ""}), "");
}

std::string shown(const Expected<std::vector<Finding>>& findings) {
  if (!findings) return findings.error().message;
  std::string text;
  for (const Finding& each : *findings)
    text += concat(each.extent.line, ":", each.extent.column, "-", each.extent.end_column, " ",
                   to_string(each.severity), " ", each.code, ": ", each.message, "\n");
  return text;
}

TEST(ReadJson, BiomeCountsCharacters) {
  const std::string text = "const x = 1\nvar y = \"🎉\" == x; debugger\n";
  EXPECT_EQ(shown(read("biome", "a.js", text, {.exit_code = 1, .output = R"json({"summary":{"changed":0,
    "unchanged":1,"errors":1},"diagnostics":[{"severity":"error","message":"Using == may be unsafe.",
    "category":"lint/suspicious/noDoubleEquals","location":{"path":"a.js","start":{"line":2,"column":13},
    "end":{"line":2,"column":15}},"advices":[]}],"command":"lint"})json"})),
            "2:13-15 error lint/suspicious/noDoubleEquals: Using == may be unsafe.\n");
  EXPECT_NE(reason_of(read("biome", "a.js", text, {.output = R"json({"summary":{"changed":0,"unchanged":0},
    "diagnostics":[]})json"})),
            "it ran");
}

TEST(ReadJson, OxlintCountsBytes) {
  const std::string text = "const x = 1\nvar y = \"🎉\" == x; debugger\n";
  EXPECT_EQ(shown(read("oxlint", "a.js", text, {.output = R"json({ "diagnostics": [{"message": "`debugger`",
    "code": "eslint(no-debugger)","severity": "warning","filename": "a.js",
    "labels": [{"span": {"offset": 33,"length": 8,"line": 2,"column": 22}}]}], "number_of_files": 1
})json"})),
            "2:19-0 warning eslint(no-debugger): `debugger`\n");
  EXPECT_NE(reason_of(read("oxlint", "a.js", text,
                           {.output = R"json({"diagnostics": [], "number_of_files": 0})json"})),
            "it ran");
}

TEST(ReadJson, RuffOffersFixes) {
  const auto findings = read("ruff", "a.py", "import os\n", {.exit_code = 1, .output = R"json([{"cell":null,
    "code":"F401","end_location":{"column":10,"row":1},"filename":"/w/a.py","fix":{"applicability":"safe",
    "edits":[{"content":"","end_location":{"column":1,"row":2},"location":{"column":1,"row":1}}],
    "message":"Remove unused import"},"location":{"column":8,"row":1},"message":"`os` imported but unused"}])json"});
  EXPECT_EQ(shown(findings), "1:8-10 warning F401: `os` imported but unused\n");
  ASSERT_EQ(findings->front().fix.size(), 1U);
  EXPECT_EQ(findings->front().fix.front().extent, (Extent{1, 1, 2, 1}));
  EXPECT_NE(reason_of(read("ruff", "a.py", "", {.exit_code = 2, .errors = "unknown rule"})), "it ran");
}

TEST(ReadJson, OtherLinters) {
  EXPECT_EQ(shown(read("rubocop", "a.rb", "x=1\n", {.exit_code = 1, .output = R"json({"files":[{"path":"a.rb",
    "offenses":[{"severity":"convention","message":"Surrounding space missing.","cop_name":
    "Layout/SpaceAroundOperators","location":{"start_line":1,"start_column":2,"last_line":1,
    "last_column":2}}]}]})json"})),
            "1:2-3 information Layout/SpaceAroundOperators: Surrounding space missing.\n");
  EXPECT_EQ(shown(read("golangci-lint", "p/a.go", "x\n", {.output = R"json({"Issues":[
    {"FromLinter":"errcheck","Text":"not checked","Pos":{"Filename":"p/a.go","Line":1,"Column":1}},
    {"FromLinter":"errcheck","Text":"elsewhere","Pos":{"Filename":"p/b.go","Line":1,"Column":1}}]})json"})),
            "1:1-0 warning errcheck: not checked\n");
  EXPECT_EQ(shown(read("ktlint", "a.kt", "x\n", {.exit_code = 1, .output = R"json([{"file":"<stdin>","errors":
    [{"line":1,"column":2,"message":"Unnecessary space","rule":"standard:no-multi-spaces"}]}])json"})),
            "1:2-0 warning standard:no-multi-spaces: Unnecessary space\n");
  EXPECT_EQ(shown(read("deno", "a.ts", "x\n", {.exit_code = 1, .output = R"json({"version":1,"diagnostics":[
    {"range":{"start":{"line":1,"col":0},"end":{"line":1,"col":1}},"message":"No","code":"no-x"}],
    "errors":[]})json"})),
            "1:1-2 warning no-x: No\n");
  for (const char* linter : {"rubocop", "golangci-lint", "ktlint", "deno"})
    EXPECT_NE(reason_of(read(linter, "a", "x", {.exit_code = 2, .errors = "no"})), "it ran") << linter;
}

TEST(ReadFormatted, AppliesTheDiffOfPhpCsFixer) {
  const CheckerSpec& spec = spec_of("php-cs-fixer");
  const Subject subject{.workspace = "/w", .path = "a.php"};
  const std::string input = "<?php\n$a=1;\n$b = 2;\n";
  const auto formatted = [&](std::string output, int exit_code) {
    return read_formatted(spec, subject, input, {.exit_code = exit_code, .output = std::move(output)});
  };
  EXPECT_EQ(formatted(R"json({"files":[{"name":"php:\/\/stdin","diff":
    "--- php:\/\/stdin\n+++ php:\/\/stdin\n@@ -1,3 +1,4 @@\n <?php\n-$a=1;\n+\n+$a = 1;\n $b = 2;\n"}]})json",
                      8)
                .value_or("failed"),
            "<?php\n\n$a = 1;\n$b = 2;\n");
  EXPECT_EQ(formatted(R"json({"files":[]})json", 0).value_or("failed"), input);
  EXPECT_FALSE(formatted(R"json({"files":[{"diff":"@@ -1,1 +1,1 @@\n-other\n+x\n"}]})json", 8));
  EXPECT_FALSE(formatted("", 4));
}

}  // namespace
}  // namespace helve::checkers
