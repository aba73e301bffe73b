// Reads signed tokens (JWT, RFC 7519) and verifies them with public keys (JWKS, RFC 7517).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"

namespace helve::mcp {

struct Jwt {
  Json header = {};
  Json claims = {};
  std::string signed_part = {};
  std::string signature = {};
};

// Nothing if the text is not a token of three parts, or if it must not be used: an algorithm other than
// RS256, ES256 and EdDSA, or critical extensions. Says nothing about its signature.
[[nodiscard]] std::optional<Jwt> read_jwt(std::string_view text);

// Public keys. A plain value; may be used from all threads.
class JwkSet {
 public:
  enum class Verdict { kValid, kInvalid, kUnknownKey };

  JwkSet() = default;
  // Leaves out keys that cannot verify tokens: other kinds, RSA keys of less than 2,048 bits.
  explicit JwkSet(const Json& document);

  [[nodiscard]] bool empty() const { return keys_.empty(); }
  [[nodiscard]] Verdict verify(const Jwt& token) const;

 private:
  struct Key;
  std::vector<std::shared_ptr<const Key>> keys_;
};

}  // namespace helve::mcp
