// Skips bytes that do not change the state of an automaton, many at a time.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <string_view>

namespace helve::regex {

// Finds the next byte of a small set.
class ByteSkip {
 public:
  // The expected occurrences of `byte` per thousand bytes of source code.
  [[nodiscard]] static unsigned expected_frequency(unsigned char byte);

  explicit ByteSkip(const std::bitset<256>& bytes);

  // The position of the first byte of the set in text[at, end), or `end`.
  [[nodiscard]] std::size_t next(std::string_view text, std::size_t at, std::size_t end) const;

 private:
  std::size_t count_ = 0;
  std::array<unsigned char, 3> few_{};  // the bytes of the set if there are at most three
  std::array<bool, 256> wanted_{};
};

}  // namespace helve::regex
