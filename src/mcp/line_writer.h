// Writes messages as lines, from many threads; what comes while one writes goes out together afterwards.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

namespace helve::mcp {

// May be used from all threads. Waits while the reader is far behind.
class LineWriter {
 public:
  explicit LineWriter(int fd) : fd_(fd) {}

  void write(std::string message);
  // Nobody reads any more.
  [[nodiscard]] bool is_broken() const;

 private:
  const int fd_;
  mutable std::mutex mutex_;
  std::condition_variable taken_;
  std::string pending_;
  bool writing_ = false;
  bool broken_ = false;
};

}  // namespace helve::mcp
