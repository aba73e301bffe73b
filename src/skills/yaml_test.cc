#include "skills/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::skills {
namespace {

std::string json_of(std::string_view yaml) { return to_text(to_json(parse_yaml(yaml).map)); }

std::string notes_of(std::string_view yaml) {
  std::string out;
  for (const YamlNote& note : parse_yaml(yaml).notes)
    out += concat(note.line, note.dropped ? "! " : ": ", note.text, "\n");
  return out;
}

// Parses without notes to this JSON.
void expect_clean(std::string_view yaml, std::string_view json) {
  EXPECT_EQ(json_of(yaml), json) << yaml;
  EXPECT_EQ(notes_of(yaml), "") << yaml;
}

TEST(Yaml, EveryScalarIsText) {
  expect_clean(
      "a: text\nb: 1.0\nc: -1.5\nd: true\ne: 007\nf: ~\ng:\nh: null\ni: 1e3\nj: 0x10\nk: 2024-01-02\n",
      R"({"a":"text","b":"1.0","c":"-1.5","d":"true","e":"007","f":"~","g":"","h":"null",)"
      R"("i":"1e3","j":"0x10","k":"2024-01-02"})");
}

TEST(Yaml, CommentsNeedASpaceBeforeThem) {
  expect_clean("# first\na: b # not this\nc: d#e\n  # last\n", R"({"a":"b","c":"d#e"})");
  expect_clean("a: # only a comment\nb: 1\n", R"({"a":"","b":"1"})");
}

TEST(Yaml, QuotesKeepTheirContent) {
  expect_clean(R"(a: "x: y # z")", R"({"a":"x: y # z"})");
  expect_clean("a: 'it''s' # comment", R"({"a":"it's"})");
  expect_clean(R"(a: "tab\there \u00e4 \U0001F600 \uD83D\uDE00 \x41 \\ \"q\"")",
               "{\"a\":\"tab\\there \u00e4 \U0001F600 \U0001F600 A \\\\ \\\"q\\\"\"}");
  expect_clean(R"("a b": 1)", R"({"a b":"1"})");
  expect_clean("a: \"\"\nb: ''\n", R"({"a":"","b":""})");
  EXPECT_EQ(json_of(R"(a: "\ud83d alone")"), "{\"a\":\"\uFFFD alone\"}");
}

TEST(Yaml, QuotesSpanLines) {
  expect_clean("a: \"one\n  two\n\n  three \\\n  four\"\nb: 1", R"({"a":"one two\nthree four","b":"1"})");
  expect_clean("a: 'one\n  two'\n", R"({"a":"one two"})");
}

TEST(Yaml, PlainTextSpansLines) {
  expect_clean("a: one\n  two\n\n  three\nb: 1", R"({"a":"one two\nthree","b":"1"})");
  expect_clean("a:\n  one\n  two\nb: 1", R"({"a":"one two","b":"1"})");
}

TEST(Yaml, LiteralBlocksKeepTheirLines) {
  expect_clean("a: |\n  one\n    two\n\n  three\n\nb: 1", R"({"a":"one\n  two\n\nthree\n","b":"1"})");
  expect_clean("a: |-\n  one\nb: 1", R"({"a":"one","b":"1"})");
  expect_clean("a: |+\n  one\n\nb: 1", R"({"a":"one\n\n","b":"1"})");
  expect_clean("a: |2-  # comment\n    one\n  two\n", R"({"a":"  one\ntwo"})");
  expect_clean("a: |\n  x: y # stays\n  - z\n", R"({"a":"x: y # stays\n- z\n"})");
  expect_clean("a: |\nb: 1", R"({"a":"","b":"1"})");
}

TEST(Yaml, FoldedBlocksJoinTheirLines) {
  expect_clean("a: >\n  one\n  two\n\n  three\nb: 1", R"({"a":"one two\nthree\n","b":"1"})");
  expect_clean("a: >-\n  one\n    indented\n  two\n", R"({"a":"one\n  indented\ntwo"})");
}

TEST(Yaml, ListsInBothForms) {
  expect_clean("a:\n  - one\n  - \"two\"\n  - 3\nb: [x, 'y, z', 4,]\nc: []",
               R"({"a":["one","two","3"],"b":["x","y, z","4"],"c":[]})");
  expect_clean("a:\n- one\n- two\nb: 1", R"({"a":["one","two"],"b":"1"})");
  expect_clean("a: [\n  one,  # comment\n  two\n]\nb: 1", R"({"a":["one","two"],"b":"1"})");
  expect_clean("a:\n  - Bash(git diff:*)\n  - Read\n", R"x({"a":["Bash(git diff:*)","Read"]})x");
  expect_clean("a:\n  - one\n    more\n  -\n    deep\n", R"({"a":["one more","deep"]})");
}

TEST(Yaml, MapsInBothForms) {
  expect_clean("metadata:\n  author: me\n  version: \"1.0\"\nb: {x: 1, \"y\":2, z: }",
               R"({"metadata":{"author":"me","version":"1.0"},"b":{"x":"1","y":"2","z":""}})");
  expect_clean("metadata:\n  {\n    \"tool\": { \"emoji\": \"x\", \"list\": [\"a\"] },\n  }\nb: 1",
               R"({"metadata":{"tool":{"emoji":"x","list":["a"]}},"b":"1"})");
  expect_clean(
      "hooks:\n  Pre:\n    - matcher: Bash\n      hooks:\n        - type: command\n          x: 1\n    - y: "
      "2\n",
      R"({"hooks":{"Pre":[{"matcher":"Bash","hooks":[{"type":"command","x":"1"}]},{"y":"2"}]}})");
}

TEST(Yaml, IgnoresWindowsLineEnds) {
  expect_clean("a: b\r\nc: |\r\n  one\r\n  two\r\nd: \"x\"\r\n", R"({"a":"b","c":"one\ntwo\n","d":"x"})");
}

TEST(Yaml, ColonInAValueIsTextWithANote) {
  EXPECT_EQ(json_of("a: Use this: for that\nb: 1"), R"({"a":"Use this: for that","b":"1"})");
  EXPECT_EQ(notes_of("x: 1\na: Use this: for that\n"), "2: a value with a colon in it should be in quotes\n");
  EXPECT_EQ(json_of("a: one\n  two: three\nb: 1"), R"({"a":"one two: three","b":"1"})");
  EXPECT_EQ(json_of("a: see http://x.org/y"), R"({"a":"see http://x.org/y"})");
  EXPECT_EQ(notes_of("a: see http://x.org/y"), "");
}

TEST(Yaml, OddStartsAreTextWithANote) {
  EXPECT_EQ(json_of("a: [file] [line]\nb: 1"), R"({"a":"[file] [line]","b":"1"})");
  EXPECT_EQ(
      notes_of("a: [file] [line]\n"),
      "1: it was read as text because there is text after the closing bracket: [line]; put it in quotes\n");
  EXPECT_EQ(json_of("a: [open\nb: 1"), R"({"a":"[open","b":"1"})");
  EXPECT_EQ(json_of("a: *.ts\nb: **bold** text"), R"({"a":"*.ts","b":"**bold** text"})");
  EXPECT_EQ(notes_of("a: @me"), "1: a value that starts with @ should be in quotes\n");
  EXPECT_EQ(json_of("a: > text here"), R"({"a":"> text here"})");
  EXPECT_EQ(json_of("a: \"x\" and \"y\""), R"({"a":"\"x\" and \"y\""})");
  EXPECT_EQ(notes_of("a: \"C:\\dir\""), "1: \"\\d\" is not a YAML escape; it was kept as written\n");
  EXPECT_EQ(json_of("a: \"C:\\dir\""), R"({"a":"C:\\dir"})");
}

TEST(Yaml, AcceptsMissingSpaceAfterTheKey) {
  EXPECT_EQ(json_of("name:x\nb: 1"), R"({"name":"x","b":"1"})");
  EXPECT_EQ(notes_of("name:x"), "1: add a space after the colon\n");
}

TEST(Yaml, RejectsAnchorsAliasesAndTags) {
  EXPECT_EQ(json_of("a: &x one\nb: *x\nc: !!str 1\nd: [*x]\ne: {k: &y 1}\nf: 1"), R"({"f":"1"})");
  EXPECT_EQ(
      notes_of("a: &x one\nb: *x\n"),
      "1! a cannot be read: it starts with an anchor (&), and anchors are not supported; put the value in "
      "quotes\n"
      "2! b cannot be read: it is an alias (*), and aliases are not supported; put the value in quotes\n");
}

TEST(Yaml, LimitsSizeAndDepth) {
  const std::string bomb =
      "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: &d [*c, *c]\ndescription: safe\n";
  EXPECT_EQ(json_of(bomb), R"({"description":"safe"})");
  EXPECT_THAT(notes_of("a: " + std::string(5000, '[')), ::testing::HasSubstr("nested too deeply"));
  std::string deep;
  for (std::size_t i = 0; i < 100; ++i) deep += concat(std::string(i, ' '), "k:\n");
  EXPECT_THAT(notes_of(deep), ::testing::HasSubstr("nested too deeply"));
  std::string many = "a: [";
  for (int i = 0; i < 5000; ++i) many += "1,";
  EXPECT_THAT(notes_of(many + "]\n"), ::testing::HasSubstr("too many values"));
  std::string wrong;
  for (int i = 0; i < 1000; ++i) wrong += concat("k", i, ": \"open\n");
  EXPECT_LE(parse_yaml(wrong).notes.size(), 50U);
}

TEST(Yaml, RejectsTabsAsIndentation) {
  EXPECT_EQ(json_of("a:\n\tb: 1\nc: 2"), R"({"c":"2"})");
  EXPECT_EQ(notes_of("a:\n\tb: 1\nc: 2"), "2! a cannot be read: it is indented with a tab; use spaces\n");
  expect_clean("a: |\n  \ttab\n", R"({"a":"\ttab\n"})");
  expect_clean("a:\tb\n", R"({"a":"b"})");
}

TEST(Yaml, KeepsEntriesAroundAnInvalidOne) {
  EXPECT_EQ(json_of("a: \"never closed\nb: 1\n???\nc: 2"), R"({"b":"1","c":"2"})");
  EXPECT_EQ(notes_of("a: \"never closed\nb: 1\n???\nc: 2"),
            "1! a cannot be read: the quote is never closed\n3! it is not a `key: value`: ???\n");
  EXPECT_EQ(json_of("a: 1\n   b: 2\nc: 3"), R"({"a":"1 b: 2","c":"3"})");
  EXPECT_EQ(notes_of("- a: 1\n"), "1! expected a key, found a list item\n");
  EXPECT_EQ(json_of("a:\n    b: 1\n  c: 2\nd: 3"), R"({"a":{"b":"1"},"d":"3"})");
  EXPECT_EQ(notes_of("a:\n    b: 1\n  c: 2\nd: 3"),
            "3! its indentation does not match the lines around it\n");
}

TEST(Yaml, FirstOfTwoEqualKeysWins) {
  EXPECT_EQ(json_of("a: 1\na: 2"), R"({"a":"1"})");
  EXPECT_EQ(notes_of("a: 1\na: 2"), "2: a is defined twice; the first one is used\n");
}

TEST(Yaml, EmptyTextIsAnEmptyMap) {
  expect_clean("", "{}");
  expect_clean("\n# only this\n\n", "{}");
}

TEST(Yaml, KeepsTheSourceOfBrackets) {
  const YamlDocument document = parse_yaml("argument-hint: [file, line]\n");
  ASSERT_EQ(document.map.items.size(), 1U);
  EXPECT_EQ(document.map.items[0].text, "[file, line]");
}

}  // namespace
}  // namespace helve::skills
