// A secret of this process with which it recognises its own words when others bring them back.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace helve {

// May be used from all threads.
class MessageKey {
 public:
  MessageKey();  // fresh, from the kernel's generator
  // A tag in hexadecimal that only this key gives to this text.
  [[nodiscard]] std::string tag(std::string_view text) const;
  // In constant time.
  [[nodiscard]] bool is_tag(std::string_view tag, std::string_view text) const;

 private:
  std::array<unsigned char, 32> key_;
};

// Compares secrets without telling by its time how much of them agrees.
[[nodiscard]] bool equal_secrets(std::string_view left, std::string_view right);

}  // namespace helve
