// A set of small numbers that remembers in which order they came and is emptied at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace helve::regex {

// A value. Numbers are less than the capacity.
class SparseSet {
 public:
  void resize(std::size_t capacity) {
    dense_.resize(capacity);
    sparse_.resize(capacity);
    size_ = 0;
  }
  void clear() { size_ = 0; }
  // False when it was there already.
  bool insert(std::uint32_t number) {
    if (contains(number)) return false;
    dense_[size_] = number;
    sparse_[number] = size_++;
    return true;
  }
  [[nodiscard]] bool contains(std::uint32_t number) const {
    const std::uint32_t place = sparse_[number];
    return place < size_ && dense_[place] == number;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const std::uint32_t> numbers() const { return {dense_.data(), size_}; }
  [[nodiscard]] std::size_t memory() const {
    return (dense_.capacity() + sparse_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  std::vector<std::uint32_t> dense_;
  std::vector<std::uint32_t> sparse_;
  std::uint32_t size_ = 0;
};

}  // namespace helve::regex
