// A string buffer for writing text piece by piece.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace helve {

// Callers reserve space first and then write into it without a bounds check per byte. The string is valid
// only after finish().
class GrowingText {
 public:
  explicit GrowingText(std::string& text) : text_(text), end_(text.data() + text.size()), limit_(end_) {}
  GrowingText(const GrowingText&) = delete;
  GrowingText& operator=(const GrowingText&) = delete;
  void finish() { text_.resize(size()); }

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - text_.data()); }
  // The size if the text ended at `end`.
  [[nodiscard]] std::size_t size_at(const char* end) const {
    return static_cast<std::size_t>(end - text_.data());
  }
  // Where the next bytes go, with space for at least `bytes`.
  [[nodiscard]] char* room(std::size_t bytes) {
    if (static_cast<std::size_t>(limit_ - end_) < bytes) grow(bytes);
    return end_;
  }
  void end_at(char* end) { end_ = end; }

  void add(char byte) {
    *room(1) = byte;
    ++end_;
  }
  void add(std::string_view bytes) {
    std::memcpy(room(bytes.size()), bytes.data(), bytes.size());
    end_ += bytes.size();
  }
  // Appends a copy of text that was written before.
  void repeat(std::size_t start, std::size_t bytes) {
    char* const to = room(bytes);
    std::memcpy(to, text_.data() + start, bytes);
    end_ = to + bytes;
  }

 private:
  void grow(std::size_t bytes) {
    const std::size_t used = size();
    const std::size_t wanted = std::max({used + bytes, 2 * used, text_.capacity()});
    text_.resize_and_overwrite(wanted, [](char*, std::size_t size) { return size; });
    end_ = text_.data() + used;
    limit_ = text_.data() + wanted;
  }

  std::string& text_;
  char* end_;
  char* limit_;
};

}  // namespace helve
