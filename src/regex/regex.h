// Regular expressions with the semantics of ripgrep, matched in time linear in the text.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "helve/error.h"
#include "regex/hir.h"
#include "regex/syntax.h"

namespace helve::regex {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const Span&) const = default;
};

class Program;  // the automata, in regex/nfa.h

// A compiled pattern. Immutable, cheap to copy, usable from all threads.
class Regex {
 public:
  // Fails with INVALID_ARGUMENT if the pattern is invalid, or too large when its repetitions are expanded.
  [[nodiscard]] static Expected<Regex> compile(std::string_view pattern, const SyntaxOptions& options = {});
  [[nodiscard]] static Expected<Regex> compile(Hir hir);

  [[nodiscard]] const Hir& hir() const;
  [[nodiscard]] const Program& program() const { return *program_; }

 private:
  explicit Regex(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

// Finds matches of one Regex. Caches automaton states in bounded memory. Not thread-safe.
class Finder {
 public:
  // When `stop` becomes true, a running search soon ends without a match.
  explicit Finder(const Regex& regex, const std::atomic<bool>* stop = nullptr);
  ~Finder();
  Finder(Finder&&) noexcept;
  Finder& operator=(Finder&&) noexcept;

  // The leftmost match that begins at or after `from`, with Perl's preference of alternatives. Look-arounds
  // see all of `text`, including what is before `from`.
  [[nodiscard]] std::optional<Span> find(std::string_view text, std::size_t from = 0);
  // The first position at or after `from` where any match ends. It exists exactly if find() finds a match,
  // and it is inside that match or at one of its ends. If no match of the pattern spans lines, it is
  // therefore on the line of that match. Cheaper than find().
  [[nodiscard]] std::optional<std::size_t> find_end(std::string_view text, std::size_t from = 0);
  [[nodiscard]] bool matches(std::string_view text) { return find_end(text).has_value(); }

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

}  // namespace helve::regex
