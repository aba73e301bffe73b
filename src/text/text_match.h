// Common ends of two texts, and repeated runs of lines.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace helve::text {

// The length of what two texts have in common at their start or end.
[[nodiscard]] std::size_t common_prefix(std::string_view one, std::string_view other);
[[nodiscard]] std::size_t common_suffix(std::string_view one, std::string_view other);

// All indices where the run begins, in order; they may overlap. Linear in the number of lines, also for
// repetitive texts. An empty run begins everywhere.
template <class Line>
[[nodiscard]] std::vector<std::size_t> find_runs(std::span<const Line> lines, std::span<const Line> run) {
  // Knuth, Morris and Pratt: the longest prefix of the run that ends right before each of its lines.
  std::vector<std::size_t> again(run.size() + 1, 0);
  for (std::size_t i = 1, length = 0; i < run.size(); ++i) {
    while (length > 0 && run[i] != run[length]) length = again[length];
    if (run[i] == run[length]) ++length;
    again[i + 1] = length;
  }
  std::vector<std::size_t> places;
  if (run.empty()) places.push_back(0);
  for (std::size_t i = 0, length = 0; i < lines.size(); ++i) {
    while (length > 0 && (length == run.size() || lines[i] != run[length])) length = again[length];
    if (length < run.size() && lines[i] == run[length]) ++length;
    if (length == run.size()) places.push_back(i + 1 - length);
  }
  return places;
}

}  // namespace helve::text
