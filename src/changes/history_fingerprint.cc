#include "changes/history_fingerprint.h"

#include <sodium/crypto_generichash.h>
#include <sodium/randombytes.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace helve::changes {
namespace {

constexpr std::size_t kBlockBytes = FingerprintKey::kBlockWords * sizeof(std::uint64_t);
constexpr std::size_t kReduced = 16;            // bytes of a reduced block
constexpr std::size_t kBatch = 256 * kReduced;  // passed to BLAKE2b at once

__extension__ using Wide = unsigned __int128;

// Fingerprints are only compared on the machine that made them, so byte order does not matter.
std::uint64_t word_at(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

class Reducer {
 public:
  explicit Reducer(const FingerprintKey& key) : key_(key) {
    crypto_generichash_init(&state_, key.seed().data(), key.seed().size(), sizeof(Fingerprint));
  }

  void add(std::string_view bytes) {
    length_ += bytes.size();
    if (filled_ > 0) {
      const std::size_t part = std::min(bytes.size(), kBlockBytes - filled_);
      std::memcpy(block_.data() + filled_, bytes.data(), part);
      filled_ += part;
      bytes.remove_prefix(part);
      if (filled_ < kBlockBytes) return;
      reduce({block_.data(), kBlockBytes});
      filled_ = 0;
    }
    for (; bytes.size() >= kBlockBytes; bytes.remove_prefix(kBlockBytes))
      reduce(bytes.substr(0, kBlockBytes));
    std::memcpy(block_.data(), bytes.data(), bytes.size());
    filled_ = bytes.size();
  }

  Fingerprint finish() {
    if (filled_ > 0) {
      std::memset(block_.data() + filled_, 0, kBlockBytes - filled_);
      reduce({block_.data(), kBlockBytes});
    }
    flush();
    // The length distinguishes the padding from zeros in the content.
    const auto length = std::bit_cast<std::array<unsigned char, sizeof length_>>(length_);
    crypto_generichash_update(&state_, length.data(), length.size());
    Fingerprint result;
    crypto_generichash_final(&state_, result.data(), result.size());
    return result;
  }

 private:
  void reduce(std::string_view block) {
    const auto& key = key_.words();
    Wide even = 0;
    Wide odd = 0;
    for (std::size_t i = 0; i < key.size(); i += 4) {
      const char* words = &block[i * sizeof(std::uint64_t)];
      even += Wide{word_at(words) + key[i]} * (word_at(words + 8) + key[i + 1]);
      odd += Wide{word_at(words + 16) + key[i + 2]} * (word_at(words + 24) + key[i + 3]);
    }
    const Wide sum = even + odd;
    std::memcpy(batch_.data() + batched_, &sum, kReduced);
    batched_ += kReduced;
    if (batched_ == kBatch) flush();
  }

  void flush() {
    crypto_generichash_update(&state_, batch_.data(), batched_);
    batched_ = 0;
  }

  const FingerprintKey& key_;
  crypto_generichash_state state_;
  std::array<char, kBlockBytes> block_;
  std::array<unsigned char, kBatch> batch_;
  std::size_t filled_ = 0;
  std::size_t batched_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace

FingerprintKey::Seed FingerprintKey::random_seed() {
  Seed seed;
  randombytes_buf(seed.data(), seed.size());
  return seed;
}

FingerprintKey::FingerprintKey(const Seed& seed) : seed_(seed) {
  static_assert(kSeedBytes == randombytes_SEEDBYTES);
  randombytes_buf_deterministic(words_.data(), sizeof words_, seed_.data());
}

Fingerprint fingerprint(const FingerprintKey& key, std::span<const std::string_view> pieces) {
  Reducer reducer(key);
  for (const std::string_view piece : pieces) reducer.add(piece);
  return reducer.finish();
}

}  // namespace helve::changes
