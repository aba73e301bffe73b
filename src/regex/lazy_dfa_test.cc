#include "regex/lazy_dfa.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/strings.h"
#include "regex/pike_testing.h"
#include "regex/random_hir_testing.h"

namespace helve::regex {
namespace {

using Want = LazyDfa::Want;

Nfa compiled(const Hir& hir, Direction direction = Direction::kForward) {
  auto nfa = Nfa::compile(hir, direction);
  EXPECT_TRUE(nfa.has_value());
  return std::move(*nfa);
}

// Like Finder, with a configurable memory limit.
class Pair {
 public:
  Pair(const Hir& hir, std::size_t memory)
      : forward_nfa(compiled(hir)),
        backward_nfa(compiled(hir, Direction::kBackward)),
        forward(forward_nfa, nullptr, memory),
        backward(backward_nfa, nullptr, memory) {}

  std::optional<Span> find(std::string_view text, std::size_t from) {
    const auto end = forward.find_end(text, from, Want::kPreferred);
    if (!end) return std::nullopt;
    const auto begin = backward.find_begin(text, from, *end);
    EXPECT_TRUE(begin.has_value()) << "an end without a beginning";
    return begin ? std::optional(Span{*begin, *end}) : std::nullopt;
  }

  Nfa forward_nfa;
  Nfa backward_nfa;
  LazyDfa forward;
  LazyDfa backward;
};

std::string described(const std::optional<Span>& span) {
  return span ? concat(span->begin, "-", span->end) : "none";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char byte : text) out += concat("\\x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  return out;
}

// Compares all queries on many patterns and texts. Returns the number of matches.
std::size_t compare_with_pike(std::uint32_t seed, int patterns, std::uint32_t text_pieces,
                              std::size_t memory) {
  std::size_t matches = 0;
  TestDraw draw(seed);
  for (int i = 0; i < patterns; ++i) {
    const Hir hir = draw.hir(3);
    Pair pair(hir, memory);
    const PikeMatcher pike(pair.forward_nfa);
    for (int j = 0; j < 6; ++j) {
      const std::string text = draw.text(text_pieces);
      for (std::size_t from = 0; from <= text.size(); from += 1 + text.size() / 5) {
        const auto expected = pike.find(text, from);
        EXPECT_EQ(described(pair.find(text, from)), described(expected))
            << "pattern " << i << " text " << escaped(text) << " from " << from;
        EXPECT_EQ(pair.forward.find_end(text, from, Want::kEarliest), pike.find_end(text, from))
            << "pattern " << i << " text " << escaped(text) << " from " << from;
        if (::testing::Test::HasFailure()) return matches;
        matches += expected ? 1 : 0;
      }
    }
  }
  return matches;
}

TEST(LazyDfa, AgreesWithTheSimulation) { EXPECT_GT(compare_with_pike(1, 2500, 10, LazyDfa::kMemory), 5000u); }

TEST(LazyDfa, AgreesWithTheSimulationWithLittleMemory) {
  EXPECT_GT(compare_with_pike(2, 800, 16, 1500), 2000u);
}

TEST(LazyDfa, AgreesWithTheSimulationWithoutStoringStates) {
  EXPECT_GT(compare_with_pike(3, 800, 10, 0), 2000u);
}

// Many lines without a match, so that lines are read in lanes, then some that may match.
std::size_t compare_in_long_texts(std::uint32_t seed, std::size_t memory) {
  std::size_t matches = 0;
  TestDraw draw(seed);
  std::string dull;
  while (dull.size() < 3000) dull += std::string(draw.number_below(60), '~') + "\n";
  for (int i = 0; i < 150; ++i) {
    const Hir hir = draw.hir(3);
    Pair pair(hir, memory);
    const PikeMatcher pike(pair.forward_nfa);
    if (pike.find("~\n~\n~~")) continue;
    std::string text = dull;
    for (int j = 0; j < 12; ++j) text += draw.text(3) + dull.substr(draw.number_below(2900));
    for (std::size_t from = 0; from < text.size();) {
      const auto expected = pike.find(text, from);
      EXPECT_EQ(described(pair.find(text, from)), described(expected)) << "pattern " << i << " from " << from;
      const auto earliest = pair.forward.find_end(text, from, Want::kEarliest);
      EXPECT_EQ(earliest.has_value(), expected.has_value()) << "pattern " << i << " from " << from;
      if (earliest && expected) {
        EXPECT_TRUE(*earliest >= expected->begin && *earliest <= expected->end) << "pattern " << i;
      }
      if (::testing::Test::HasFailure() || !expected) break;
      from = std::max(expected->end, expected->begin + 1);
      ++matches;
    }
    if (::testing::Test::HasFailure()) break;
  }
  return matches;
}

TEST(LazyDfa, FindsTheLeftmostMatchInLongTexts) {
  EXPECT_GT(compare_in_long_texts(4, LazyDfa::kMemory), 150u);
}

TEST(LazyDfa, FindsTheLeftmostMatchInLongTextsWithLittleMemory) {
  EXPECT_GT(compare_in_long_texts(5, 1500), 150u);
}

TEST(LazyDfa, FindsAMatchAtTheEndOfAnyLineOfMany) {
  // Every byte except \n may begin a match, so nothing is skipped.
  Pair pair(concatenation({code_class({{'a', '~'}}), literal("b")}), LazyDfa::kMemory);
  for (std::size_t line = 0; line < 800; ++line) {
    std::string text;
    for (std::size_t i = 0; i < 1000; ++i) text += i < line || i % 10 != line % 10 ? "~a~~~\n" : "~~~ab\n";
    EXPECT_EQ(pair.find(text, 0), (Span{line * 6 + 3, line * 6 + 5}));
    EXPECT_EQ(pair.forward.find_end(text, 0, Want::kEarliest), line * 6 + 5);
  }
}

TEST(LazyDfa, DoesNotCarryStateOverTheEndOfALine) {
  Pair pair(literal("~~b"), LazyDfa::kMemory);
  for (const std::size_t length : {5u, 6u, 7u, 8u, 9u}) {
    std::string text;
    while (text.size() < 20'000) text += "b" + std::string(length, '~') + "\n";
    EXPECT_EQ(pair.find(text, 0), std::nullopt);
    text += "~~b";
    EXPECT_EQ(pair.find(text, 0), (Span{text.size() - 3, text.size()}));
  }
}

TEST(LazyDfa, DiscardsStatesWhenItsMemoryIsFull) {
  // A window of 12 over the letters a and b has thousands of states.
  const Hir either = code_class({{'a', 'b'}});
  const Hir hir = concatenation({literal("a"), repetition(either, 12, 12), literal("c")});
  const Nfa nfa = compiled(hir);
  TestDraw draw(6);
  std::string text;
  while (text.size() < 60'000) text += draw.number_below(2) == 0 ? 'a' : 'b';
  text += "abbbbbbbbbbbbc";
  LazyDfa roomy(nfa);
  EXPECT_EQ(roomy.find_end(text, 0, Want::kPreferred), text.size());
  EXPECT_EQ(roomy.clear_count(), 0u);
  EXPECT_GT(roomy.state_count(), 4000u);
  LazyDfa narrow(nfa, nullptr, 100'000);
  EXPECT_EQ(narrow.find_end(text, 0, Want::kPreferred), text.size());
  EXPECT_GT(narrow.clear_count(), 0u);
  EXPECT_LT(narrow.state_count(), 2000u);
}

TEST(LazyDfa, StoresNoStatesWhileThatDoesNotPay) {
  const Hir either = code_class({{'a', 'b'}});
  const Nfa nfa = compiled(concatenation({literal("a"), repetition(either, 40, 40), literal("c")}));
  TestDraw draw(8);
  std::string text;
  while (text.size() < 200'000) text += draw.number_below(2) == 0 ? 'a' : 'b';
  LazyDfa dfa(nfa, nullptr, 100'000);
  EXPECT_EQ(dfa.find_end(text, 0, Want::kPreferred), std::nullopt);
  // Every state is new, so storing them would discard all states hundreds of times.
  EXPECT_GT(dfa.clear_count(), 2u);
  EXPECT_LT(dfa.clear_count(), 10u);
}

TEST(LazyDfa, CreatesFewStatesForLiterals) {
  const Nfa nfa = compiled(literal("needle"));
  LazyDfa dfa(nfa);
  EXPECT_EQ(dfa.find_end(std::string(100'000, 'x') + "nneedle", 0, Want::kPreferred), 100'007u);
  EXPECT_LT(dfa.state_count(), 12u);
}

TEST(LazyDfa, FindsNothingOnceItIsStopped) {
  const std::atomic<bool> stop = true;
  const Nfa nfa = compiled(literal("a"));
  LazyDfa dfa(nfa, &stop);
  EXPECT_EQ(dfa.find_end(std::string(200'000, 'x') + "a", 0, Want::kPreferred), std::nullopt);
}

TEST(LazyDfa, StopsInsideLongTexts) {
  std::atomic<bool> stop = false;
  const Hir either = code_class({{'a', 'b'}});
  const Hir hir = concatenation({literal("a"), repetition(either, 1000, 1000), literal("c")});
  const Nfa nfa = compiled(hir);
  LazyDfa dfa(nfa, &stop);
  TestDraw draw(9);
  std::string text;
  while (text.size() < 20'000'000) text += draw.number_below(2) == 0 ? "abbaab" : "babab";
  text += "a" + std::string(1000, 'b') + "c";
  // There is a match, but finding it takes a minute.
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  EXPECT_EQ(dfa.find_end(text, 0, Want::kPreferred), std::nullopt);
}

}  // namespace
}  // namespace helve::regex
