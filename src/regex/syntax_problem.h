// What is wrong with a pattern and where, before it is told to anyone.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <utility>

namespace helve::regex {

struct Problem {
  // In characters of the pattern; equal for a place between two.
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string what = {};    // a sentence that follows "at character 5: "
  std::string advice = {};  // what to do about it, when that is known
  // With a backslash before `begin` the pattern would mean text there, which may be what was meant.
  bool escapable = false;
  bool look_around = false;
};

template <class T>
using Parsed = std::expected<T, Problem>;

[[nodiscard]] inline std::unexpected<Problem> refuse(Problem problem) {
  return std::unexpected(std::move(problem));
}

}  // namespace helve::regex
