// How long the work on one text may take.
#pragma once

#include <chrono>
#include <functional>

namespace helve::code {

struct ParseLimits {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::function<bool()> should_stop = {};  // asked now and then

  [[nodiscard]] bool reached() const {
    return std::chrono::steady_clock::now() >= deadline || (should_stop && should_stop());
  }
};

}  // namespace helve::code
