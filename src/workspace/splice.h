// A change of content as what stays and what is exchanged in between, so that its cost is that of the edit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

// Bytes that stay, then bytes that go, then those that come in their place.
struct SplicePart {
  std::uint64_t kept = 0;
  std::uint64_t removed = 0;
  std::uint64_t inserted = 0;
  bool operator==(const SplicePart&) const = default;
};

enum class SpliceSide { kOld, kNew };

// The lengths alone; the bytes are with whoever has the content.
struct Splice {
  std::vector<SplicePart> parts;
  std::uint64_t tail = 0;  // bytes that stay after the last part

  [[nodiscard]] std::uint64_t kept_size() const;
  // Of the bytes that only this side has.
  [[nodiscard]] std::uint64_t changed_size(SpliceSide side) const;
  [[nodiscard]] std::uint64_t size(SpliceSide side) const { return kept_size() + changed_size(side); }
  bool operator==(const Splice&) const = default;
};

// What turns the old content into the new one. Pieces that point into the old content, in its order, are
// recognised by their address and cost nothing; the rest is compared from both ends.
[[nodiscard]] Splice find_splice(std::string_view old_content, std::span<const std::string_view> new_pieces);

[[nodiscard]] std::string join_pieces(std::span<const std::string_view> pieces);

// A content of one side, cut along a splice.
struct SpliceCut {
  std::vector<std::string_view> kept;
  std::vector<std::string_view> changed;
};

// The pieces together must have that side's size.
[[nodiscard]] SpliceCut cut_content(const Splice& splice, SpliceSide side,
                                    std::span<const std::string_view> pieces);

// From a content of one side and the bytes that only the other side has, the other side's content. The
// pieces point into both, which must have the right sizes.
[[nodiscard]] std::vector<std::string_view> turn_content(const Splice& splice, SpliceSide side,
                                                         std::string_view content,
                                                         std::string_view other_bytes);

}  // namespace helve
