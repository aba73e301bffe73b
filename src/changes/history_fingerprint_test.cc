#include "changes/history_fingerprint.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace helve::changes {
namespace {

using Pieces = std::vector<std::string_view>;

TEST(Fingerprint, DependsOnlyOnTheBytesAndTheKey) {
  const FingerprintKey key(FingerprintKey::random_seed());
  std::mt19937 random(2);
  std::string text(10'000, ' ');
  for (char& c : text) c = static_cast<char>(random());
  const std::string_view whole = text;
  const Fingerprint print = fingerprint(key, Pieces{whole});
  for (int round = 0; round < 200; ++round) {
    Pieces pieces;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = random() % 3000;
      pieces.push_back(whole.substr(at, size));
      at += pieces.back().size();
    }
    ASSERT_EQ(fingerprint(key, pieces), print);
  }
  EXPECT_NE(fingerprint(FingerprintKey(FingerprintKey::random_seed()), Pieces{whole}), print);
  EXPECT_EQ(fingerprint(FingerprintKey(key.seed()), Pieces{whole}), print);
}

TEST(Fingerprint, ChangesWithEveryBitAndWithTheLength) {
  const FingerprintKey key(FingerprintKey::random_seed());
  std::string text(3'000, '\0');
  const auto print = [&] { return fingerprint(key, Pieces{text}); };
  const Fingerprint at_first = print();
  for (std::size_t i = 0; i < text.size(); i += 7) {
    text[i] = static_cast<char>(1 << (i % 8));
    ASSERT_NE(print(), at_first) << i;
    text[i] = '\0';
  }
  text.push_back('\0');
  EXPECT_NE(print(), at_first);
  EXPECT_NE(fingerprint(key, Pieces{}), fingerprint(key, Pieces{std::string_view("\0", 1)}));
}

}  // namespace
}  // namespace helve::changes
