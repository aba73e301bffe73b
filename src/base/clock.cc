#include "base/clock.h"

#include <sys/random.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <utility>

namespace helve {

std::string utc_timestamp(std::chrono::system_clock::time_point time) {
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(milliseconds % 1000));
  return text.data();
}

namespace {

// The kernel is asked for many bytes at once, and none is used twice.
class RandomBytes {
 public:
  unsigned char next() {
    if (used_ == bytes_.size()) {
      if (getrandom(bytes_.data(), bytes_.size(), 0) != static_cast<ssize_t>(bytes_.size()))
        throw std::runtime_error("the kernel gave no random bytes");
      used_ = 0;
    }
    return std::exchange(bytes_[used_++], 0);
  }

 private:
  std::array<unsigned char, 256> bytes_{};
  std::size_t used_ = bytes_.size();
};

}  // namespace

std::string random_id(std::string_view prefix) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  constexpr int kLength = 16;
  thread_local RandomBytes random;
  std::string id(prefix);
  id += '_';
  for (int i = 0; i < kLength; ++i) id += kLetters[random.next() % kLetters.size()];
  return id;
}

}  // namespace helve
