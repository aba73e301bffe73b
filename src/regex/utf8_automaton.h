// The minimal acyclic automaton that accepts the UTF-8 byte sequences of a set of code points.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "regex/code_set.h"

namespace helve::regex {

// Node 0 is the end of a character. Every edge leads to a node with a lower number. The last node is the
// start.
class Utf8Automaton {
 public:
  struct Edge {
    std::uint8_t first = 0;
    std::uint8_t last = 0;
    std::uint32_t target = 0;

    auto operator<=>(const Edge&) const = default;
  };
  // An edge as seen from its target.
  struct Arrival {
    std::uint32_t source = 0;
    std::uint8_t first = 0;
    std::uint8_t last = 0;
  };

  // `codes` must contain a code point that is not a surrogate; surrogates have no UTF-8 form.
  explicit Utf8Automaton(const CodeSet& codes);

  [[nodiscard]] std::size_t size() const { return edge_begins_.size() - 1; }
  [[nodiscard]] std::size_t edge_count() const { return edges_.size(); }
  // The number of pairs of nodes with an edge between them.
  [[nodiscard]] std::size_t pair_count() const { return pair_count_; }
  // Sorted, not overlapping.
  [[nodiscard]] std::span<const Edge> edges(std::size_t node) const {
    return {edges_.data() + edge_begins_[node], edges_.data() + edge_begins_[node + 1]};
  }
  // Sorted by source; edges with the same source do not overlap.
  [[nodiscard]] std::span<const Arrival> arrivals(std::size_t node) const {
    return {arrivals_.data() + arrival_begins_[node], arrivals_.data() + arrival_begins_[node + 1]};
  }

 private:
  std::vector<std::uint32_t> edge_begins_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> arrival_begins_;
  std::vector<Arrival> arrivals_;
  std::size_t pair_count_ = 0;
};

// `codes` without surrogates, which no valid text contains.
[[nodiscard]] CodeSet without_surrogates(const CodeSet& codes);

}  // namespace helve::regex
