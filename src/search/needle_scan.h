// Searches text for needles, many bytes at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/needles.h"

namespace helve::search {

// Immutable; usable from all threads.
class NeedleScan {
 public:
  // Instruction sets, in ascending order.
  enum class Processor { kAny, kAvx2, kAvx512Vbmi };
  [[nodiscard]] static Processor this_processor();

  // Requires at least one needle, none of them empty.
  explicit NeedleScan(const Needles& needles, Processor processor = this_processor());

  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // Finds the first needle at or after `from`. If several needles occur close together, returns any of them.
  [[nodiscard]] std::optional<Place> find(std::string_view text, std::size_t from) const;
  // Counts the lines at or after `from` on which a needle begins.
  [[nodiscard]] std::size_t count_lines(std::string_view text, std::size_t from) const;

 private:
  static constexpr std::size_t kMostWidth = 3;
  static constexpr std::size_t kMostPairs = 3;
  static constexpr std::size_t kBuckets = 8;

  // A needle with its window: the part that the filter searches for begins at `offset`.
  struct Placed {
    Placed(Needle sets, std::size_t window);
    [[nodiscard]] bool is_at(std::string_view text, std::size_t begin) const;

    Needle needle;
    std::string literal;  // the needle as text if each of its sets has one byte
    std::size_t offset = 0;
    std::uint64_t head = 0;  // the first bytes of the literal
    std::uint64_t head_mask = 0;
  };
  // For one position of the window: which buckets have a byte with this low or high nibble. The filter passes
  // where both agree.
  struct Nibbles {
    alignas(16) std::array<std::uint8_t, 16> low = {};
    alignas(16) std::array<std::uint8_t, 16> high = {};
  };
  // One byte, or two that differ in one bit, such as the cases of a letter. Matches if `byte | mask` equals
  // `value`.
  struct MaskedByte {
    std::size_t offset = 0;
    char mask = 0;
    char value = 0;
  };
  // The two rarest bytes of a needle. For a few needles, searching for these is faster than the window
  // filter.
  struct BytePair {
    MaskedByte first;
    MaskedByte second;
    double frequency = 0;  // fraction of all positions where both bytes match

    [[nodiscard]] bool is_masked() const { return first.mask != 0 || second.mask != 0; }
  };

  [[nodiscard]] std::optional<Place> confirm(std::string_view text, std::size_t from, std::size_t window,
                                             unsigned buckets) const;
  // Calls `found` with the first needle in these windows after `begin`. If there is one, sets `from` to the
  // result and returns true.
  template <class Found>
  bool confirm_first(std::string_view text, std::size_t& from, std::size_t begin, std::uint64_t windows,
                     std::span<const std::uint8_t> buckets, Found& found) const;
  // These call `found` with each place at or after `from` and continue at the position it returns, up to the
  // end of the text. Bytes before `at` were already checked.
  template <class Found>
  void each(std::string_view text, std::size_t from, Found found) const;
  template <class Found>
  void each_by_bytes(std::string_view text, std::size_t from, std::size_t at, Found found) const;
  template <std::size_t count, bool masked, class Found>
  void each_by_pairs(std::string_view text, std::size_t from, Found found) const;
  template <std::size_t width, class Found>
  void each_by_nibbles(std::string_view text, std::size_t from, Found found) const;
  template <std::size_t width, class Found>
  void each_by_six_bits(std::string_view text, std::size_t from, Found found) const;
  template <std::size_t width, class Found>
  void each_by_windows(std::string_view text, std::size_t from, Found found) const;
  void place_in_buckets();
  void choose_pairs(ByteFrequencies& frequencies);
  [[nodiscard]] static std::optional<BytePair> rarest_pair(const Needle& needle);

  Processor processor_;
  std::vector<Placed> needles_;
  std::array<std::vector<std::uint32_t>, kBuckets> buckets_;
  std::size_t width_ = 0;
  std::array<Nibbles, kMostWidth> nibbles_ = {};
  // Bucket bits by the lower six bits of a byte, and by the whole byte.
  std::array<std::array<std::uint8_t, 64>, kMostWidth> six_bits_ = {};
  std::array<std::array<std::uint8_t, 256>, kMostWidth> bucket_bits_ = {};
  bool six_bits_are_enough_ = false;  // and the processor supports the lookup
  bool masked_ = false;
  std::vector<BytePair> pairs_;  // one per needle, in order; empty: use the window filter
};

}  // namespace helve::search
