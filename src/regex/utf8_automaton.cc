#include "regex/utf8_automaton.h"

#include <algorithm>
#include <map>
#include <utility>

namespace helve::regex {
namespace {

using Edge = Utf8Automaton::Edge;
using Edges = std::vector<Edge>;

constexpr std::uint32_t kNoNode = 0xFFFFFFFF;

// Code points with the same UTF-8 length: a leading byte based on `mark`, then `level` continuation bytes.
struct Length {
  CodeRange codes;
  unsigned level;
  unsigned mark;
};
constexpr Length kLengths[] = {
    {{0x80, 0x7FF}, 1, 0xC0}, {{0x800, 0xFFFF}, 2, 0xE0}, {{0x10000, kLastCodePoint}, 3, 0xF0}};

void append(Edges& edges, unsigned byte, std::uint32_t target) {
  if (!edges.empty() && edges.back().target == target && edges.back().last + 1u == byte)
    edges.back().last = static_cast<std::uint8_t>(byte);
  else
    edges.push_back({static_cast<std::uint8_t>(byte), static_cast<std::uint8_t>(byte), target});
}

// Creates nodes from the ends of characters towards their beginnings, without duplicates.
class Builder {
 public:
  // The node from which `level` (at least one) continuation bytes lead to the code points of `ranges` in the
  // block of 64^level that begins at `first`.
  std::uint32_t node_for_block(std::span<const CodeRange> ranges, char32_t first, unsigned level) {
    const char32_t last = first + (char32_t{1} << (6 * level)) - 1;
    const auto begin = std::ranges::lower_bound(ranges, first, {}, &CodeRange::last);
    const auto end = std::ranges::upper_bound(begin, ranges.end(), last, {}, &CodeRange::first);
    if (begin == end) return kNoNode;
    const bool full = begin->first <= first && begin->last >= last;
    if (full && full_[level] != kNoNode) return full_[level];
    Edges edges;
    if (level == 1) {
      for (const CodeRange range : std::ranges::subrange(begin, end))
        edges.push_back({static_cast<std::uint8_t>(0x80 + std::max(range.first, first) - first),
                         static_cast<std::uint8_t>(0x80 + std::min(range.last, last) - first), 0});
    } else {
      for (unsigned i = 0; i < 64; ++i) {
        const auto target = node_for_block({begin, end}, first + (i << (6 * (level - 1))), level - 1);
        if (target != kNoNode) append(edges, 0x80 + i, target);
      }
    }
    const std::uint32_t node = node_with(std::move(edges));
    if (full) full_[level] = node;
    return node;
  }

  std::uint32_t node_with(Edges edges) {
    const auto [place, added] = numbers_.try_emplace(std::move(edges), next_);
    if (added) nodes_.push_back(&place->first), ++next_;
    return place->second;
  }

  [[nodiscard]] const std::vector<const Edges*>& nodes() const { return nodes_; }

 private:
  std::map<Edges, std::uint32_t> numbers_;
  std::vector<const Edges*> nodes_;  // from number 1 on
  std::uint32_t next_ = 1;
  std::uint32_t full_[4] = {kNoNode, kNoNode, kNoNode, kNoNode};
};

std::vector<CodeRange> cut_to(std::span<const CodeRange> ranges, CodeRange bounds) {
  std::vector<CodeRange> cut;
  for (const CodeRange range : ranges) {
    const CodeRange common{std::max(range.first, bounds.first), std::min(range.last, bounds.last)};
    if (common.first <= common.last) cut.push_back(common);
  }
  return cut;
}

}  // namespace

CodeSet without_surrogates(const CodeSet& codes) { return codes.difference(CodeSet({{kSurrogates}})); }

Utf8Automaton::Utf8Automaton(const CodeSet& codes) {
  const CodeSet proper = without_surrogates(codes);
  Builder builder;
  Edges root;
  for (const CodeRange range : cut_to(proper.ranges(), {0, 0x7F}))
    root.push_back({static_cast<std::uint8_t>(range.first), static_cast<std::uint8_t>(range.last), 0});
  for (const auto& [bounds, level, mark] : kLengths) {
    const std::vector<CodeRange> ranges = cut_to(proper.ranges(), bounds);
    if (ranges.empty()) continue;
    const unsigned shift = 6 * level;
    for (unsigned lead = bounds.first >> shift; lead <= bounds.last >> shift; ++lead) {
      const std::uint32_t target = builder.node_for_block(ranges, lead << shift, level);
      if (target != kNoNode) append(root, mark + lead, target);
    }
  }
  // The root is always new and therefore last: no inner node equals it, because their bytes are continuation
  // bytes.
  builder.node_with(std::move(root));

  edge_begins_ = {0, 0};
  for (const Edges* edges : builder.nodes()) {
    edges_.insert(edges_.end(), edges->begin(), edges->end());
    edge_begins_.push_back(static_cast<std::uint32_t>(edges_.size()));
  }

  arrival_begins_.assign(size() + 1, 0);
  for (const Edge& edge : edges_) ++arrival_begins_[edge.target + 1];
  for (std::size_t node = 0; node < size(); ++node) arrival_begins_[node + 1] += arrival_begins_[node];
  arrivals_.resize(edges_.size());
  std::vector<std::uint32_t> places(arrival_begins_.begin(), arrival_begins_.end() - 1);
  for (std::uint32_t node = 0; node < size(); ++node)
    for (const Edge& edge : edges(node)) {
      const std::uint32_t place = places[edge.target]++;
      const bool is_first = place == arrival_begins_[edge.target] || arrivals_[place - 1].source != node;
      if (is_first) ++pair_count_;
      arrivals_[place] = {node, edge.first, edge.last};
    }
}

}  // namespace helve::regex
