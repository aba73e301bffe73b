#include "regex/nfa.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "base/strings.h"
#include "regex/utf8_automaton.h"

namespace helve::regex {
namespace {

struct CodeSetHash {
  std::size_t operator()(const CodeSet& codes) const {
    std::uint64_t hash = 0xCBF29CE484222325;
    for (const CodeRange range : codes.ranges())
      hash = (hash ^ (std::uint64_t{range.first} << 32 | range.last)) * 0x9E3779B97F4A7C15;
    return hash ^ hash >> 32;
  }
};

bool can_be_empty(const Hir& hir) {
  switch (hir.kind) {
    case Hir::Kind::kEmpty:
    case Hir::Kind::kLook: return true;
    case Hir::Kind::kNothing:
    case Hir::Kind::kLiteral:
    case Hir::Kind::kClass:
    case Hir::Kind::kByteClass: return false;
    case Hir::Kind::kRepeat: return hir.min == 0 || can_be_empty(hir.children[0]);
    case Hir::Kind::kConcat: return std::ranges::all_of(hir.children, can_be_empty);
    case Hir::Kind::kAlternate: return std::ranges::any_of(hir.children, can_be_empty);
  }
  return true;
}

}  // namespace

// Compiles a pattern from its end to its beginning, so that the state after each piece is known. Used for one
// compilation.
class NfaCompiler {
 public:
  NfaCompiler(Direction direction, std::size_t max_memory) : max_memory_(max_memory) {
    nfa_.direction_ = direction;
  }

  Expected<Nfa> compile(const Hir& hir) {
    if (cost_of(hir) > static_cast<double>(max_memory_))
      return fail(ErrorCode::kInvalidArgument,
                  concat("The pattern is too large: with its repetitions expanded it needs more than ",
                         max_memory_ >> 20, " MB."),
                  "Use fewer repetitions, or repeat a smaller class: [a-z] instead of \\w, for example.");
    const std::uint32_t match = add({.kind = NfaState::Kind::kMatch});
    nfa_.start_anchored_ = compile(hir, match);
    nfa_.reads_line_feed_ = reads('\n');
    const std::uint32_t either = add_union_of_two();
    const std::uint32_t any_byte =
        add({.kind = NfaState::Kind::kRange, .first = 0x00, .last = 0xFF, .target = either});
    set_alternates(either, true, nfa_.start_anchored_, any_byte);
    nfa_.start_unanchored_ = either;
    nfa_.classes_ = ByteClasses(borders());
    return std::move(nfa_);
  }

 private:
  // An upper bound for the bytes that compile() adds. Computed before anything is allocated, and as a double
  // to avoid overflow.
  double cost_of(const Hir& hir) {
    constexpr double kState = sizeof(NfaState);
    constexpr double kUnionOfTwo = kState + 2 * sizeof(std::uint32_t);
    const auto sum = [&] {
      double total = 0;
      for (const Hir& child : hir.children) total += cost_of(child);
      return total;
    };
    switch (hir.kind) {
      case Hir::Kind::kEmpty: return 0;
      case Hir::Kind::kNothing:
      case Hir::Kind::kLook: return kState;
      case Hir::Kind::kLiteral: return kState * static_cast<double>(hir.bytes.size());
      case Hir::Kind::kByteClass: return kState + 128 * sizeof(NfaEdge);
      case Hir::Kind::kClass: return cost_of(automaton_for(hir.codes));
      case Hir::Kind::kRepeat: {
        const double copies = hir.max == Hir::kUnbounded ? std::max(hir.min, 1u) : hir.max;
        const double unions = hir.max == Hir::kUnbounded ? 2 : hir.max - hir.min;
        return copies * cost_of(hir.children[0]) + unions * kUnionOfTwo;
      }
      case Hir::Kind::kConcat: return sum();
      case Hir::Kind::kAlternate:
        return sum() + kState + sizeof(std::uint32_t) * static_cast<double>(hir.children.size());
    }
    return 0;
  }

  double cost_of(const std::optional<Utf8Automaton>& automaton) const {
    if (!automaton) return sizeof(NfaState);
    // Forward: one state per node. Backward: one per pair of nodes, plus a union of those with the same
    // start.
    const std::size_t states = automaton->size() + (nfa_.is_backward() ? automaton->pair_count() : 0);
    const std::size_t places = nfa_.is_backward() ? automaton->pair_count() : 0;
    return static_cast<double>(states * sizeof(NfaState) + automaton->edge_count() * sizeof(NfaEdge) +
                               places * sizeof(std::uint32_t));
  }

  // Nullopt if no valid text contains any of these code points.
  const std::optional<Utf8Automaton>& automaton_for(const CodeSet& codes) {
    auto place = automata_.find(codes);
    if (place == automata_.end()) {
      place = automata_.try_emplace(codes).first;
      if (!without_surrogates(codes).empty()) place->second.emplace(codes);
    }
    return place->second;
  }

  // Returns the state that matches `hir` and continues at `next`.
  std::uint32_t compile(const Hir& hir, std::uint32_t next) {
    switch (hir.kind) {
      case Hir::Kind::kEmpty: return next;
      case Hir::Kind::kNothing: return add({});
      case Hir::Kind::kLiteral: return compile_literal(hir.bytes, next);
      case Hir::Kind::kClass: return compile_class(hir.codes, next);
      case Hir::Kind::kByteClass: return compile_byte_class(hir.byte_set, next);
      case Hir::Kind::kLook: return compile_look(hir.look, next);
      case Hir::Kind::kRepeat: return compile_repeat(hir, next);
      case Hir::Kind::kConcat:
        if (nfa_.is_backward())
          for (const Hir& child : hir.children) next = compile(child, next);
        else
          for (const Hir& child : hir.children | std::views::reverse) next = compile(child, next);
        return next;
      case Hir::Kind::kAlternate: {
        std::vector<std::uint32_t> starts;
        starts.reserve(hir.children.size());
        for (const Hir& child : hir.children) starts.push_back(compile(child, next));
        return add_union(starts);
      }
    }
    return next;
  }

  std::uint32_t compile_literal(const std::string& bytes, std::uint32_t next) {
    const auto prepend = [&](char byte) {
      const auto value = static_cast<std::uint8_t>(byte);
      next = add({.kind = NfaState::Kind::kRange, .first = value, .last = value, .target = next});
    };
    if (nfa_.is_backward())
      std::ranges::for_each(bytes, prepend);
    else
      std::ranges::for_each(bytes | std::views::reverse, prepend);
    return next;
  }

  std::uint32_t compile_look(Look look, std::uint32_t next) {
    if (nfa_.is_backward()) look = flipped(look);
    nfa_.looks_.add(look);
    return add({.kind = NfaState::Kind::kLook, .look = look, .target = next});
  }

  std::uint32_t compile_byte_class(const std::bitset<256>& bytes, std::uint32_t next) {
    std::vector<NfaEdge> edges;
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (!bytes.test(byte)) continue;
      const auto value = static_cast<std::uint8_t>(byte);
      if (byte > 0 && bytes.test(byte - 1))
        edges.back().last = value;
      else
        edges.push_back({value, value, next});
    }
    return add_sparse(edges);
  }

  std::uint32_t compile_class(const CodeSet& codes, std::uint32_t next) {
    const auto& automaton = automaton_for(codes);
    if (!automaton) return add({});
    return nfa_.is_backward() ? compile_backward(*automaton, next) : compile_forward(*automaton, next);
  }

  std::uint32_t compile_forward(const Utf8Automaton& automaton, std::uint32_t next) {
    std::vector<std::uint32_t> states(automaton.size());
    states[0] = next;
    std::vector<NfaEdge> edges;
    for (std::size_t node = 1; node < automaton.size(); ++node) {
      edges.clear();
      for (const auto& edge : automaton.edges(node))
        edges.push_back({edge.first, edge.last, states[edge.target]});
      states[node] = add_sparse(edges);
    }
    return states.back();
  }

  // Reverses every edge. A deterministic form would be many times larger, and it is only used where a match
  // was found.
  std::uint32_t compile_backward(const Utf8Automaton& automaton, std::uint32_t next) {
    std::vector<std::uint32_t> states(automaton.size());
    states.back() = next;
    std::vector<NfaEdge> edges;
    std::vector<std::uint32_t> starts;
    for (std::size_t node = automaton.size() - 1; node-- > 0;) {
      starts.clear();
      const auto arrivals = automaton.arrivals(node);
      for (std::size_t i = 0; i < arrivals.size(); ++i) {
        edges.push_back({arrivals[i].first, arrivals[i].last, states[arrivals[i].source]});
        if (i + 1 < arrivals.size() && arrivals[i + 1].source == arrivals[i].source) continue;
        starts.push_back(add_sparse(edges));
        edges.clear();
      }
      states[node] = add_union(starts);
    }
    return states[0];
  }

  std::uint32_t compile_repeat(const Hir& hir, std::uint32_t next) {
    const Hir& child = hir.children[0];
    std::uint32_t start = next;
    std::uint32_t required = hir.min;
    if (hir.max == Hir::kUnbounded) {
      // A body that can be empty must not lead from the loop back to itself without a byte in between, which
      // would lose the order of preference. It is matched once or more, or not at all.
      const std::uint32_t loop = add_union_of_two();
      const std::uint32_t body = compile(child, loop);
      set_alternates(loop, hir.greedy, body, next);
      start = loop;
      if (required > 0) {
        start = body;
        --required;
      } else if (can_be_empty(child)) {
        start = add_union_of_two();
        set_alternates(start, hir.greedy, body, next);
      }
    } else {
      for (std::uint32_t i = hir.min; i < hir.max; ++i) {
        const std::uint32_t either = add_union_of_two();
        set_alternates(either, hir.greedy, compile(child, start), next);
        start = either;
      }
    }
    for (std::uint32_t i = 0; i < required; ++i) {
      const std::uint32_t before = compile(child, start);
      if (before == start) break;  // the child is empty
      start = before;
    }
    return start;
  }

  std::uint32_t add_sparse(const std::vector<NfaEdge>& edges) {
    if (edges.empty()) return add({});
    if (edges.size() == 1)
      return add({.kind = NfaState::Kind::kRange,
                  .first = edges[0].first,
                  .last = edges[0].last,
                  .target = edges[0].next});
    const auto begin = static_cast<std::uint32_t>(nfa_.edges_.size());
    nfa_.edges_.insert(nfa_.edges_.end(), edges.begin(), edges.end());
    return add({.kind = NfaState::Kind::kSparse,
                .target = begin,
                .count = static_cast<std::uint32_t>(edges.size())});
  }

  std::uint32_t add_union(const std::vector<std::uint32_t>& starts) {
    if (starts.size() == 1) return starts[0];
    const auto begin = static_cast<std::uint32_t>(nfa_.alternates_.size());
    nfa_.alternates_.insert(nfa_.alternates_.end(), starts.begin(), starts.end());
    return add({.kind = NfaState::Kind::kUnion,
                .target = begin,
                .count = static_cast<std::uint32_t>(starts.size())});
  }

  std::uint32_t add_union_of_two() { return add_union({0, 0}); }

  void set_alternates(std::uint32_t id, bool greedy, std::uint32_t body, std::uint32_t next) {
    const std::uint32_t begin = nfa_.states_[id].target;
    nfa_.alternates_[begin] = greedy ? body : next;
    nfa_.alternates_[begin + 1] = greedy ? next : body;
  }

  std::uint32_t add(NfaState state) {
    nfa_.states_.push_back(state);
    return static_cast<std::uint32_t>(nfa_.states_.size() - 1);
  }

  bool reads(std::uint8_t byte) const {
    const auto has = [byte](const auto& range) { return range.first <= byte && byte <= range.last; };
    return std::ranges::any_of(nfa_.edges_, has) ||
           std::ranges::any_of(nfa_.states_, [&](const NfaState& state) {
             return state.kind == NfaState::Kind::kRange && has(state);
           });
  }

  ByteBorders borders() const {
    ByteBorders borders;
    for (const NfaState& state : nfa_.states_)
      if (state.kind == NfaState::Kind::kRange) borders.add_range(state.first, state.last);
    for (const NfaEdge& edge : nfa_.edges_) borders.add_range(edge.first, edge.last);
    if (nfa_.looks_.has_any_of(kLineLooks) || nfa_.looks_.has_any_of(kCrlfLooks))
      borders.add_range('\n', '\n');
    if (nfa_.looks_.has_any_of(kCrlfLooks)) borders.add_range('\r', '\r');
    if (nfa_.looks_.has_any_of(kAsciiWordLooks) || nfa_.looks_.has_any_of(kUnicodeWordLooks)) {
      borders.add_range('0', '9');
      borders.add_range('A', 'Z');
      borders.add_range('_', '_');
      borders.add_range('a', 'z');
    }
    if (nfa_.looks_.has_any_of(kUnicodeWordLooks)) borders.add_range(0x80, 0xFF);
    return borders;
  }

  Nfa nfa_;
  std::size_t max_memory_;
  std::unordered_map<CodeSet, std::optional<Utf8Automaton>, CodeSetHash> automata_;
};

Expected<Nfa> Nfa::compile(const Hir& hir, Direction direction, std::size_t max_memory) {
  return NfaCompiler(direction, max_memory).compile(hir);
}

}  // namespace helve::regex
