#include "search/glob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::search {
namespace {

bool matches(std::string_view pattern, std::string_view path, const GlobOptions& options = {}) {
  const auto glob = Glob::compile(pattern, options);
  EXPECT_TRUE(glob) << pattern << ": " << (glob ? "" : glob.error().message);
  return glob && glob->matches(path);
}

std::string error_of(std::string_view pattern, const GlobOptions& options = {}) {
  const auto glob = Glob::compile(pattern, options);
  if (glob) return "none";
  EXPECT_EQ(glob.error().code, ErrorCode::kInvalidArgument);
  return glob.error().message;
}

TEST(Glob, StarDoesNotCrossSlashes) {
  EXPECT_TRUE(matches("src/*.rs", "src/main.rs"));
  EXPECT_FALSE(matches("src/*.rs", "src/grep/main.rs"));
  EXPECT_TRUE(matches("*", ".hidden"));
  EXPECT_FALSE(matches("*", "a/b"));
  EXPECT_TRUE(matches("a*b*c", "abc"));
  EXPECT_TRUE(matches("a*b*c", "axxbyybzzc"));
  EXPECT_FALSE(matches("a*b*c", "axxbyy"));
}

TEST(Glob, QuestionMarkMatchesOneCharacterOrOneInvalidByte) {
  EXPECT_TRUE(matches("a?c", "abc"));
  EXPECT_FALSE(matches("a?c", "ac"));
  EXPECT_FALSE(matches("a?c", "a/c"));
  EXPECT_TRUE(matches("?", "é"));
  EXPECT_TRUE(matches("x?y", "x\xF0\x9F\x8C\x8Dy"));
  EXPECT_TRUE(matches("?", "\xFF"));
  EXPECT_FALSE(matches("?", "\xFF\xFF"));
  EXPECT_TRUE(matches("??", "\xC3\xFF"));
}

TEST(Glob, DoubleStarCrossesDirectories) {
  EXPECT_TRUE(matches("**/foo", "foo"));
  EXPECT_TRUE(matches("**/foo", "a/b/foo"));
  EXPECT_FALSE(matches("**/foo", "a/bfoo"));
  EXPECT_TRUE(matches("a/**/b", "a/b"));
  EXPECT_TRUE(matches("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(matches("a/**/b", "ab"));
  EXPECT_TRUE(matches("a/**", "a/x/y"));
  EXPECT_FALSE(matches("a/**", "a"));
  EXPECT_TRUE(matches("**", "a/b/c"));
  EXPECT_TRUE(matches("a/**/**/b", "a/x/b"));
  EXPECT_TRUE(matches("**/**/b", "b"));
}

TEST(Glob, DoubleStarWithinAComponentIsAStar) {
  EXPECT_TRUE(matches("a**b", "axxb"));
  EXPECT_FALSE(matches("a**b", "ax/xb"));
  EXPECT_TRUE(matches("**x", "yx"));
  EXPECT_FALSE(matches("**x", "y/x"));
  EXPECT_FALSE(matches("a/**x", "a/b/x"));
}

TEST(Glob, ClassesMatchMembersAndRanges) {
  EXPECT_TRUE(matches("[a-c]x", "bx"));
  EXPECT_FALSE(matches("[a-c]x", "dx"));
  EXPECT_TRUE(matches("[!a-c]x", "dx"));
  EXPECT_TRUE(matches("[^a-c]x", "dx"));
  EXPECT_FALSE(matches("[^a-c]x", "ax"));
  EXPECT_TRUE(matches("[]a]", "]"));
  EXPECT_TRUE(matches("[a-]", "-"));
  EXPECT_TRUE(matches("[-a]", "-"));
  EXPECT_TRUE(matches("[à-ü]", "é"));
  EXPECT_FALSE(matches("[à-ü]", "e"));
  EXPECT_TRUE(matches("[!x]", "é"));
}

TEST(Glob, BracesAreAlternativesIncludingNestedAndEmptyOnes) {
  EXPECT_TRUE(matches("*.{cc,h}", "x.cc"));
  EXPECT_TRUE(matches("*.{cc,h}", "x.h"));
  EXPECT_FALSE(matches("*.{cc,h}", "x.c"));
  EXPECT_TRUE(matches("{a,b{c,d}}e", "bde"));
  EXPECT_FALSE(matches("{a,b{c,d}}e", "be"));
  EXPECT_TRUE(matches("x.ts{,x}", "x.ts"));
  EXPECT_TRUE(matches("x.ts{,x}", "x.tsx"));
  EXPECT_TRUE(matches("{src,test}/**/*.cc", "test/a/b.cc"));
  EXPECT_TRUE(matches("{**/a,b}", "x/y/a"));
  EXPECT_TRUE(matches("{a/**,b}", "a/x"));
  EXPECT_TRUE(matches("a,b", "a,b"));
}

TEST(Glob, BracesAreLiteralWhenTurnedOff) {
  const GlobOptions options{.syntax = GlobOptions::Syntax::kGitName};
  EXPECT_TRUE(matches("{a,b}", "{a,b}", options));
  EXPECT_FALSE(matches("{a,b}", "a", options));
  EXPECT_TRUE(matches("}", "}", options));
}

TEST(Glob, BackslashEscapesTheNextCharacter) {
  EXPECT_TRUE(matches("\\*", "*"));
  EXPECT_FALSE(matches("\\*", "x"));
  EXPECT_TRUE(matches("\\{a\\,b\\}", "{a,b}"));
  EXPECT_TRUE(matches("a\\?", "a?"));
}

TEST(Glob, CanIgnoreCase) {
  const GlobOptions options{.ignore_case = true};
  EXPECT_TRUE(matches("*.HTML", "Index.html", options));
  EXPECT_TRUE(matches("**/readme", "a/README", options));
  EXPECT_TRUE(matches("[A-C]?", "bX", options));
  EXPECT_TRUE(matches("{FOO,bar}", "foo", options));
  EXPECT_FALSE(matches("*.HTML", "Index.html"));
}

TEST(Glob, EmptyMatchesNoPath) { EXPECT_FALSE(matches("", "a")); }

TEST(Glob, ErrorsNamePositionAndReason) {
  EXPECT_EQ(error_of("a[b"), "The glob `a[b` is wrong at position 2: this `[` is never closed.");
  EXPECT_EQ(error_of("a{b,c"), "The glob `a{b,c` is wrong at position 2: this `{` is never closed.");
  EXPECT_EQ(error_of("ab}"), "The glob `ab}` is wrong at position 3: this `}` has no matching `{`.");
  EXPECT_EQ(error_of("[z-a]"), "The glob `[z-a]` is wrong at position 4: this range goes backwards.");
  EXPECT_EQ(error_of("a\\"), "The glob `a\\` is wrong at position 2: there is nothing after the backslash.");
  EXPECT_THAT(error_of(std::string(100, '{')), ::testing::HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(std::string(5000, 'a')), ::testing::HasSubstr("at most 4,096"));
}

TEST(Glob, LenientClassesAreLiteral) {
  EXPECT_TRUE(matches("a[b", "a[b", {.lenient_classes = true}));
  EXPECT_TRUE(matches("a[b*[", "a[bx[", {.lenient_classes = true}));
}

// With backtracking, these would take exponential time.
TEST(Glob, ManyStarsAndBracesStayFast) {
  std::string stars;
  for (int i = 0; i < 60; ++i) stars += "a*";
  stars += "b";
  EXPECT_FALSE(matches(stars, std::string(250, 'a')));
  EXPECT_FALSE(matches(stars + "?", std::string(250, 'a')));
  std::string braces;
  for (int i = 0; i < 200; ++i) braces += "{a,a*}";
  EXPECT_FALSE(matches(braces + "b", std::string(250, 'a')));
  EXPECT_TRUE(matches(braces, std::string(250, 'a')));
  std::string directories;
  for (int i = 0; i < 100; ++i) directories += "**/a/";
  EXPECT_FALSE(matches(directories + "b", "a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/c"));
}

TEST(Glob, LongProgramsMatchMultiByteCharacters) {
  const std::string pattern = std::string(80, '?') + "*é";
  std::string path;
  for (int i = 0; i < 80; ++i) path += "ü";
  EXPECT_TRUE(matches(pattern, path + "é"));
  EXPECT_FALSE(matches(pattern, path));
}

}  // namespace
}  // namespace helve::search
