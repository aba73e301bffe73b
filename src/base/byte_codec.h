// A compact encoding of numbers and bytes, for Helve's own files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace helve {

class ByteWriter {
 public:
  // Seven bits per byte, lowest first.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  // With a length prefix.
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  // Without a length: the reader knows it.
  void raw(std::string_view value) { bytes_ += value; }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// The bytes must outlive it. After malformed input or the end, all reads return zeros and is_good() is false,
// so one check at the end is enough.
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
  // A count of items that follow, each at least one byte long.
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
