// Looks for needles in text many bytes at a time.
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

// Never changes after it was made; usable from all threads.
class NeedleScan {
 public:
  // What a processor can do, from little to much.
  enum class Processor { kAny, kAvx2, kAvx512Vbmi };
  [[nodiscard]] static Processor this_processor();

  // At least one needle, none of them empty.
  explicit NeedleScan(const Needles& needles, Processor processor = this_processor());

  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // The first place at or after `from` where one of the needles is. Of several needles at nearly the same
  // place, any.
  [[nodiscard]] std::optional<Place> find(std::string_view text, std::size_t from) const;
  // How many lines at or after `from` one of the needles begins on.
  [[nodiscard]] std::size_t count_lines(std::string_view text, std::size_t from) const;

 private:
  static constexpr std::size_t kMostWidth = 3;
  static constexpr std::size_t kMostPairs = 3;
  static constexpr std::size_t kBuckets = 8;

  // The part of a needle that the filter looks for begins `offset` bytes into it.
  struct Placed {
    Placed(Needle sets, std::size_t window);
    [[nodiscard]] bool is_at(std::string_view text, std::size_t begin) const;

    Needle needle;
    std::string literal;  // the same, when each of its sets has one byte
    std::size_t offset = 0;
    std::uint64_t head = 0;  // the first bytes of the literal
    std::uint64_t head_mask = 0;
  };
  // Which buckets have a byte with this half at one place of the window; the filter passes where both halves
  // agree.
  struct Nibbles {
    alignas(16) std::array<std::uint8_t, 16> low = {};
    alignas(16) std::array<std::uint8_t, 16> high = {};
  };
  // One byte, or two that differ in one bit, such as the cases of a letter: those for which `byte | mask` is
  // `value`.
  struct MaskedByte {
    std::size_t offset = 0;
    char mask = 0;
    char value = 0;
  };
  // A few needles are found by the two rarest bytes of each, which is quicker still.
  struct BytePair {
    MaskedByte first;
    MaskedByte second;
    double share = 0;  // of all places, at which they let the needle pass

    [[nodiscard]] bool is_masked() const { return first.mask != 0 || second.mask != 0; }
  };

  [[nodiscard]] std::optional<Place> confirm(std::string_view text, std::size_t from, std::size_t window,
                                             unsigned buckets) const;
  // Calls `found` with the first needle of these windows behind `begin`, if there is one, and moves `from` to
  // where it says.
  template <class Found>
  bool takes_one(std::string_view text, std::size_t& from, std::size_t begin, std::uint64_t windows,
                 std::span<const std::uint8_t> buckets, Found& found) const;
  // All of these call `found` with each place at or after `from` and go on where it says; behind the text,
  // they end. Bytes before `at` were looked at already.
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
  void choose_pairs(ByteShares& shares);
  [[nodiscard]] static std::optional<BytePair> rarest_pair(const Needle& needle);

  Processor processor_;
  std::vector<Placed> needles_;
  std::array<std::vector<std::uint32_t>, kBuckets> buckets_;
  std::size_t width_ = 0;
  std::array<Nibbles, kMostWidth> nibbles_ = {};
  // The same by the lower six bits of a byte, and by the whole of it.
  std::array<std::array<std::uint8_t, 64>, kMostWidth> six_bits_ = {};
  std::array<std::array<std::uint8_t, 256>, kMostWidth> bucket_bits_ = {};
  bool six_bits_are_enough_ = false;  // and the processor can look them up
  bool masked_ = false;
  std::vector<BytePair> pairs_;  // of each needle, in their order; empty: they are found by their windows
};

}  // namespace helve::search
