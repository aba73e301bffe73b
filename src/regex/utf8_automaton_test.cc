#include "regex/utf8_automaton.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/utf8.h"
#include "regex/unicode.h"

namespace helve::regex {
namespace {

bool reads(const Utf8Automaton& automaton, std::string_view bytes) {
  std::size_t node = automaton.size() - 1;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    const auto edges = automaton.edges(node);
    const auto edge = std::ranges::find_if(
        edges, [&](const Utf8Automaton::Edge& each) { return each.first <= value && value <= each.last; });
    if (edge == edges.end()) return false;
    node = edge->target;
  }
  return node == 0;
}

std::size_t count_read(const Utf8Automaton& automaton) {
  std::size_t count = 0;
  for (char32_t code = 0; code <= kLastCodePoint; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(bytes, code);
    count += reads(automaton, bytes) ? 1 : 0;
  }
  return count;
}

TEST(Utf8Automaton, ReadsExactlyTheCodePointsOfTheSet) {
  const CodeSet& words = word_characters();
  const Utf8Automaton automaton(words);
  for (char32_t code = 0; code <= kLastCodePoint; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(bytes, code);
    ASSERT_EQ(reads(automaton, bytes), words.contains(code)) << static_cast<std::uint32_t>(code);
  }
}

TEST(Utf8Automaton, ReadsNoSurrogatesOverlongOrTooLargeForms) {
  const Utf8Automaton everything(CodeSet::everything());
  EXPECT_EQ(count_read(everything), 0x110000u - 0x800u);
  for (const std::string_view malformed :
       {"\xED\xA0\x80", "\xED\xBF\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\x80", "\xFF", "\xE2\x82"})
    EXPECT_FALSE(reads(everything, malformed)) << malformed;
}

TEST(Utf8Automaton, HandlesBlockBoundaries) {
  const Utf8Automaton automaton(
      CodeSet({{{0x7F, 0x80}, {0x7FF, 0x800}, {0xD7FF, 0xE000}, {0xFFFF, 0x10000}}}));
  EXPECT_EQ(count_read(automaton), 8u);
}

TEST(Utf8Automaton, SharesBeginningsAndEnds) {
  EXPECT_LT(Utf8Automaton(word_characters()).size(), 400u);
  // The end, one to three continuation bytes, the narrower second bytes after E0, ED, F0 and F4, and the
  // beginning.
  EXPECT_EQ(Utf8Automaton(CodeSet::everything()).size(), 9u);
}

TEST(Utf8Automaton, ListsEveryEdgeAtItsTarget) {
  const Utf8Automaton automaton(word_characters());
  std::size_t arrivals = 0;
  std::size_t pairs = 0;
  for (std::size_t node = 0; node < automaton.size(); ++node) {
    std::uint32_t source = 0;
    for (const auto& arrival : automaton.arrivals(node)) {
      const auto edges = automaton.edges(arrival.source);
      EXPECT_TRUE(std::ranges::any_of(edges, [&](const Utf8Automaton::Edge& edge) {
        return edge.first == arrival.first && edge.last == arrival.last && edge.target == node;
      }));
      pairs += arrival.source != source ? 1 : 0;  // no edge begins at node 0, the end
      source = arrival.source;
      ++arrivals;
    }
  }
  EXPECT_EQ(arrivals, automaton.edge_count());
  EXPECT_EQ(pairs, automaton.pair_count());
}

}  // namespace
}  // namespace helve::regex
