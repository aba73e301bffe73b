#include "base/clock.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <stdexcept>

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

// Asks the kernel every time: bytes kept in memory would be there twice after a fork.
std::string random_id(std::string_view prefix, std::size_t letters) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<unsigned char, 32> bytes;
  letters = std::min(letters, bytes.size());
  if (getrandom(bytes.data(), letters, 0) != static_cast<ssize_t>(letters))
    throw std::runtime_error("the kernel gave no random bytes");
  std::string id(prefix);
  id += '_';
  for (std::size_t i = 0; i < letters; ++i) id += kLetters[bytes[i] % kLetters.size()];
  return id;
}

}  // namespace helve
