#include "search/needles.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "regex/regex.h"
#include "search/needle_scan.h"

namespace helve::search {
namespace {

// Prints the sets of a needle as "{aA}b{0-9}"; a set of one byte is printed as the byte.
std::string show(const Needle& needle) {
  std::string text;
  for (const ByteSet& set : needle) {
    std::string bytes;
    for (std::size_t byte = 0; byte < 128; ++byte) {
      if (set.test(byte)) bytes += static_cast<char>(byte);
    }
    text += set.count() == 1 ? bytes : "{" + (bytes.size() > 4 ? "…" : bytes) + "}";
  }
  return text;
}

std::vector<std::string> needles_of(const std::string& pattern, bool ignore_case = false) {
  const auto hir = regex::parse(pattern, {.ignore_case = ignore_case});
  if (!hir) return {"error: " + hir.error().message};
  std::vector<std::string> shown;
  for (const Needle& needle : find_needles(*hir).needles) shown.push_back(show(needle));
  return shown;
}

using Shown = std::vector<std::string>;

TEST(Needles, AreTheTextOfALiteralPattern) {
  EXPECT_EQ(needles_of("PM_RESUME"), (Shown{"PM_RESUME"}));
  EXPECT_EQ(find_needles(*regex::parse("PM_RESUME", {})).whole_pattern, "PM_RESUME");
  EXPECT_EQ(find_needles(*regex::parse("PM_RESUME\\b", {})).whole_pattern, "");
}

TEST(Needles, AreTheRarestPartOfEveryMatch) {
  EXPECT_EQ(needles_of("\\w+_init\\("), (Shown{"_init("}));
  EXPECT_EQ(needles_of("[A-Z]+_SUSPEND"), (Shown{"{…}_SUSPEND"}));
  EXPECT_EQ(needles_of("(?:foo)?barbaz.*"), (Shown{"barbaz"}));
  EXPECT_EQ(needles_of("a*xyzzy(?:b|c)+"), (Shown{"xyzzy{bc}"}));
  EXPECT_EQ(needles_of("[0-9]{4}-[0-9]{2}"), (Shown{"{…}{…}{…}{…}-{…}{…}"}));
}

TEST(Needles, AreOnePerAlternative) {
  EXPECT_EQ(needles_of("TODO|FIXME"), (Shown{"TODO", "FIXME"}));
  EXPECT_EQ(needles_of("(?:TODO|FIXME)\\(\\w+\\)"), (Shown{"TODO(", "FIXME("}));
  EXPECT_EQ(needles_of("TODO|\\d*"), Shown{});
}

TEST(Needles, ContainBothCasesWhenIgnoringCase) {
  EXPECT_EQ(needles_of("Memory", true), (Shown{"{Mm}{Ee}{Mm}{Oo}{Rr}{Yy}"}));
  // k also folds with the Kelvin sign, s with the long s, so those are avoided.
  EXPECT_EQ(needles_of("kajak", true).size(), 1U);
}

TEST(Needles, AreEmptyIfNothingIsCertainOrRare) {
  for (const char* pattern : {"\\w+", ".*", "a?", "^", "", "[a-z]|[0-9]", "\\s+", "(?:abc)*"})
    EXPECT_EQ(needles_of(pattern), Shown{}) << pattern;
}

// The invariant of the search: a line without a needle has no match.
TEST(Needles, OccurInEveryMatch) {
  const std::vector<std::string> patterns = {"foo|bar",
                                             "(?i)kiss",
                                             "fo+b",
                                             "[fb]o{2,3}",
                                             "(?:fo|ba)[rz]+k",
                                             "\\bfoo\\b",
                                             "o.k",
                                             "(?i)ſoo",
                                             "f\\w+k",
                                             "(?:foo|ba)(?:r|z)",
                                             "^foo.*bar$",
                                             "(?:a|b|f)(?:o|a)(?:o|r|z)",
                                             "(?i)straße",
                                             "[é-ü]o",
                                             "日本|中国",
                                             "\\p{Greek}o",
                                             "x?foo?",
                                             "(?:foo){2}",
                                             "(?-u)\\xC3.oo",
                                             "[^a-z]foo",
                                             "k{3}",
                                             "(?:ab|ba){2,}",
                                             "(?i)[k-s]oo",
                                             "fo(?:o|)(?:b|)ar"};
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {
      "foo", "bar",  "baz",  "k", "K",       "K",       "S", "ſ", "iss", "o", "a",    "b", "f",   " ",  "é",
      "ü",   "日本", "中国", "α", "straSSe", "STRASSE", "ß", "ẞ", "r",   "z", "\xC3", "x", "FOO", "kkk"};
  std::size_t matches = 0;
  for (const std::string& pattern : patterns) {
    const auto regex = regex::Regex::compile(pattern);
    ASSERT_TRUE(regex) << pattern;
    const Needles needles = find_needles(regex->hir());
    if (needles.empty()) continue;
    const NeedleScan scan(needles);
    regex::Finder finder(*regex);
    for (int round = 0; round < 3'000; ++round) {
      std::string line;
      for (unsigned i = random() % 12; i > 0; --i) line += pieces[random() % pieces.size()];
      const auto match = finder.find(line);
      if (!match) continue;
      ++matches;
      const std::string_view found = std::string_view(line).substr(match->begin, match->end - match->begin);
      ASSERT_TRUE(scan.find(found, 0)) << pattern << " in " << line;
      ASSERT_TRUE(scan.find(line, 0)) << pattern << " in " << line;
    }
  }
  EXPECT_GT(matches, 5'000U);
}

}  // namespace
}  // namespace helve::search
