// What the launcher and Helve say to each other over the control socket, one fixed struct per packet.
//
//   launcher → Helve   ready, once the command's program runs; or failed, and nothing follows; then ended
//   Helve → launcher   signal, for every process of the command; hanging up ends them all
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::process {

struct Note {
  enum class Kind : std::uint32_t { kReady = 1, kFailed, kEnded };

  Kind kind = Kind::kReady;
  // ready: a bit for each sandbox::Part that the machine could not offer.
  std::uint32_t missing = 0;
  std::uint32_t own_pid_namespace = 0;  // then the launcher's only child is the command's init
  // failed: an ErrorCode; the texts are cut to fit.
  std::uint32_t error_code = 0;
  std::array<char, 1536> message{};
  std::array<char, 512> hint{};
  // ended: as from wait4, with the time and memory of the command and of what it waited for.
  std::int32_t wait_status = 0;
  std::uint32_t left_processes = 0;  // 1: it left some behind, which have been ended
  std::uint64_t user_microseconds = 0;
  std::uint64_t system_microseconds = 0;
  std::uint64_t most_memory_bytes = 0;
};

struct SignalOrder {
  std::int32_t number = 0;
};

[[nodiscard]] Note failed_note(const Error& error);
[[nodiscard]] Error error_of(const Note& note);
[[nodiscard]] std::uint32_t part_bits(const std::vector<sandbox::Part>& parts);
[[nodiscard]] std::vector<sandbox::Part> parts_of(std::uint32_t bits);

// None of these blocks or raises SIGPIPE; a peer that is gone is no error for the sender.
void send_note(int socket, const Note& note);
void send_order(int socket, const SignalOrder& order);

enum class Received { kPacket, kNothing, kHangUp };
[[nodiscard]] Received receive_note(int socket, Note& note);
[[nodiscard]] Received receive_order(int socket, SignalOrder& order);

}  // namespace helve::process
