// Which bytes make up words, for all that moves by words or colours them.
#pragma once

#include "base/ascii.h"

namespace helve::terminal {

[[nodiscard]] constexpr bool is_word_byte(char byte) {
  return is_letter_or_digit(byte) || byte == '_' || static_cast<unsigned char>(byte) >= 0x80;
}

}  // namespace helve::terminal
