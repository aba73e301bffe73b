// A pattern as a nondeterministic automaton over bytes, to be read forwards or backwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "helve/error.h"
#include "regex/byte_classes.h"
#include "regex/hir.h"
#include "regex/look.h"

namespace helve::regex {

struct NfaEdge {
  std::uint8_t first = 0;
  std::uint8_t last = 0;
  std::uint32_t next = 0;
};

struct NfaState {
  enum class Kind : std::uint8_t {
    kRange,   // a byte from `first` to `last` leads to `target`
    kSparse,  // edges [target, target + count), sorted and not overlapping
    kLook,    // where `look` holds, as `target`
    kUnion,   // as any of the alternates [target, target + count), earlier ones preferred
    kFail,
    kMatch,
  };
  Kind kind = Kind::kFail;
  Look look = Look::kTextStart;
  std::uint8_t first = 0;
  std::uint8_t last = 0;
  std::uint32_t target = 0;
  std::uint32_t count = 0;
};

enum class Direction : std::uint8_t { kForward, kBackward };

// Never changes once compiled; usable from all threads. One read backwards has its look-arounds flipped: it
// sees the reversed text as the text.
class Nfa {
 public:
  static constexpr std::size_t kMaxMemory = std::size_t{48} << 20;

  // INVALID_ARGUMENT when more than `max_memory` bytes would be needed.
  [[nodiscard]] static Expected<Nfa> compile(const Hir& hir, Direction direction,
                                             std::size_t max_memory = kMaxMemory);

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] const NfaState& state(std::uint32_t id) const { return states_[id]; }
  [[nodiscard]] std::span<const NfaEdge> edges(const NfaState& sparse) const {
    return {edges_.data() + sparse.target, sparse.count};
  }
  [[nodiscard]] std::span<const std::uint32_t> alternates(const NfaState& set) const {
    return {alternates_.data() + set.target, set.count};
  }
  // Where reading begins when a match must begin at the first byte read.
  [[nodiscard]] std::uint32_t start_anchored() const { return start_anchored_; }
  // Where reading begins when a match may begin at any byte, earlier ones preferred.
  [[nodiscard]] std::uint32_t start_unanchored() const { return start_unanchored_; }
  [[nodiscard]] LookSet looks() const { return looks_; }
  // Whether a match can have a \n in it.
  [[nodiscard]] bool reads_line_feed() const { return reads_line_feed_; }
  [[nodiscard]] const ByteClasses& classes() const { return classes_; }
  [[nodiscard]] bool is_backward() const { return direction_ == Direction::kBackward; }
  [[nodiscard]] std::size_t memory() const {
    return states_.size() * sizeof(NfaState) + edges_.size() * sizeof(NfaEdge) +
           alternates_.size() * sizeof(std::uint32_t);
  }

 private:
  friend class NfaCompiler;
  Nfa() = default;

  std::vector<NfaState> states_;
  std::vector<NfaEdge> edges_;
  std::vector<std::uint32_t> alternates_;
  std::uint32_t start_anchored_ = 0;
  std::uint32_t start_unanchored_ = 0;
  LookSet looks_;
  bool reads_line_feed_ = false;
  ByteClasses classes_;
  Direction direction_ = Direction::kForward;
};

}  // namespace helve::regex
