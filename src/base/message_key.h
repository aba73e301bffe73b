// A secret key with which this process recognises data that it issued itself.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace helve {

// Thread-safe.
class MessageKey {
 public:
  MessageKey();  // generates a new random key
  // The message authentication code of the text, in hexadecimal.
  [[nodiscard]] std::string tag(std::string_view text) const;
  // Compares in constant time.
  [[nodiscard]] bool is_tag(std::string_view tag, std::string_view text) const;

 private:
  std::array<unsigned char, 32> key_;
};

// Compares in constant time, so that timing does not reveal how much of the secrets agrees.
[[nodiscard]] bool equal_secrets(std::string_view left, std::string_view right);

}  // namespace helve
