#include "search/needle_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace helve::search {
namespace {

Needle needle_of(std::string_view text) {
  Needle needle;
  for (const char c : text) needle.push_back(ByteSet().set(static_cast<unsigned char>(c)));
  return needle;
}

// One scan per instruction set that this processor supports.
std::vector<NeedleScan> scans_for(const std::vector<Needle>& needles) {
  using Processor = NeedleScan::Processor;
  std::vector<NeedleScan> scans;
  for (const Processor processor : {Processor::kAny, Processor::kAvx2, Processor::kAvx512Vbmi})
    if (processor <= NeedleScan::this_processor()) scans.emplace_back(Needles{needles}, processor);
  return scans;
}

bool is_at(const Needle& needle, std::string_view text, std::size_t begin) {
  if (text.size() - begin < needle.size()) return false;
  for (std::size_t i = 0; i < needle.size(); ++i) {
    if (!needle[i].test(static_cast<unsigned char>(text[begin + i]))) return false;
  }
  return true;
}

// Brute-force reference. Windows decide the order of hits, so only whether a needle occurs can be compared.
bool occurs(const std::vector<Needle>& needles, std::string_view text, std::size_t from) {
  for (std::size_t at = from; at < text.size(); ++at) {
    for (const Needle& needle : needles) {
      if (is_at(needle, text, at)) return true;
    }
  }
  return false;
}

std::size_t lines_with(const std::vector<Needle>& needles, std::string_view text, std::size_t from) {
  std::size_t lines = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    if (occurs(needles, text.substr(0, end), from)) ++lines;
    from = end + 1;
  }
  return lines;
}

TEST(NeedleScan, FindsALiteralAtEveryPositionOfABlock) {
  for (const NeedleScan& scan : scans_for({needle_of("needle")})) {
    for (std::size_t size : {6U, 31U, 32U, 33U, 64U, 100U, 200U}) {
      for (std::size_t at = 0; at + 6 <= size; ++at) {
        std::string text(size, 'x');
        text.replace(at, 6, "needle");
        for (const auto& place : {scan.find(text, 0), scan.find(text, at)}) {
          ASSERT_TRUE(place) << size << " " << at;
          EXPECT_EQ(place->begin, at);
          EXPECT_EQ(place->end, at + 6);
        }
        EXPECT_FALSE(scan.find(text, at + 1));
      }
    }
  }
}

// A few rare needles use another algorithm than many needles.
TEST(NeedleScan, FindsEachOfAFewRareLiteralsAtEveryPositionOfABlock) {
  Needle either_case = needle_of("QUARTZ");
  for (std::size_t i = 0; i < either_case.size(); ++i) either_case[i].set("quartz"[i]);
  for (const std::vector<Needle>& needles :
       {std::vector{needle_of("TODO"), needle_of("FIXME")},
        std::vector{needle_of("XZQ"), needle_of("TODO"), needle_of("WK_JVQZX")},
        std::vector{needle_of("XZQ"), either_case}}) {
    for (const Needle& needle : needles) {
      std::string literal;
      for (const ByteSet& set : needle) {
        std::size_t last = set._Find_first();
        while (set._Find_next(last) < set.size()) last = set._Find_next(last);
        literal += static_cast<char>(last);
      }
      for (const NeedleScan& scan : scans_for(needles)) {
        for (std::size_t size : {8U, 31U, 32U, 33U, 64U, 72U, 100U, 200U}) {
          for (std::size_t at = 0; at + literal.size() <= size; ++at) {
            std::string text(size, 'x');
            text.replace(at, literal.size(), literal);
            const auto place = scan.find(text, 0);
            ASSERT_TRUE(place) << literal << " " << size << " " << at;
            EXPECT_EQ(place->begin, at);
            EXPECT_EQ(place->end, at + literal.size());
            EXPECT_FALSE(scan.find(text, at + 1));
          }
        }
      }
    }
  }
}

TEST(NeedleScan, DoesNotFindAPartialNeedleAtTheEnd) {
  for (const NeedleScan& scan : scans_for({needle_of("needle")})) {
    EXPECT_FALSE(scan.find("", 0));
    EXPECT_FALSE(scan.find("needl", 0));
    EXPECT_FALSE(scan.find(std::string(64, 'e') + "needl", 0));
  }
}

TEST(NeedleScan, FindsASingleByteAndRepeatedBytes) {
  for (const NeedleScan& scan : scans_for({needle_of("}")}))
    EXPECT_EQ(scan.find(std::string(50, 'x') + "}", 0)->begin, 50U);
  for (const NeedleScan& scan : scans_for({needle_of("aaa")}))
    EXPECT_EQ(scan.find(std::string(50, 'x') + "aaaa", 0)->begin, 50U);
}

TEST(NeedleScan, AgreesWithABruteForceSearchOnRandomTexts) {
  std::mt19937 random(3);
  std::size_t found = 0;
  for (int round = 0; round < 4'000; ++round) {
    std::vector<Needle> needles;
    for (unsigned i = 1 + random() % 12; i > 0; --i) {
      Needle needle(1 + random() % 6);
      for (ByteSet& set : needle) {
        for (unsigned j = 1 + random() % 3; j > 0; --j) set.set("abcdefgh\xC3\xA9"[random() % 10] & 0xFF);
      }
      needles.push_back(std::move(needle));
    }
    std::string text(random() % 150, ' ');
    for (char& c : text) c = "abcdefghijklmnopqrstuvwxyz\n\xC3\xA9"[random() % 29];
    const std::size_t from = text.empty() ? 0 : random() % text.size();
    for (const NeedleScan& scan : scans_for(needles)) {
      const auto place = scan.find(text, from);
      ASSERT_EQ(place.has_value(), occurs(needles, text, from));
      ASSERT_EQ(scan.count_lines(text, from), lines_with(needles, text, from));
      if (!place) continue;
      ++found;
      ASSERT_GE(place->begin, from);
      bool is_one = false;
      for (const Needle& needle : needles)
        is_one = is_one || (place->end - place->begin == needle.size() && is_at(needle, text, place->begin));
      ASSERT_TRUE(is_one);
    }
  }
  EXPECT_GT(found, 1'000U);
}

}  // namespace
}  // namespace helve::search
