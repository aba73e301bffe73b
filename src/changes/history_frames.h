// The frames around the records of the history log, and how a reader resynchronizes after a torn record.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "changes/history_record.h"

namespace helve::changes {

using FrameChecksum = std::array<unsigned char, 16>;

// The header of each record, in native byte order: a log is only read on the machine that wrote it. The mark
// lets a reader find the next frame after a torn one.
struct Frame {
  std::array<char, 7> mark = {'\n', '\xF1', 'h', 'l', 'v', 'r', '\xF2'};
  unsigned char state = static_cast<unsigned char>(RecordState::kPending);  // see state_of
  std::uint64_t length = 0;                                                 // of the body
  FrameChecksum checksum = {};
};
static_assert(sizeof(Frame) == 32);

// Records of version 1 have the letters P, C, R and K. nullopt for any other byte.
[[nodiscard]] std::optional<RecordState> state_of(unsigned char byte);
[[nodiscard]] bool is_letter(unsigned char state);
// The byte to replace `present` with.
[[nodiscard]] unsigned char state_byte(RecordState state, unsigned char present);

[[nodiscard]] FrameChecksum checksum_of(std::string_view body);

// Reads a log in pieces, because a whole log may not fit in memory. Owned by one thread; the descriptor must
// outlive it.
class LogReader {
 public:
  LogReader(int fd, std::uint64_t size) : fd_(fd), size_(size) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Returns fewer bytes where the log ends or cannot be read. Valid until the next call.
  [[nodiscard]] std::string_view at(std::uint64_t offset, std::uint64_t length);

 private:
  void fill(std::uint64_t offset, std::uint64_t length);

  int fd_;
  std::uint64_t size_;
  std::uint64_t start_ = 0;
  std::string piece_;
};

// Calls `visit` in order with the offset, frame and body of every frame that looks whole. After kBroken the
// scan continues inside the broken frame.
enum class FrameVerdict { kTaken, kBroken, kStop };
using VisitFrame = std::function<FrameVerdict(std::uint64_t at, const Frame& frame, std::string_view body)>;
void scan_frames(LogReader& reader, std::uint64_t from, const VisitFrame& visit);

}  // namespace helve::changes
