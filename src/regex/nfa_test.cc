#include "regex/nfa.h"

#include <gtest/gtest.h>

#include "regex/pike_testing.h"
#include "regex/random_hir_testing.h"
#include "regex/unicode.h"

namespace helve::regex {
namespace {

Hir word() { return {.kind = Hir::Kind::kClass, .codes = word_characters()}; }

Nfa compiled_nfa(const Hir& hir, Direction direction = Direction::kForward) {
  auto nfa = Nfa::compile(hir, direction);
  EXPECT_TRUE(nfa.has_value());
  return std::move(*nfa);
}

std::optional<Span> found(const Hir& hir, std::string_view text) {
  return PikeMatcher(compiled_nfa(hir)).find(text);
}

TEST(Nfa, IsSmallForTheLargeClasses) {
  EXPECT_LT(compiled_nfa(word()).size(), 400u);
  EXPECT_LT(compiled_nfa(word(), Direction::kBackward).size(), 1000u);
}

TEST(Nfa, RejectsPatternsThatAreTooLargeBeforeAllocating) {
  const Hir thousand = repetition(word(), 1000, 1000);
  const auto nfa =
      Nfa::compile(repetition(repetition(thousand, 1000, 1000), 1000, 1000), Direction::kForward);
  ASSERT_FALSE(nfa.has_value());
  EXPECT_EQ(nfa.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(nfa.error().message,
            "The pattern is too large: with its repetitions expanded it needs more than 48 MB.");
  EXPECT_EQ(nfa.error().hint,
            "Use fewer repetitions, or repeat a smaller class: [a-z] instead of \\w, for example.");
}

TEST(Nfa, StaysWithinItsMemoryLimit) {
  TestDraw draw(7);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const Hir hir = draw.hir(4);
    for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
      const auto nfa = Nfa::compile(hir, direction, 2000);
      refused += nfa ? 0 : 1;
      // The start states come on top.
      if (nfa) {
        EXPECT_LE(nfa->memory(), 2000 + 3 * sizeof(NfaState) + 2 * sizeof(std::uint32_t));
      }
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(Nfa, RepeatsAnEmptyPatternInConstantTime) {
  const Hir nothing = repetition(repetition(Hir{}, 4'000'000'000, 4'000'000'000), 1'000'000, 1'000'000);
  EXPECT_LT(compiled_nfa(nothing).size(), 10u);
}

TEST(Nfa, KnowsWhetherAMatchCanContainALineFeed) {
  EXPECT_FALSE(compiled_nfa(literal("ab")).reads_line_feed());
  EXPECT_FALSE(compiled_nfa(look_at(Look::kLineEnd)).reads_line_feed());
  EXPECT_TRUE(compiled_nfa(literal("a\nb")).reads_line_feed());
  EXPECT_TRUE(compiled_nfa(Hir{.kind = Hir::Kind::kClass, .codes = white_space()}).reads_line_feed());
  EXPECT_TRUE(compiled_nfa(byte_class(0, 255)).reads_line_feed());
}

TEST(Nfa, DistinguishesOnlyBytesThatThePatternDistinguishes) {
  EXPECT_EQ(compiled_nfa(literal("b")).classes().count(), 3u);
  EXPECT_EQ(compiled_nfa(byte_class(0, 255)).classes().count(), 1u);
  const Nfa nfa = compiled_nfa(concatenation({code_class({{'a', 'f'}}), look_at(Look::kLineEnd)}));
  EXPECT_NE(nfa.classes()['\n'], nfa.classes()['x']);
  EXPECT_EQ(nfa.classes()['a'], nfa.classes()['f']);
  EXPECT_NE(nfa.classes()['f'], nfa.classes()['g']);
}

TEST(Nfa, PrefersWhatIsWrittenFirst) {
  EXPECT_EQ(found(alternation({literal("a"), literal("ab")}), "ab"), (Span{0, 1}));
  EXPECT_EQ(found(alternation({literal("ab"), literal("a")}), "ab"), (Span{0, 2}));
  EXPECT_EQ(found(repetition(literal("a"), 0, Hir::kUnbounded), "aa"), (Span{0, 2}));
  EXPECT_EQ(found(repetition(literal("a"), 1, Hir::kUnbounded, false), "aa"), (Span{0, 1}));
  EXPECT_EQ(found(repetition(literal("a"), 1, 3), "aaaa"), (Span{0, 3}));
  EXPECT_EQ(found(repetition(literal("a"), 1, 3, false), "aaaa"), (Span{0, 1}));
}

TEST(Nfa, KeepsPreferencesInLoopsWithAnEmptyBody) {
  const Hir empty_or_a = alternation({Hir{}, literal("a")});
  EXPECT_EQ(found(repetition(empty_or_a, 0, Hir::kUnbounded), "aa"), (Span{0, 0}));
  EXPECT_EQ(found(repetition(empty_or_a, 1, Hir::kUnbounded), "aa"), (Span{0, 0}));
  const Hir a_or_empty = alternation({literal("a"), Hir{}});
  EXPECT_EQ(found(repetition(a_or_empty, 0, Hir::kUnbounded), "aa"), (Span{0, 2}));
}

TEST(Nfa, MatchesNothingWithAnImpossibleClass) {
  EXPECT_EQ(found(Hir{.kind = Hir::Kind::kNothing}, "a"), std::nullopt);
  EXPECT_EQ(found(code_class({}), "a"), std::nullopt);
  EXPECT_EQ(found(code_class({{0xD800, 0xDFFF}}), "\xED\xA0\x80"), std::nullopt);
}

TEST(Nfa, OnlyByteClassesMatchMalformedText) {
  EXPECT_EQ(found(Hir{.kind = Hir::Kind::kClass, .codes = CodeSet::everything()},
                  "\xFF"
                  "a"),
            (Span{1, 2}));
  EXPECT_EQ(found(byte_class(0x80, 0xFF), "a\xFF"), (Span{1, 2}));
}

}  // namespace
}  // namespace helve::regex
