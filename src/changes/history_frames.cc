#include "changes/history_frames.h"

#include <sodium/crypto_generichash.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace helve::changes {
namespace {

// The offset where the next frame may begin.
std::uint64_t next_mark(LogReader& reader, std::uint64_t at) {
  constexpr std::uint64_t kLook = std::uint64_t{1} << 16;
  const Frame good;
  const std::string_view mark(good.mark.data(), good.mark.size());
  while (true) {
    const std::string_view piece = reader.at(at, kLook);
    if (const std::size_t found = piece.find(mark); found != std::string_view::npos) return at + found;
    if (piece.size() < mark.size()) return reader.size();
    at += piece.size() - (mark.size() - 1);
  }
}

}  // namespace

namespace {

struct StateLetter {
  RecordState state;
  unsigned char letter;
};
constexpr StateLetter kLetters[] = {{RecordState::kPending, 'P'},
                                    {RecordState::kCommitted, 'C'},
                                    {RecordState::kRolledBack, 'R'},
                                    {RecordState::kKeptAside, 'K'}};

}  // namespace

std::optional<RecordState> state_of(unsigned char byte) {
  for (const auto& [state, letter] : kLetters)
    if (byte == letter || byte == static_cast<unsigned char>(state)) return state;
  return std::nullopt;
}

bool is_letter(unsigned char state) { return state < 0x80; }

unsigned char state_byte(RecordState state, unsigned char present) {
  for (const auto& [known, letter] : kLetters)
    if (known == state && is_letter(present)) return letter;
  return static_cast<unsigned char>(state);
}

FrameChecksum checksum_of(std::string_view body) {
  FrameChecksum checksum;
  crypto_generichash(checksum.data(), checksum.size(), reinterpret_cast<const unsigned char*>(body.data()),
                     body.size(), nullptr, 0);
  return checksum;
}

std::string_view LogReader::at(std::uint64_t offset, std::uint64_t length) {
  constexpr std::uint64_t kStep = std::uint64_t{1} << 18;
  length = offset < size_ ? std::min(length, size_ - offset) : 0;
  if (offset < start_ || offset + length > start_ + piece_.size()) fill(offset, std::max(length, kStep));
  const std::uint64_t from = offset - start_;
  return std::string_view(piece_).substr(std::min<std::uint64_t>(from, piece_.size()), length);
}

void LogReader::fill(std::uint64_t offset, std::uint64_t length) {
  start_ = offset;
  piece_.resize(std::min(length, size_ - std::min(offset, size_)));
  std::size_t filled = 0;
  while (filled < piece_.size()) {
    const ssize_t count =
        ::pread(fd_, piece_.data() + filled, piece_.size() - filled, static_cast<off_t>(offset + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  piece_.resize(filled);
}

void scan_frames(LogReader& reader, std::uint64_t from, const VisitFrame& visit) {
  const Frame good;
  std::uint64_t at = from;
  while (at + sizeof(Frame) <= reader.size()) {
    Frame frame;
    const std::string_view head = reader.at(at, sizeof frame);
    if (head.size() < sizeof frame) return;
    std::memcpy(&frame, head.data(), sizeof frame);
    const std::uint64_t body_at = at + sizeof frame;
    if (frame.mark == good.mark && frame.length <= reader.size() - body_at) {
      const std::string_view body = reader.at(body_at, frame.length);
      const FrameVerdict verdict =
          body.size() == frame.length ? visit(at, frame, body) : FrameVerdict::kBroken;
      if (verdict == FrameVerdict::kStop) return;
      if (verdict == FrameVerdict::kTaken) {
        at += sizeof frame + frame.length;
        continue;
      }
    }
    // A partial record, left by a kill or a full disk: continue behind it.
    at = next_mark(reader, at + 1);
  }
}

}  // namespace helve::changes
