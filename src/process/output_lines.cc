#include "process/output_lines.h"

#include <algorithm>

namespace helve::process {
namespace {

constexpr std::size_t kMostMarks = 8192;

}  // namespace

std::uint64_t count_line_breaks(std::string_view bytes) {
  // A block of fixed size, counted in a byte that cannot overflow, is what compilers turn into vector
  // instructions.
  constexpr std::size_t kBlock = 128;
  std::uint64_t count = 0;
  std::size_t at = 0;
  for (; at + kBlock <= bytes.size(); at += kBlock) {
    std::uint8_t in_block = 0;
    const char* block = bytes.data() + at;
    for (std::size_t i = 0; i < kBlock; ++i)
      in_block = static_cast<std::uint8_t>(in_block + (block[i] == '\n'));
    count += in_block;
  }
  for (; at < bytes.size(); ++at) count += bytes[at] == '\n' ? 1U : 0U;
  return count;
}

std::size_t after_line_break(std::string_view bytes, std::uint64_t nth) {
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < nth; ++i) {
    const std::size_t found = bytes.find('\n', at);
    if (found == std::string_view::npos) return std::string_view::npos;
    at = found + 1;
  }
  return at;
}

void LineMarks::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::uint64_t next = marks_.back().offset + distance_;
    const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), next - bytes_));
    breaks_ += count_line_breaks(bytes.substr(0, step));
    bytes_ += step;
    bytes.remove_prefix(step);
    if (bytes_ < next) continue;
    marks_.push_back({bytes_, breaks_});
    if (marks_.size() < kMostMarks) continue;
    for (std::size_t i = 1; i * 2 < marks_.size(); ++i) marks_[i] = marks_[i * 2];
    marks_.resize((marks_.size() + 1) / 2);
    distance_ *= 2;
  }
}

LineMarks::Mark LineMarks::before_offset(std::uint64_t offset) const {
  return *std::prev(std::ranges::upper_bound(marks_, offset, {}, &Mark::offset));
}

LineMarks::Mark LineMarks::before_break(std::uint64_t breaks) const {
  return *std::prev(std::ranges::upper_bound(marks_, breaks, {}, &Mark::breaks));
}

}  // namespace helve::process
