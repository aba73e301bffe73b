// Looks for lines that stand in a row, in time linear in the lines: texts that repeat themselves are common.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace helve {

// Each place where the run begins, in order; they may overlap. An empty run begins everywhere.
template <class Line>
[[nodiscard]] std::vector<std::size_t> find_runs(std::span<const Line> lines, std::span<const Line> run) {
  // How many lines of the run stand again right before each of its lines (Knuth, Morris and Pratt).
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

}  // namespace helve
