// The last lines of what a server writes for people to read.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace helve::gateway {

// May be used from all threads.
class LastWords {
 public:
  void add(std::string_view line) {
    const std::lock_guard lock(mutex_);
    bytes_ += line.size() + 1;
    lines_.emplace_back(line);
    while (bytes_ > kMostBytes || lines_.size() > kMostLines) {
      bytes_ -= lines_.front().size() + 1;
      lines_.pop_front();
    }
  }

  [[nodiscard]] std::string text() const {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const std::string& line : lines_) (all += line) += '\n';
    return all;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{64} * 1024;
  static constexpr std::size_t kMostLines = 1000;

  mutable std::mutex mutex_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
};

}  // namespace helve::gateway
