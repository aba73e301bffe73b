// Regular expressions that find what ripgrep's find, in time linear in the text.
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

class Program;  // the automata, in regex/program.h

// A compiled pattern: never changes, cheap to copy, usable from all threads.
class Regex {
 public:
  // INVALID_ARGUMENT for a pattern that is wrong, or too large once its repetitions are written out.
  [[nodiscard]] static Expected<Regex> compile(std::string_view pattern, const SyntaxOptions& options = {});
  [[nodiscard]] static Expected<Regex> compile(Hir hir);

  [[nodiscard]] const Hir& hir() const;
  [[nodiscard]] const Program& program() const { return *program_; }

 private:
  explicit Regex(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

// Finds matches of one Regex and keeps what it learns on the way; for one thread at a time. Memory is
// bounded.
class Finder {
 public:
  // When `stop` becomes true, whatever runs ends soon and finds nothing.
  explicit Finder(const Regex& regex, const std::atomic<bool>* stop = nullptr);
  ~Finder();
  Finder(Finder&&) noexcept;
  Finder& operator=(Finder&&) noexcept;

  // The leftmost match that begins at or after `from`, preferring alternatives as Perl does. Look-arounds see
  // all of `text`, before `from` too.
  [[nodiscard]] std::optional<Span> find(std::string_view text, std::size_t from = 0);
  // The first place at or after `from` where any match ends: there is one exactly when find finds a match,
  // and it lies in that match or at one of its ends, so in its line when no match of the pattern goes over
  // lines. Cheaper than find.
  [[nodiscard]] std::optional<std::size_t> find_end(std::string_view text, std::size_t from = 0);
  [[nodiscard]] bool matches(std::string_view text) { return find_end(text).has_value(); }

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

}  // namespace helve::regex
