// The UTF-8 byte sequences of a set of code points, as the smallest automaton without loops that reads them.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "regex/code_set.h"

namespace helve::regex {

// A value. Node 0 is the end of a character; every edge leads to a node with a lower number, and the last
// node is where reading begins.
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

  // `codes` must have a code point other than surrogates, which have no UTF-8.
  explicit Utf8Automaton(const CodeSet& codes);

  [[nodiscard]] std::size_t size() const { return edge_begins_.size() - 1; }
  [[nodiscard]] std::size_t edge_count() const { return edges_.size(); }
  // How many pairs of nodes have an edge between them.
  [[nodiscard]] std::size_t pair_count() const { return pair_count_; }
  // Sorted, not overlapping.
  [[nodiscard]] std::span<const Edge> edges(std::size_t node) const {
    return {edges_.data() + edge_begins_[node], edges_.data() + edge_begins_[node + 1]};
  }
  // Sorted by source; those of one source do not overlap.
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

// `codes` without what no text can have.
[[nodiscard]] CodeSet without_surrogates(const CodeSet& codes);

}  // namespace helve::regex
