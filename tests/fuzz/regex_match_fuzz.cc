// Feeds patterns and texts to the regular expressions: none may crash, and all ways of matching must find the
// same.
//   clang++ -std=c++23 -fsanitize=fuzzer,address …
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "regex/lazy_dfa.h"
#include "regex/nfa.h"
#include "regex/pike_testing.h"
#include "regex/regex.h"

namespace {

using namespace helve::regex;

constexpr std::size_t kMaxPattern = 200;
constexpr std::size_t kMaxText = 300;
constexpr std::size_t kMaxStates = 20'000;

void check(bool holds) {
  if (!holds) std::abort();
}

// Finds with so little memory that states are forgotten, or none kept, on the way.
std::optional<Span> find_with(const Program& program, std::size_t memory, std::string_view text,
                              std::size_t from) {
  LazyDfa forward(program.forward, nullptr, memory);
  LazyDfa backward(program.backward(), nullptr, memory);
  const auto end = forward.find_end(text, from, LazyDfa::Want::kPreferred);
  if (!end) return std::nullopt;
  const auto begin = backward.find_begin(text, from, *end);
  check(begin.has_value());
  return Span{*begin, *end};
}

}  // namespace

// The first byte has options and a place to begin at, the second the length of the pattern.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data + 2), size - 2);
  const std::string_view pattern = input.substr(0, std::min<std::size_t>(data[1], kMaxPattern));
  const std::string_view text = input.substr(pattern.size()).substr(0, kMaxText);
  SyntaxOptions options;
  options.ignore_case = (data[0] & 1) != 0;
  options.across_lines = (data[0] & 2) != 0;
  options.dot_matches_line_break = (data[0] & 4) != 0;
  options.crlf = (data[0] & 8) != 0;
  const std::size_t from = std::min<std::size_t>(data[0] >> 4, text.size());

  const auto regex = Regex::compile(pattern, options);
  if (!regex || regex->program().forward.size() > kMaxStates) return 0;
  const auto expected = PikeMatcher(regex->program().forward).find(text, from);
  Finder finder(*regex);
  check(finder.find(text, from) == expected);
  const auto end = finder.find_end(text, from);
  check(end.has_value() == expected.has_value());
  check(!end || (*end >= expected->begin && *end <= expected->end));
  check(find_with(regex->program(), 2000, text, from) == expected);
  check(find_with(regex->program(), 0, text, from) == expected);
  return 0;
}
