// A change of content as lengths of kept, removed and inserted bytes, so that its size depends only on the
// edit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::patch {

// Kept bytes, then removed bytes, then the bytes inserted in their place.
struct SplicePart {
  std::uint64_t kept = 0;
  std::uint64_t removed = 0;
  std::uint64_t inserted = 0;
  bool operator==(const SplicePart&) const = default;
};

enum class SpliceSide { kOld, kNew };

// Only the lengths; the caller has the bytes.
struct Splice {
  std::vector<SplicePart> parts;
  std::uint64_t tail = 0;  // bytes kept after the last part

  [[nodiscard]] std::uint64_t kept_size() const;
  // The number of bytes that only this side has.
  [[nodiscard]] std::uint64_t changed_size(SpliceSide side) const;
  [[nodiscard]] std::uint64_t size(SpliceSide side) const { return kept_size() + changed_size(side); }
  bool operator==(const Splice&) const = default;
};

// The splice that turns the old content into the new one. Pieces that point into the old content, in its
// order, are recognized by their address without comparison. The rest is compared from both ends.
[[nodiscard]] Splice find_splice(std::string_view old_content, std::span<const std::string_view> new_pieces);

[[nodiscard]] std::string join_pieces(std::span<const std::string_view> pieces);

// The content of one side, cut along a splice.
struct SpliceCut {
  std::vector<std::string_view> kept;
  std::vector<std::string_view> changed;
};

// The pieces together must have that side's size.
[[nodiscard]] SpliceCut cut_content(const Splice& splice, SpliceSide side,
                                    std::span<const std::string_view> pieces);

// Converts the content of one side to the other side's, whose own bytes are `other_bytes`. The pieces point
// into both arguments, which must have the right sizes.
[[nodiscard]] std::vector<std::string_view> turn_content(const Splice& splice, SpliceSide side,
                                                         std::string_view content,
                                                         std::string_view other_bytes);

}  // namespace helve::patch
