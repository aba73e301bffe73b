// A small assembler for classic BPF, with labels instead of counted jumps.
#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace helve::sandbox {

// BPF only jumps forward. Single-threaded.
class BpfProgram {
 public:
  struct Label {
    std::size_t id;
  };

  [[nodiscard]] Label new_label();
  // Binds the label to the next instruction.
  void place(Label label);

  void load(std::size_t offset);  // a 32-bit word of the seccomp_data
  void mask(std::uint32_t bits);
  void give(std::uint32_t verdict);
  void jump(Label to);
  void jump_if_equal(std::uint32_t value, Label to);
  void jump_if_at_least(std::uint32_t value, Label to);
  void jump_if_any_bit(std::uint32_t bits, Label to);

  // Resolves the labels. A conditional jump reaches at most 255 instructions; a longer one aborts.
  [[nodiscard]] std::vector<sock_filter> finish();

 private:
  struct Jump {
    std::size_t instruction;
    std::size_t label;
  };
  void jump_on(std::uint16_t test, std::uint32_t value, Label to);

  std::vector<sock_filter> instructions_;
  std::vector<Jump> jumps_;
  std::vector<std::size_t> places_;
};

}  // namespace helve::sandbox
