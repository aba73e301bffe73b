// SHA-256, as lower-case hexadecimal text.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace helve {

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

// Of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // Once, at the end.
  [[nodiscard]] std::string hex();

 private:
  alignas(8) std::array<std::byte, 112> state_;  // of the library, whose header stays out of this one
};

}  // namespace helve
