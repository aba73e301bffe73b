#include "sandbox/bpf.h"

#include <cstdlib>

namespace helve::sandbox {

BpfProgram::Label BpfProgram::new_label() {
  places_.push_back(0);
  return {places_.size() - 1};
}

void BpfProgram::place(Label label) { places_[label.id] = instructions_.size(); }

void BpfProgram::load(std::size_t offset) {
  instructions_.push_back({BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)});
}

void BpfProgram::mask(std::uint32_t bits) {
  instructions_.push_back({BPF_ALU | BPF_AND | BPF_K, 0, 0, bits});
}

void BpfProgram::give(std::uint32_t verdict) { instructions_.push_back({BPF_RET | BPF_K, 0, 0, verdict}); }

void BpfProgram::jump(Label to) {
  jumps_.push_back({instructions_.size(), to.id});
  instructions_.push_back({BPF_JMP | BPF_JA, 0, 0, 0});
}

void BpfProgram::jump_if_equal(std::uint32_t value, Label to) { jump_on(BPF_JEQ, value, to); }
void BpfProgram::jump_if_at_least(std::uint32_t value, Label to) { jump_on(BPF_JGE, value, to); }
void BpfProgram::jump_if_any_bit(std::uint32_t bits, Label to) { jump_on(BPF_JSET, bits, to); }

void BpfProgram::jump_on(std::uint16_t test, std::uint32_t value, Label to) {
  jumps_.push_back({instructions_.size(), to.id});
  instructions_.push_back({static_cast<std::uint16_t>(BPF_JMP | BPF_K | test), 0, 0, value});
}

std::vector<sock_filter> BpfProgram::finish() {
  for (const Jump& jump : jumps_) {
    sock_filter& from = instructions_[jump.instruction];
    if (places_[jump.label] <= jump.instruction) std::abort();
    const std::size_t distance = places_[jump.label] - jump.instruction - 1;
    if (from.code == (BPF_JMP | BPF_JA)) {
      from.k = static_cast<std::uint32_t>(distance);
    } else {
      if (distance > 255) std::abort();
      from.jt = static_cast<std::uint8_t>(distance);
    }
  }
  jumps_.clear();
  return std::move(instructions_);
}

}  // namespace helve::sandbox
