#include "base/base64.h"

#include <sodium/utils.h>

namespace helve {

namespace {
constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), kVariant);
  text.pop_back();  // the terminating zero, which the library counts
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  std::size_t length = 0;
  const char* end = nullptr;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &length, &end, kVariant) != 0)
    return {};
  if (end != text.data() + text.size()) return {};
  bytes.resize(length);
  return bytes;
}

}  // namespace helve
