#include "process/launch_notes.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/utf8.h"

namespace helve::process {
namespace {

static_assert(std::is_trivially_copyable_v<Note> && std::is_trivially_copyable_v<SignalOrder>);

void copy_text(std::span<char> to, std::string_view text) {
  const std::string_view fitting = utf8_prefix(text, to.size() - 1);
  std::ranges::copy(fitting, to.begin());
}

std::string_view text_of(std::span<const char> from) {
  return {from.data(), ::strnlen(from.data(), from.size())};
}

template <class Packet>
void send_packet(int socket, const Packet& packet) {
  while (::send(socket, &packet, sizeof packet, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR) {
  }
}

template <class Packet>
Received receive_packet(int socket, Packet& packet) {
  for (;;) {
    const ssize_t got = ::recv(socket, &packet, sizeof packet, MSG_DONTWAIT | MSG_TRUNC);
    if (got == static_cast<ssize_t>(sizeof packet)) return Received::kPacket;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Received::kNothing;
    if (got <= 0) return Received::kHangUp;
    // A packet of another size is from nobody who should be there; it is passed over.
  }
}

}  // namespace

Note failed_note(const Error& error) {
  Note note;
  note.kind = Note::Kind::kFailed;
  note.error_code = static_cast<std::uint32_t>(error.code);
  copy_text(note.message, error.message);
  copy_text(note.hint, error.hint);
  return note;
}

Error error_of(const Note& note) {
  const bool known = note.error_code <= static_cast<std::uint32_t>(ErrorCode::kOutcomeUnknown);
  return {known ? static_cast<ErrorCode>(note.error_code) : ErrorCode::kExecutionFailed,
          std::string(text_of(note.message)), std::string(text_of(note.hint))};
}

std::uint32_t part_bits(const std::vector<sandbox::Part>& parts) {
  std::uint32_t bits = 0;
  for (const sandbox::Part part : parts) bits |= 1U << static_cast<unsigned>(part);
  return bits;
}

std::vector<sandbox::Part> parts_of(std::uint32_t bits) {
  std::vector<sandbox::Part> parts;
  for (unsigned i = 0; i <= static_cast<unsigned>(sandbox::Part::kCgroup); ++i)
    if ((bits >> i & 1U) != 0) parts.push_back(static_cast<sandbox::Part>(i));
  return parts;
}

void send_note(int socket, const Note& note) { send_packet(socket, note); }
void send_order(int socket, const SignalOrder& order) { send_packet(socket, order); }
Received receive_note(int socket, Note& note) { return receive_packet(socket, note); }
Received receive_order(int socket, SignalOrder& order) { return receive_packet(socket, order); }

}  // namespace helve::process
