// The frames in which the records of a history's log lie, and how they are found again after something was
// torn.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "workspace/history_record.h"

namespace helve {

using FrameChecksum = std::array<unsigned char, 16>;

// In front of each record, as it lies in memory: it is only read on the machine that wrote it. The mark lets
// a reader find the next one after something torn.
struct Frame {
  std::array<char, 7> mark = {'\n', '\xF1', 'h', 'l', 'v', 'r', '\xF2'};
  RecordState state = RecordState::kPending;
  std::uint64_t length = 0;  // of the body
  FrameChecksum checksum = {};
};
static_assert(sizeof(Frame) == 32);

[[nodiscard]] FrameChecksum checksum_of(std::string_view body);

// The bytes of a log, a piece at a time: it may have more of them than anybody wants in memory. Owned by one
// thread; the descriptor must outlive it.
class LogReader {
 public:
  LogReader(int fd, std::uint64_t size) : fd_(fd), size_(size) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Fewer where the log ends, or cannot be read. Good until the next call.
  [[nodiscard]] std::string_view at(std::uint64_t offset, std::uint64_t length);

 private:
  void fill(std::uint64_t offset, std::uint64_t length);

  int fd_;
  std::uint64_t size_;
  std::uint64_t start_ = 0;
  std::string piece_;
};

// Calls `visit` with all frames that look whole, in their order: where each is, it itself and its body. After
// one that is kBroken the next one is looked for within it.
enum class FrameVerdict { kTaken, kBroken, kEnough };
using VisitFrame = std::function<FrameVerdict(std::uint64_t at, const Frame& frame, std::string_view body)>;
void scan_frames(LogReader& reader, std::uint64_t from, const VisitFrame& visit);

}  // namespace helve
