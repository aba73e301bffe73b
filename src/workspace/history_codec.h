// Numbers and bytes as the history stores them: compact, exact for any bytes, checked when read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace helve {

// Owned by one thread.
class ByteWriter {
 public:
  // Seven bits a byte, the lowest first.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  // With its length.
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  // Without: the reader knows it.
  void raw(std::string_view value) { bytes_ += value; }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Owned by one thread; the bytes must outlive it. After reading past the end or nonsense, all reads give
// zeros and is_good() is false: ask once at the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    return refuse();
  }
  [[nodiscard]] std::string_view text() { return raw(number()); }
  [[nodiscard]] std::string_view raw(std::uint64_t size) {
    if (size > rest_.size()) {
      refuse();
      return {};
    }
    const std::string_view value = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(value.size());
    return value;
  }
  // A number of things that are still to come, each at least one byte long.
  [[nodiscard]] std::size_t count() {
    const std::uint64_t value = number();
    return static_cast<std::size_t>(value <= rest_.size() ? value : refuse());
  }

  [[nodiscard]] bool is_good() const { return good_; }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

 private:
  std::uint64_t refuse() {
    good_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace helve
