#include "regex/regex.h"

#include <utility>

#include "regex/lazy_dfa.h"
#include "regex/nfa.h"

namespace helve::regex {

Expected<Regex> Regex::compile(std::string_view pattern, const SyntaxOptions& options) {
  auto hir = parse(pattern, options);
  if (!hir) return fail(std::move(hir.error()));
  return compile(std::move(*hir));
}

Expected<Regex> Regex::compile(Hir hir) {
  auto forward = Nfa::compile(hir, Direction::kForward);
  if (!forward) return fail(std::move(forward.error()));
  return Regex(std::make_shared<const Program>(std::move(hir), std::move(*forward)));
}

const Hir& Regex::hir() const { return program_->hir; }

struct Finder::Cache {
  Cache(Regex shared, const std::atomic<bool>* stop_flag)
      : regex(std::move(shared)), stop(stop_flag), forward(regex.program().forward, stop) {}

  LazyDfa& backward() {
    if (!backward_) backward_.emplace(regex.program().backward(), stop);
    return *backward_;
  }

  Regex regex;
  const std::atomic<bool>* stop;
  LazyDfa forward;

 private:
  std::optional<LazyDfa> backward_;  // created when the start of a match is first needed
};

Finder::Finder(const Regex& regex, const std::atomic<bool>* stop)
    : cache_(std::make_unique<Cache>(regex, stop)) {}

Finder::~Finder() = default;
Finder::Finder(Finder&&) noexcept = default;
Finder& Finder::operator=(Finder&&) noexcept = default;

std::optional<Span> Finder::find(std::string_view text, std::size_t from) {
  if (from > text.size()) return std::nullopt;
  const auto end = cache_->forward.find_end(text, from, LazyDfa::Want::kPreferred);
  if (!end) return std::nullopt;
  // Nullopt if the search was stopped.
  const auto begin = cache_->backward().find_begin(text, from, *end);
  if (!begin) return std::nullopt;
  return Span{*begin, *end};
}

std::optional<std::size_t> Finder::find_end(std::string_view text, std::size_t from) {
  if (from > text.size()) return std::nullopt;
  return cache_->forward.find_end(text, from, LazyDfa::Want::kEarliest);
}

}  // namespace helve::regex
