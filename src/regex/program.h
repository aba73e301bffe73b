// What a pattern is compiled to.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "regex/hir.h"
#include "regex/nfa.h"

namespace helve::regex {

// Owned by all Regex and Finder objects of the pattern together; usable from all threads.
class Program {
 public:
  Program(Hir pattern, Nfa nfa) : hir(std::move(pattern)), forward(std::move(nfa)) {}

  // Finds where matches begin. Compiled when it is first asked for, since those who only want to know whether
  // there is a match never do.
  [[nodiscard]] const Nfa& backward() const {
    std::call_once(compiled_, [this] {
      // The same states the other way round: with twice the memory of the forward one it always fits.
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
