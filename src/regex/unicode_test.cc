// Checks property names, and the facts about characters that patterns rely on.
#include "regex/unicode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace helve::regex {
namespace {

CodeSet property(std::string_view name) {
  const auto set = find_property(name);
  EXPECT_TRUE(set.has_value()) << name;
  return set.value_or(CodeSet());
}

CodeSet property(std::string_view name, std::string_view value) {
  const auto set = find_property(name, value);
  EXPECT_TRUE(set.has_value()) << name << "=" << value;
  return set.value_or(CodeSet());
}

CodeSet codes(std::initializer_list<char32_t> list) {
  CodeSet set;
  for (const char32_t code : list) set.add(CodeRange{code, code});
  return set;
}

TEST(Unicode, FindsPropertiesByLooseNames) {
  const CodeSet greek = property("Greek");
  EXPECT_TRUE(greek.contains(U'λ'));
  EXPECT_FALSE(greek.contains('l'));
  for (const char* name : {"greek", "GREEK", "Grek", "isGreek", "is_greek", "g-r e_e-k"}) {
    EXPECT_EQ(property(name), greek) << name;
  }
  for (const char* key : {"sc", "Script", "SCRIPT", "is script"})
    EXPECT_EQ(property(key, "Grek"), greek) << key;
  EXPECT_FALSE(find_property("Greeek").has_value());
  EXPECT_FALSE(find_property("").has_value());
  EXPECT_FALSE(find_property("isc").has_value()) << "a property of its own, without values to match";
}

TEST(Unicode, GroupsOfCategoriesAreTheUnionOfTheirMembers) {
  CodeSet letters;
  for (const char* name : {"Lu", "Ll", "Lt", "Lm", "Lo"}) letters.add(property(name));
  EXPECT_EQ(property("L"), letters);
  EXPECT_EQ(property("Letter"), letters);
  EXPECT_EQ(property("gc", "Letter"), letters);
  CodeSet cased = property("Lu");
  cased.add(property("Ll"));
  cased.add(property("Lt"));
  EXPECT_EQ(property("LC"), cased);
  EXPECT_EQ(property("Assigned"), property("Cn").complement());
  EXPECT_EQ(property("Any"), CodeSet::everything());
  EXPECT_EQ(property("ascii"), CodeSet({{{0, 0x7F}}}));
}

TEST(Unicode, ShortNamesThatMeanTwoThingsMeanCategories) {
  EXPECT_TRUE(property("sc").contains('$'));
  EXPECT_TRUE(property("cf").contains(0x200D));
  EXPECT_TRUE(property("lc").contains('a'));
}

TEST(Unicode, KnowsScriptExtensions) {
  constexpr char32_t kKatakanaHiraganaProlongedSound = 0x30FC;  // Common, used in two scripts
  EXPECT_TRUE(property("sc", "Common").contains(kKatakanaHiraganaProlongedSound));
  EXPECT_TRUE(property("scx", "Hiragana").contains(kKatakanaHiraganaProlongedSound));
  EXPECT_TRUE(property("Script_Extensions", "Kana").contains(kKatakanaHiraganaProlongedSound));
  EXPECT_FALSE(property("scx", "Common").contains(kKatakanaHiraganaProlongedSound));
  EXPECT_EQ(property("scx", "Ogham"), property("sc", "Ogham"));
}

TEST(Unicode, AnAgeIncludesTheOlderOnes) {
  EXPECT_TRUE(property("age", "1.1").contains('a'));
  EXPECT_FALSE(property("age", "1.1").contains(U'€'));
  EXPECT_TRUE(property("age", "V2_1").contains(U'€'));
  EXPECT_TRUE(property("age", "15.0").contains('a'));
  EXPECT_FALSE(find_property("age", "1.2").has_value());
}

TEST(Unicode, KnowsBooleanAndBreakProperties) {
  EXPECT_TRUE(property("Alphabetic").contains(U'ß'));
  EXPECT_TRUE(property("space").contains(0x3000));
  EXPECT_TRUE(property("Emoji").contains(0x1F600));
  EXPECT_TRUE(property("XIDS").contains('a'));
  EXPECT_FALSE(property("XID_Start").contains('1'));
  EXPECT_TRUE(property("gcb", "RI").contains(0x1F1E9));
  EXPECT_TRUE(property("Word_Break", "MidNum").contains(','));
  EXPECT_TRUE(property("sb", "ATerm").contains('.'));
  EXPECT_FALSE(find_property("Alphabetic", "yes").has_value());
  EXPECT_FALSE(find_property("Block", "Arrows").has_value());
  EXPECT_TRUE(has_property_values("Script"));
  EXPECT_FALSE(has_property_values("Block"));
}

TEST(Unicode, WordCharactersAreTheSameInBothForms) {
  const CodeSet& words = word_characters();
  for (char32_t code = 0; code <= kLastCodePoint; ++code) {
    if (is_word_character(code) != words.contains(code)) FAIL() << "U+" << std::hex << std::uint32_t{code};
  }
  EXPECT_FALSE(is_word_character(kLastCodePoint + 1));
  EXPECT_TRUE(is_word_character(U'é'));
  EXPECT_TRUE(is_word_character(0x0301)) << "a combining accent";
  EXPECT_TRUE(is_word_character(0x203F)) << "connecting punctuation";
  EXPECT_TRUE(is_word_character(0x200D)) << "zero width joiner";
  EXPECT_FALSE(is_word_character(U'—'));
}

TEST(Unicode, DigitsAndSpacesUseUnicode) {
  EXPECT_TRUE(decimal_digits().contains(U'٣'));
  EXPECT_FALSE(decimal_digits().contains(U'½'));
  EXPECT_TRUE(white_space().contains(0x2028));
  EXPECT_EQ(white_space().intersection(CodeSet({{{0, 0x7F}}})), CodeSet({{{'\t', '\r'}, {' ', ' '}}}));
}

TEST(Unicode, FindsEveryOtherCase) {
  EXPECT_EQ(with_other_cases(codes({'k'})), codes({'k', 'K', 0x212A}));
  EXPECT_EQ(with_other_cases(codes({0x17F})), codes({'s', 'S', 0x17F}));
  EXPECT_EQ(with_other_cases(codes({U'ς'})), codes({U'σ', U'ς', U'Σ'}));
  EXPECT_EQ(with_other_cases(codes({U'ß'})), codes({U'ß', U'ẞ'}));
  EXPECT_EQ(with_other_cases(codes({'1', U'漢'})), codes({'1', U'漢'}));
  EXPECT_EQ(with_other_cases(codes({U'İ'})), codes({U'İ'})) << "has no simple folding";
  EXPECT_EQ(with_other_cases(CodeSet({{{'a', 'z'}}})),
            CodeSet({{{'A', 'Z'}, {'a', 'z'}, {0x17F, 0x17F}, {0x212A, 0x212A}}}));
  EXPECT_EQ(with_other_cases(CodeSet::everything()), CodeSet::everything());
  EXPECT_TRUE(with_other_cases(CodeSet()).empty());
}

TEST(Unicode, OffersNamesForSuggestions) {
  const auto names = property_names();
  EXPECT_NE(std::ranges::find(names, "Uppercase_Letter"), names.end());
  EXPECT_NE(std::ranges::find(names, "Greek"), names.end());
  const auto scripts = property_values("scx");
  EXPECT_NE(std::ranges::find(scripts, "Cyrillic"), scripts.end());
  EXPECT_TRUE(property_values("nonsense").empty());
}

}  // namespace
}  // namespace helve::regex
