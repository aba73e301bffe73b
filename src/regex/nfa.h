// Compiles a pattern to nondeterministic automata over bytes, read forwards or backwards.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "helve/error.h"
#include "regex/hir.h"
#include "regex/look.h"

namespace helve::regex {

// Collects the boundaries between byte classes.
class ByteBorders {
 public:
  void add_range(unsigned char first, unsigned char last) {
    if (first > 0) last_of_class_.set(first - 1u);
    last_of_class_.set(last);
  }

 private:
  friend class ByteClasses;
  std::bitset<256> last_of_class_;
};

// Groups bytes that an automaton never distinguishes, so that its tables need one column per class. Classes
// are numbered from 0 in byte order.
class ByteClasses {
 public:
  explicit ByteClasses(const ByteBorders& borders = {}) {
    unsigned current = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
      classes_[byte] = static_cast<std::uint8_t>(current);
      if (borders.last_of_class_.test(byte) && byte < 255) ++current;
    }
    count_ = current + 1;
  }

  [[nodiscard]] std::uint8_t operator[](unsigned char byte) const { return classes_[byte]; }
  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] const std::uint8_t* data() const { return classes_.data(); }

 private:
  std::array<std::uint8_t, 256> classes_{};
  unsigned count_ = 0;
};

// A set of small numbers that keeps insertion order and clears in constant time. Numbers must be less than
// the capacity.
class SparseSet {
 public:
  void resize(std::size_t capacity) {
    dense_.resize(capacity);
    sparse_.resize(capacity);
    size_ = 0;
  }
  void clear() { size_ = 0; }
  // Returns false if the number was already in the set.
  bool insert(std::uint32_t number) {
    if (contains(number)) return false;
    dense_[size_] = number;
    sparse_[number] = size_++;
    return true;
  }
  [[nodiscard]] bool contains(std::uint32_t number) const {
    const std::uint32_t place = sparse_[number];
    return place < size_ && dense_[place] == number;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const std::uint32_t> numbers() const { return {dense_.data(), size_}; }
  [[nodiscard]] std::size_t memory() const {
    return (dense_.capacity() + sparse_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  std::vector<std::uint32_t> dense_;
  std::vector<std::uint32_t> sparse_;
  std::uint32_t size_ = 0;
};

struct NfaEdge {
  std::uint8_t first = 0;
  std::uint8_t last = 0;
  std::uint32_t next = 0;
};

struct NfaState {
  enum class Kind : std::uint8_t {
    kRange,   // a byte in [first, last] leads to `target`
    kSparse,  // edges [target, target + count), sorted and not overlapping
    kLook,    // continues at `target` if `look` holds
    kUnion,   // continues at the alternates [target, target + count); earlier ones are preferred
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

// Immutable; usable from all threads. A backward automaton has its look-arounds flipped, because it reads the
// reversed text.
class Nfa {
 public:
  static constexpr std::size_t kMaxMemory = std::size_t{48} << 20;

  // Fails with INVALID_ARGUMENT if it would need more than `max_memory` bytes.
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
  // The start state if a match must begin at the first byte read.
  [[nodiscard]] std::uint32_t start_anchored() const { return start_anchored_; }
  // The start state if a match may begin at any byte; earlier bytes are preferred.
  [[nodiscard]] std::uint32_t start_unanchored() const { return start_unanchored_; }
  [[nodiscard]] LookSet looks() const { return looks_; }
  // Whether a match can contain \n.
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

// The automata of a pattern. Shared by all its Regex and Finder objects; usable from all threads.
class Program {
 public:
  Program(Hir pattern, Nfa nfa) : hir(std::move(pattern)), forward(std::move(nfa)) {}

  // Finds where matches begin. Compiled on first use: callers that only test for a match never need it.
  [[nodiscard]] const Nfa& backward() const {
    std::call_once(compiled_, [this] {
      // It has the same states in reverse and always fits in twice the memory of the forward automaton.
      if (auto nfa = Nfa::compile(hir, Direction::kBackward, 2 * Nfa::kMaxMemory))
        backward_.emplace(std::move(*nfa));
    });
    return backward_.value();
  }

  const Hir hir;
  const Nfa forward;  // finds where matches end

 private:
  mutable std::once_flag compiled_;
  mutable std::optional<Nfa> backward_;
};

}  // namespace helve::regex
