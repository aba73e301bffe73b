#include "search/needle_scan.h"

#include <algorithm>
#include <cstring>

#include "search/byte_frequency.h"

namespace helve::search {
namespace {

// Below this frequency, false positives cost almost nothing: one step covers 64 bytes.
constexpr double kRareEnough = 1.0 / 200;
// The same for several needles, where a false positive costs more.
constexpr double kRareTogether = 1.0 / 1000;

// Limit on the additional false positives when only six bits of each byte are compared. Above it they cost as
// much as the faster lookup saves.
constexpr double kRareBySixBits = 1.0 / 700;

// Below this frequency, a window of two bytes has few enough false positives.
constexpr double kTwoAreEnough = 1.0 / 5000;

double frequency_of_windows(const std::vector<Needle>& needles, std::size_t width,
                            ByteFrequencies& frequencies) {
  double sum = 0;
  for (const Needle& needle : needles) sum += rarest_window(needle, width, frequencies).frequency;
  return sum;
}

// The fraction of positions that match if only the lower six bits of each byte are compared.
double frequency_by_six_bits(const Needle& needle, std::size_t offset, std::size_t width) {
  double frequency = 1;
  for (std::size_t place = offset; place < offset + width; ++place) {
    ByteSet alike;
    for (std::size_t byte = 0; byte < alike.size(); ++byte)
      for (std::size_t high = 0; high < 4; ++high)
        if (needle[place].test((byte & 0x3F) | high << 6)) alike.set(byte);
    frequency *= frequency_of(alike);
  }
  return frequency;
}

std::string literal_of(const Needle& needle) {
  std::string literal;
  for (const ByteSet& set : needle) {
    if (set.count() != 1) return {};
    literal += static_cast<char>(set._Find_first());
  }
  return literal;
}

}  // namespace

NeedleScan::Processor NeedleScan::this_processor() {
#if defined(__x86_64__)
  static const Processor has = __builtin_cpu_supports("avx512vbmi") != 0 ? Processor::kAvx512Vbmi
                               : __builtin_cpu_supports("avx2") != 0     ? Processor::kAvx2
                                                                         : Processor::kAny;
  return has;
#else
  return Processor::kAny;
#endif
}

NeedleScan::Placed::Placed(Needle sets, std::size_t window)
    : needle(std::move(sets)), literal(literal_of(needle)), offset(window) {
  const std::size_t size = std::min(literal.size(), sizeof head);
  std::memcpy(&head, literal.data(), size);
  std::memset(&head_mask, 0xFF, size);
}

NeedleScan::NeedleScan(const Needles& needles, Processor processor) : processor_(processor) {
  width_ = kMostWidth;
  for (const Needle& needle : needles.needles) width_ = std::min(width_, needle.size());
  ByteFrequencies frequencies;
  // Each position of the window costs time; two often suffice.
  if (width_ == kMostWidth && frequency_of_windows(needles.needles, 2, frequencies) < kTwoAreEnough)
    width_ = 2;
  for (const Needle& needle : needles.needles)
    needles_.emplace_back(needle, rarest_window(needle, width_, frequencies).offset);
  place_in_buckets();
  if (processor_ == Processor::kAvx512Vbmi) {
    double frequency = -frequency_of_windows(needles.needles, width_, frequencies);
    for (const Placed& placed : needles_)
      frequency += frequency_by_six_bits(placed.needle, placed.offset, width_);
    six_bits_are_enough_ = frequency < kRareBySixBits;
  }
  choose_pairs(frequencies);
}

void NeedleScan::choose_pairs(ByteFrequencies& frequencies) {
  // The six-bit lookup is faster than two pairs.
  if (needles_.size() > (six_bits_are_enough_ ? 1 : kMostPairs)) return;
  std::vector<BytePair> pairs;
  double frequency = 0;
  for (const Placed& placed : needles_) {
    const auto pair = rarest_pair(placed.needle);
    if (!pair) return;
    frequency += pair->frequency;
    pairs.push_back(*pair);
  }
  // Compare with the window filter, which checks up to three bytes.
  const bool is_single = pairs.size() == 1;
  const bool is_rare =
      frequency <= (is_single ? kRareEnough : kRareTogether) ||
      (is_single && frequency <= 4 * rarest_window(needles_[0].needle, kMostWidth, frequencies).frequency);
  if (is_rare) pairs_ = std::move(pairs);
  masked_ = std::ranges::any_of(pairs_, &BytePair::is_masked);
}

std::optional<NeedleScan::BytePair> NeedleScan::rarest_pair(const Needle& needle) {
  struct Choice {
    MaskedByte byte;
    double frequency;
  };
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < needle.size(); ++i) {
    const std::size_t low = needle[i]._Find_first();
    const std::size_t high = needle[i]._Find_next(low);
    const std::size_t mask = needle[i].count() == 1 ? 0 : low ^ high;
    if (needle[i].count() > 2 || (mask & (mask - 1)) != 0) continue;
    choices.push_back({{i, static_cast<char>(mask), static_cast<char>(low | mask)}, frequency_of(needle[i])});
  }
  if (choices.empty()) return {};
  const auto rarer = [](const Choice& left, const Choice& right) { return left.frequency < right.frequency; };
  std::ranges::stable_sort(choices, rarer);
  // Two different bytes filter better than the same byte twice.
  const auto other = std::ranges::find_if(
      choices, [&](const Choice& choice) { return choice.byte.value != choices[0].byte.value; });
  const Choice& second = other != choices.end() ? *other : choices.back();
  return BytePair{choices[0].byte, second.byte, choices[0].frequency * second.frequency};
}

// Each needle gets its own bucket if there are enough. Otherwise needles share buckets, which causes more
// false positives.
void NeedleScan::place_in_buckets() {
  for (std::size_t i = 0; i < needles_.size(); ++i) {
    const std::size_t bucket = i % kBuckets;
    const auto bit = static_cast<std::uint8_t>(1U << bucket);
    buckets_[bucket].push_back(static_cast<std::uint32_t>(i));
    for (std::size_t place = 0; place < width_; ++place) {
      const ByteSet& set = needles_[i].needle[needles_[i].offset + place];
      for (std::size_t byte = set._Find_first(); byte < set.size(); byte = set._Find_next(byte)) {
        six_bits_[place][byte & 0x3F] |= bit;
        nibbles_[place].low[byte & 0xF] |= bit;
        nibbles_[place].high[byte >> 4] |= bit;
        bucket_bits_[place][byte] |= bit;
      }
    }
  }
}

}  // namespace helve::search
