#include "search/ignore_file.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::search {
namespace {

struct Case {
  std::string_view rules;
  std::string_view path;  // a trailing `/` means a directory
  Verdict expected;
};

constexpr Verdict kSkip = Verdict::kSkip;
constexpr Verdict kTake = Verdict::kTake;
constexpr Verdict kNone = Verdict::kNone;

TEST(IgnoreFile, FollowsGitsRules) {
  const Case cases[] = {
      // a name matches at any depth
      {"months", "months", kSkip},
      {"months", "a/months", kSkip},
      {"months", "monthsx", kNone},
      {"*.o", "a/b.o", kSkip},
      {"*.o", "a/b.obj", kNone},
      {"*.o", ".o", kSkip},
      {"*.tab.c", "x.tab.c", kSkip},
      {"*.tab.c", "x.c", kNone},
      {"foo*", "a/foobar", kSkip},
      {"*~", "a/b~", kSkip},
      {".*", "a/.b", kSkip},
      // a slash anchors
      {"/foo", "foo", kSkip},
      {"/foo", "a/foo", kNone},
      {"a/foo", "a/foo", kSkip},
      {"a/foo", "b/a/foo", kNone},
      {"/*.c", "cat.c", kSkip},
      {"/*.c", "a/cat.c", kNone},
      {"src/*.rs", "src/a/b.rs", kNone},
      // directories only
      {"foo/", "foo/", kSkip},
      {"foo/", "a/foo/", kSkip},
      {"foo/", "foo", kNone},
      {"a/foo/", "a/foo/", kSkip},
      // double stars
      {"**/foo", "a/b/foo", kSkip},
      {"**/foo/bar", "foo/bar", kSkip},
      {"**/foo/bar", "x/foo/bar", kSkip},
      {"abc/**", "abc/x/y", kSkip},
      {"abc/**", "abc/", kNone},
      {"a/**/b", "a/b", kSkip},
      {"a/**/b", "a/x/y/b", kSkip},
      {"**", "anything/at/all", kSkip},
      {"**/", "a/b/", kSkip},
      {"**/", "a/b", kNone},
      // the last match decides, `!` includes again
      {"*.c\n!main.c", "main.c", kTake},
      {"!main.c\n*.c", "main.c", kSkip},
      {"*\n!*/", "a/", kTake},
      {"*\n!*/", "a", kSkip},
      {"a\nb\na\n!b", "b", kTake},
      {"x.c\n!*.c\nsub/x.c", "sub/x.c", kSkip},
      {"!", "anything", kNone},
      // comments, blanks and escapes
      {"#foo", "#foo", kNone},
      {"\\#foo", "#foo", kSkip},
      {"\\!foo", "!foo", kSkip},
      {"foo  ", "foo", kSkip},
      {"foo\t", "foo", kNone},
      {"foo\t", "foo\t", kSkip},
      {"foo\\ ", "foo ", kSkip},
      {"foo\\ ", "foo", kNone},
      {"foo\\  ", "foo ", kSkip},
      {"foo\\\\ ", "foo\\", kSkip},
      {"  ", "  ", kNone},
      {" foo", " foo", kSkip},
      {"a\\*b", "a*b", kSkip},
      {"a\\*b", "axb", kNone},
      {"\\a", "a", kSkip},
      // line endings and a byte order mark
      {"foo\r\nbar\r\n", "foo", kSkip},
      {"foo\r\nbar\r\n", "bar", kSkip},
      {"\xEF\xBB\xBF"
       "foo",
       "foo", kSkip},
      {"foo\n\n\nbar", "bar", kSkip},
      // classes
      {"[ab].c", "b.c", kSkip},
      {"[!ab].c", "b.c", kNone},
      {"[!ab].c", "x.c", kSkip},
      {"a[", "a[", kNone},
      {"a[]-]b", "a-b", kSkip},
      {"a[\\]x]b", "a]b", kSkip},
      {"[[:digit:]]", "7", kSkip},
      {"[[:digit:]]", "x", kNone},
      {"[[:nothing:]]", "7", kNone},
      // braces are literal
      {"*.{a,b}", "x.a", kNone},
      {"*.{a,b}", "x.{a,b}", kSkip},
      {"{", "{", kSkip},
      // an invalid glob is skipped
      {"[z-a]\nfoo", "foo", kSkip},
      {"foo\\\nbar", "bar", kSkip},
      {"/", "a", kNone},
      // invalid UTF-8
      {"caf\xE9", "caf\xE9", kSkip},
      {"# caf\xE9\nfoo", "foo", kSkip},
  };
  for (const Case& test : cases) {
    const RuleList rules = parse_ignore_file(test.rules);
    const bool is_directory = test.path.ends_with('/');
    const std::string_view path = test.path.substr(0, test.path.size() - (is_directory ? 1 : 0));
    EXPECT_EQ(rules.judge(Candidate(path, is_directory)), test.expected) << test.rules << " on " << test.path;
  }
}

TEST(IgnoreFile, IndexedLookupAgreesWithTryingAllRules) {
  // Rules that are found by name, by extension and by trying, in turn.
  const RuleList rules = parse_ignore_file("x.c\n*.c\nx*\n!x.c\n!*.c\n!x*\nx.c\n*.c\nx*\n");
  EXPECT_EQ(rules.last_match(Candidate("x.c", false)), 8);
  EXPECT_EQ(rules.last_match(Candidate("y.c", false)), 7);
  EXPECT_EQ(rules.last_match(Candidate("x.d", false)), 8);
  EXPECT_EQ(rules.last_match(Candidate("y.d", false)), -1);
}

TEST(IgnoreFile, ManyRulesAreAllFound) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += concat("name", i, "\n*.ext", i, "\n");
  const RuleList rules = parse_ignore_file(text);
  for (int i = 0; i < 2000; ++i) {
    EXPECT_EQ(rules.last_match(Candidate(concat("a/name", i), false)), 2 * i);
    EXPECT_EQ(rules.last_match(Candidate(concat("x.ext", i), false)), 2 * i + 1);
    EXPECT_EQ(rules.last_match(Candidate(concat("name", i, ".txt"), false)), -1);
  }
}

TEST(IgnoreFile, FindsTheExcludesFileInAGitConfiguration) {
  const auto file_in = [](std::string_view text) {
    return ignore_settings_in(text, "/home/me").excludes_file;
  };
  EXPECT_EQ(file_in("[core]\n\texcludesFile = /a/b\n"), "/a/b");
  EXPECT_EQ(file_in("[core]\nEXCLUDESFILE=~/b"), "/home/me/b");
  EXPECT_EQ(file_in("[core]\r\nexcludesfile = \"~/b c\"\r\n"), "/home/me/b c");
  EXPECT_EQ(file_in("[core]\nexcludeFile = /a\n"), std::nullopt);
  EXPECT_EQ(file_in("[other]\nexcludesFile = /a\n"), std::nullopt);
  EXPECT_EQ(file_in("[core]\nexcludesFile = /a # comment\nexcludesfile = /b\n"), "/b");
  EXPECT_EQ(file_in(""), std::nullopt);
}

TEST(IgnoreFile, FindsTheCaseOfLettersInAGitConfiguration) {
  const auto letters_in = [](std::string_view text) { return ignore_settings_in(text, "/home/me").letters; };
  for (const char* value : {" = true", "=YES", " = On", " = 1", ""})
    EXPECT_EQ(letters_in(concat("[core]\n\tignoreCase", value, "\n")), LetterCase::kIgnored) << value;
  for (const char* value : {" = false", "=no", " = off", " = 0", "="})
    EXPECT_EQ(letters_in(concat("[core]\n\tignorecase", value, "\n")), LetterCase::kDiffers) << value;
  EXPECT_EQ(letters_in("[core]\nbare = true\n"), std::nullopt);
}

TEST(IgnoreFile, CanIgnoreTheCaseOfLetters) {
  const RuleList rules = parse_ignore_file("Build/\n*.LOG\n!Keep.log\n/a/[B-D]\n", LetterCase::kIgnored);
  EXPECT_EQ(rules.judge(Candidate("src/BUILD", true)), Verdict::kSkip);
  EXPECT_EQ(rules.judge(Candidate("x.log", false)), Verdict::kSkip);
  EXPECT_EQ(rules.judge(Candidate("keep.LOG", false)), Verdict::kTake);
  EXPECT_EQ(rules.judge(Candidate("A/c", false)), Verdict::kSkip);
  EXPECT_EQ(rules.judge(Candidate("A/e", false)), Verdict::kNone);
}

}  // namespace
}  // namespace helve::search
