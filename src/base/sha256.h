// SHA-256, as lower-case hexadecimal text.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace helve {

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

// Hashes bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // Call once, at the end.
  [[nodiscard]] std::string hex();

 private:
  alignas(8) std::array<std::byte, 112> state_;  // an OpenSSL context; its header is not included here
};

}  // namespace helve
