// Counts calls, failures and time per tool.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "helve/json.h"

namespace helve {

// May be used from all threads.
class Metrics {
 public:
  // `outcome` is "ok" or an error code.
  void count(const std::string& tool, const std::string& outcome, double milliseconds);
  // {"read": {"calls": 3, "outcomes": {"ok": 2, "NOT_FOUND": 1}, "totalMs": 1.5, "longestMs": 1.2}}
  [[nodiscard]] Json to_json() const;

 private:
  struct PerTool {
    std::uint64_t calls = 0;
    std::map<std::string, std::uint64_t> outcomes;
    double total_ms = 0;
    double longest_ms = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, PerTool> tools_;
};

}  // namespace helve
