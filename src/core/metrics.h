// Counts calls, failures and time per tool.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "helve/json.h"

namespace helve::core {

// Owned by the runtime; may be used from all threads. Counting takes no lock: a tool finds its numbers in a
// table that only grows, and adds to them. A reader may see a concurrent update in part.
class Metrics {
 public:
  using Duration = std::chrono::steady_clock::duration;

  // Plugins and servers may bring any number of tools; those beyond this limit share one entry.
  static constexpr std::size_t kMostTools = 500;
  static constexpr std::string_view kOthers = "(others)";
  // Upper bounds of the duration buckets, in milliseconds; one more bucket holds longer calls.
  static constexpr std::array<std::uint32_t, 8> kBounds{1, 5, 25, 100, 500, 2'500, 10'000, 60'000};

  Metrics() = default;
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  ~Metrics();

  // Counts a finished call; `failure` is empty for a success.
  void count(std::string_view tool, std::optional<ErrorCode> failure, Duration duration);
  // {"read": {"calls": 3, "outcomes": {"ok": 2, "NOT_FOUND": 1}, "totalMs": 1.5, "longestMs": 1.2,
  //           "durations": [{"upToMs": 1, "calls": 2}, …]}}, the calls of a duration with those of the
  //           shorter.
  [[nodiscard]] Json to_json() const;

 private:
  using Counter = std::atomic<std::uint64_t>;
  static constexpr std::size_t kOutcomes = static_cast<std::size_t>(ErrorCode::kOutcomeUnknown) + 2;

  struct Slot {
    explicit Slot(std::string_view tool) : name(tool) {}
    const std::string name;
    std::array<Counter, kOutcomes> outcomes = {};  // success first, then by error code
    std::array<Counter, kBounds.size() + 1> durations = {};
    Counter total_ns = 0;
    Counter longest_ns = 0;
  };
  static Json to_json(const Slot& slot);

  Slot& slot(std::string_view tool);

  static constexpr std::size_t kPlaces = 1024;  // never more than about half full, so that searches end soon
  static_assert(kMostTools + 1 < kPlaces);
  std::array<std::atomic<Slot*>, kPlaces> table_ = {};
  std::mutex adding_;
  std::size_t size_ = 0;  // guarded by it
};

}  // namespace helve::core
