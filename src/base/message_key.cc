#include "base/message_key.h"

#include <sodium.h>

namespace helve {
namespace {

using Tag = std::array<unsigned char, crypto_auth_BYTES>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

MessageKey::MessageKey() : key_() {
  static_assert(crypto_auth_KEYBYTES == std::tuple_size_v<decltype(key_)>);
  crypto_auth_keygen(key_.data());
}

std::string MessageKey::tag(std::string_view text) const {
  Tag tag{};
  crypto_auth(tag.data(), bytes_of(text), text.size(), key_.data());
  std::string hex(2 * tag.size() + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), tag.data(), tag.size());
  hex.pop_back();
  return hex;
}

bool MessageKey::is_tag(std::string_view tag, std::string_view text) const {
  return equal_secrets(tag, this->tag(text));
}

bool equal_secrets(std::string_view left, std::string_view right) {
  return left.size() == right.size() && sodium_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace helve
