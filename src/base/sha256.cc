#include "base/sha256.h"

// These deprecated functions hash in place. OpenSSL 3's replacement looks up the algorithm by name, which
// costs more than hashing a line.
#define OPENSSL_API_COMPAT 10100
#include <openssl/sha.h>

#include <new>

namespace helve {
namespace {

SHA256_CTX* context_in(std::array<std::byte, 112>& state) {
  static_assert(sizeof(SHA256_CTX) <= sizeof state && alignof(SHA256_CTX) <= 8);
  return std::launder(reinterpret_cast<SHA256_CTX*>(state.data()));
}

}  // namespace

Sha256::Sha256() { SHA256_Init(new (state_.data()) SHA256_CTX); }

void Sha256::add(std::string_view bytes) { SHA256_Update(context_in(state_), bytes.data(), bytes.size()); }

std::string Sha256::hex() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256_Final(digest.data(), context_in(state_));
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text(2 * digest.size(), '\0');
  char* next = text.data();
  for (const unsigned char byte : digest) {
    *next++ = kHex[byte >> 4];
    *next++ = kHex[byte & 0xF];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

}  // namespace helve
