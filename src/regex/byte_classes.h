// Which bytes an automaton never tells apart, so that its tables need one column for all of them.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>

namespace helve::regex {

// Collects the borders between classes.
class ByteBorders {
 public:
  void add_range(unsigned char first, unsigned char last) {
    if (first > 0) last_of_class_.set(first - 1u);
    last_of_class_.set(last);
  }

 private:
  friend class ByteClasses;
  std::bitset<256> last_of_class_;
};

// A value; every byte has a class, counted from 0 in the order of the bytes.
class ByteClasses {
 public:
  explicit ByteClasses(const ByteBorders& borders = {}) {
    unsigned current = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
      classes_[byte] = static_cast<std::uint8_t>(current);
      if (borders.last_of_class_.test(byte) && byte < 255) ++current;
    }
    count_ = current + 1;
  }

  [[nodiscard]] std::uint8_t operator[](unsigned char byte) const { return classes_[byte]; }
  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] const std::uint8_t* data() const { return classes_.data(); }

 private:
  std::array<std::uint8_t, 256> classes_{};
  unsigned count_ = 0;
};

}  // namespace helve::regex
