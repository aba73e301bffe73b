// Tests extraction with hostile, broken and unusual input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "code/extract_testing.h"
#include "code/grammar.h"
#include "code/indexed_file.h"
#include "code/source_text.h"

namespace helve::code {
namespace {

using namespace std::chrono_literals;

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(HostileInput, DeepNestingStopsAtTheDeadlineAndIsReported) {
  for (const std::string_view language : Grammar::languages()) {
    const std::string text =
        concat(repeated("(", 20'000), repeated("{", 20'000), repeated("[", 20'000), "\n");
    const FileAnalysis analysis =
        extract(text, language, Depth::kDetails, {.deadline = std::chrono::steady_clock::now() + 1s});
    if (language == "php") continue;  // it treats all of it as text
    EXPECT_TRUE(analysis.error_regions > 0 || !analysis.skipped.empty() || analysis.incomplete) << language;
  }
}

TEST(HostileInput, DeepFunctionsKeepTheirNames) {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += concat(std::string(static_cast<std::size_t>(i), ' '), "def f", i, "():\n");
  text += std::string(60, ' ') + "pass\n";
  const FileAnalysis analysis = extract_names(text, "python");
  ASSERT_EQ(analysis.symbols.size(), 60U);
  EXPECT_EQ(analysis.symbols.back().name, "f59");
  EXPECT_EQ(analysis.symbols.back().parent, 58U);
}

TEST(HostileInput, LongChainsOfOperatorsTakeLinearTime) {
  const std::string text = concat("package p\nvar s = ", repeated("\"a\" + ", 20'000),
                                  "\"b\"\nfunc f() bool { return ", repeated("x && ", 5000), "y }\n");
  const FileAnalysis analysis =
      extract(text, "go", Depth::kDetails, {.deadline = std::chrono::steady_clock::now() + 30s});
  EXPECT_EQ(analysis.skipped, "");
  EXPECT_EQ(names_of(analysis), "variable s, function f");
  EXPECT_EQ(analysis.symbols.back().complexity, 5001U);
}

TEST(HostileInput, ASyntaxErrorDoesNotHideTheRestOfTheFile) {
  const FileAnalysis analysis = extract_names(
      "def good(a):\n    return a\n\ndef bad(a, b\n    return a b\n\nclass Fine:\n    def method(self): "
      "pass\n",
      "python");
  EXPECT_EQ(names_of(analysis), "function good, class Fine, method method");
  EXPECT_EQ(describe_errors(analysis),
            "1 region could not be parsed (line 4); definitions there may be missing");
}

TEST(HostileInput, TheDeadlineEndsAParse) {
  const std::string text = repeated("def f(a, b=1):\n    return [x for x in a if x]\n", 100'000);
  const FileAnalysis analysis =
      extract(text, "python", Depth::kNames, {.deadline = std::chrono::steady_clock::now()});
  EXPECT_EQ(analysis.skipped, "parsing it took too long");
  EXPECT_TRUE(analysis.symbols.empty());
}

// Error recovery of these would take a minute and gigabytes without checking the deadline.
TEST(HostileInput, StopsParsesThatWouldNeedGigabytes) {
  for (const auto& [language, line] :
       {std::pair("csharp", "a<\n"), std::pair("java", "a<\n"), std::pair("shellscript", "a|\n")}) {
    const FileAnalysis analysis = extract(repeated(line, 20'000), language, Depth::kNames,
                                          {.deadline = std::chrono::steady_clock::now() + 1h});
    EXPECT_EQ(analysis.skipped, "parsing it took too long") << language;
  }
}

TEST(HostileInput, ParsesDenseText) {
  const FileAnalysis analysis = extract(repeated("a=b\n", 100'000), "python", Depth::kNames,
                                        {.deadline = std::chrono::steady_clock::now() + 1h});
  EXPECT_EQ(analysis.skipped, "");
}

TEST(HostileInput, AcceptsInvalidUtf8) {
  const FileAnalysis analysis = extract_names("# \xFF\xFE\x80\ndef f(\xC3): pass\ndef g(): pass\n", "python");
  EXPECT_THAT(names_of(analysis), ::testing::HasSubstr("function g"));
}

TEST(HostileInput, CrLfLinesCountOnce) {
  const FileAnalysis analysis =
      extract("int a;\r\n/* Doc. */\r\nint f(void)\r\n{\r\n  return 0;\r\n}\r\n", "c", Depth::kDetails, {});
  ASSERT_EQ(names_of(analysis), "variable a, function f");
  EXPECT_EQ(analysis.lines, 6U);
  EXPECT_EQ(analysis.symbols[1].line, 3U);
  EXPECT_EQ(analysis.symbols[1].end_line, 6U);
  EXPECT_EQ(analysis.symbols[1].doc, "Doc.");
}

TEST(HostileInput, ColumnsCountCharacters) {
  const FileAnalysis analysis = extract_names("/* 😀é */ int name;\n", "c");
  ASSERT_EQ(analysis.symbols.size(), 1U);
  EXPECT_EQ(analysis.symbols[0].column, 14U);
}

TEST(HostileInput, NamesMayBeInAnyScript) {
  EXPECT_EQ(names_of(extract_names("def größe(): pass\nclass 名前: pass\n", "python")),
            "function größe, class 名前");
}

TEST(HostileInput, EmptyTextHasNoSymbols) {
  for (const std::string_view language : Grammar::languages()) {
    const FileAnalysis analysis = extract("", language, Depth::kDetails, {});
    EXPECT_TRUE(analysis.symbols.empty()) << language;
    EXPECT_EQ(analysis.error_regions, 0U) << language;
  }
}

TEST(SourceText, Utf16IsDecoded) {
  std::string bytes = "\xFF\xFE";
  for (const char c : std::string_view("def f(): pass\n")) bytes += {c, '\0'};
  const SourceText source = read_source("a.py", bytes);
  EXPECT_EQ(source.skipped, "");
  EXPECT_EQ(source.text, "def f(): pass\n");
}

TEST(SourceText, SkipsByteOrderMarks) {
  EXPECT_EQ(read_source("a.py", "\xEF\xBB\xBFx = 1\n").text, "x = 1\n");
}

TEST(SourceText, GivesTheReasonForSkippingBinaryMinifiedAndHugeFiles) {
  EXPECT_EQ(read_source("a.py", std::string("\0\1\2\3ELF\0\0\0", 10)).skipped, "it is a binary file");
  EXPECT_EQ(read_source("a.js", repeated("var a=1;", 10'000)).skipped,
            "it looks minified or generated: its lines have 80,000 bytes on average");
  EXPECT_EQ(read_source("a.js", std::string(kLargestSource + 1, ' ')).skipped, "it has more than 16 MiB");
}

TEST(SourceText, ALineOfTenMegabytesIsSkippedAtOnce) {
  const IndexedFile file = index_file("a.c", std::string(10 << 20, 'x'), {});
  EXPECT_THAT(file.skipped, ::testing::HasSubstr("minified"));
  EXPECT_TRUE(file.symbols.empty());
}

TEST(SourceText, TreatsHeadersAsCPlusPlusAndDetectsScriptsByTheirFirstLine) {
  EXPECT_EQ(read_source("a.h", "class A;").language, "cpp");
  EXPECT_EQ(read_source("run", "#!/usr/bin/env python3\nx = 1\n").language, "python");
}

}  // namespace
}  // namespace helve::code
