// A simple simulation of the nondeterministic automaton: the reference for the fast matchers.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "regex/nfa.h"
#include "regex/regex.h"

namespace helve::regex {

// Keeps no state between searches.
class PikeMatcher {
 public:
  explicit PikeMatcher(const Nfa& forward) : nfa_(&forward) {}

  // Like Finder::find.
  [[nodiscard]] std::optional<Span> find(std::string_view text, std::size_t from = 0) const {
    Threads current(nfa_->size());
    Threads next(nfa_->size());
    std::optional<Span> match;
    for (std::size_t at = from;; ++at) {
      if (!match) add(nfa_->start_anchored(), at, text, at, current);
      for (const std::uint32_t id : current.states.numbers()) {
        const NfaState& state = nfa_->state(id);
        if (state.kind == NfaState::Kind::kMatch) {
          match = Span{current.begins[id], at};
          break;
        }
        if (at == text.size()) continue;
        if (const auto target = target_of(state, static_cast<unsigned char>(text[at])))
          add(*target, current.begins[id], text, at + 1, next);
      }
      if (at == text.size() || (match && next.states.empty())) return match;
      std::swap(current, next);
      next.states.clear();
    }
  }

  // Like Finder::find_end: the end of the match that ends first.
  [[nodiscard]] std::optional<std::size_t> find_end(std::string_view text, std::size_t from = 0) const {
    for (std::size_t end = from; end <= text.size(); ++end)
      if (ends_at(text, from, end)) return end;
    return std::nullopt;
  }

 private:
  struct Threads {
    explicit Threads(std::size_t count) : begins(count) { states.resize(count); }

    SparseSet states;                 // earlier ones are preferred
    std::vector<std::size_t> begins;  // by state
  };

  // Whether any match in text[from, …) ends at `end`.
  [[nodiscard]] bool ends_at(std::string_view text, std::size_t from, std::size_t end) const {
    Threads current(nfa_->size());
    Threads next(nfa_->size());
    for (std::size_t at = from;; ++at) {
      add(nfa_->start_anchored(), at, text, at, current);
      for (const std::uint32_t id : current.states.numbers()) {
        const NfaState& state = nfa_->state(id);
        if (at == end && state.kind == NfaState::Kind::kMatch) return true;
        if (at == end) continue;
        if (const auto target = target_of(state, static_cast<unsigned char>(text[at])))
          add(*target, at, text, at + 1, next);
      }
      if (at == end) return false;
      std::swap(current, next);
      next.states.clear();
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> target_of(const NfaState& state, unsigned char byte) const {
    if (state.kind == NfaState::Kind::kRange && byte >= state.first && byte <= state.last)
      return state.target;
    if (state.kind == NfaState::Kind::kSparse)
      for (const NfaEdge& edge : nfa_->edges(state))
        if (byte >= edge.first && byte <= edge.last) return edge.next;
    return std::nullopt;
  }

  void add(std::uint32_t start, std::size_t begin, std::string_view text, std::size_t at,
           Threads& threads) const {
    std::vector<std::uint32_t> stack{start};
    while (!stack.empty()) {
      const std::uint32_t id = stack.back();
      stack.pop_back();
      if (!threads.states.insert(id)) continue;
      threads.begins[id] = begin;
      const NfaState& state = nfa_->state(id);
      if (state.kind == NfaState::Kind::kUnion) {
        const auto alternates = nfa_->alternates(state);
        stack.insert(stack.end(), alternates.rbegin(), alternates.rend());
      } else if (state.kind == NfaState::Kind::kLook && look_holds(state.look, text, at)) {
        stack.push_back(state.target);
      }
    }
  }

  const Nfa* nfa_;
};

}  // namespace helve::regex
