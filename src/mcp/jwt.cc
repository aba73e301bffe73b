#include "mcp/jwt.h"

// Otherwise OpenSSL's macros put the path of this file into the program.
#define OPENSSL_NO_FILENAMES
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"

namespace helve::mcp {
namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using KeyContextPtr = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestContextPtr = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using BuilderPtr = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using ParamsPtr = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using NumberPtr = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using SignaturePtr = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

constexpr int kLeastRsaBits = 2048;
constexpr std::size_t kCoordinate = 32;  // bytes of a P-256 coordinate
constexpr auto kAlgorithms = std::to_array<std::string_view>({"RS256", "ES256", "EdDSA"});

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string plain(text);
  for (char& c : plain) {
    if (c == '+' || c == '/' || c == '=') return {};
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  plain.append((4 - plain.size() % 4) % 4, '=');
  return from_base64(plain);
}

NumberPtr number_from(std::string_view bytes) {
  return NumberPtr(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

KeyPtr key_from(const char* type, OSSL_PARAM_BLD* builder) {
  const ParamsPtr params(OSSL_PARAM_BLD_to_param(builder));
  const KeyContextPtr context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) <= 0 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) <= 0)
    return {};
  return KeyPtr(key);
}

KeyPtr rsa_key(const Json& jwk) {
  const auto modulus = from_base64url(string_in(jwk, "n"));
  const auto exponent = from_base64url(string_in(jwk, "e"));
  const BuilderPtr builder(OSSL_PARAM_BLD_new());
  if (!modulus || !exponent || !builder) return {};
  const NumberPtr n = number_from(*modulus);
  const NumberPtr e = number_from(*exponent);
  if (!n || !e || BN_num_bits(n.get()) < kLeastRsaBits) return {};
  if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) <= 0 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) <= 0)
    return {};
  return key_from("RSA", builder.get());
}

KeyPtr p256_key(const Json& jwk) {
  const auto x = from_base64url(string_in(jwk, "x"));
  const auto y = from_base64url(string_in(jwk, "y"));
  const BuilderPtr builder(OSSL_PARAM_BLD_new());
  if (string_in(jwk, "crv") != "P-256" || !x || !y || x->size() != kCoordinate || y->size() != kCoordinate ||
      !builder)
    return {};
  const std::string point = concat('\x04', *x, *y);
  if (OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) <= 0 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) <=
          0)
    return {};
  return key_from("EC", builder.get());
}

KeyPtr ed25519_key(const Json& jwk) {
  const auto x = from_base64url(string_in(jwk, "x"));
  if (string_in(jwk, "crv") != "Ed25519" || !x) return {};
  return KeyPtr(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(*x), x->size()));
}

// OpenSSL expects the two numbers of an ES256 signature in DER. Empty if they are malformed.
std::string der_signature(std::string_view raw) {
  if (raw.size() != 2 * kCoordinate) return {};
  const SignaturePtr signature(ECDSA_SIG_new());
  NumberPtr r = number_from(raw.substr(0, kCoordinate));
  NumberPtr s = number_from(raw.substr(kCoordinate));
  if (!signature || !r || !s || ECDSA_SIG_set0(signature.get(), r.get(), s.get()) != 1) return {};
  static_cast<void>(r.release());  // now owned by the signature
  static_cast<void>(s.release());
  unsigned char* encoded = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &encoded);
  if (size <= 0) return {};
  std::string out(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(size));
  OPENSSL_free(encoded);
  return out;
}

}  // namespace

struct JwkSet::Key {
  std::string id = {};
  std::string_view algorithm = {};
  KeyPtr key = {};
};

std::optional<Jwt> read_jwt(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '.');
  if (parts.size() != 3) return {};
  const auto header = from_base64url(parts[0]);
  const auto claims = from_base64url(parts[1]);
  auto signature = from_base64url(parts[2]);
  if (!header || !claims || !signature) return {};
  auto header_json = parse_json(*header);
  auto claims_json = parse_json(*claims);
  if (!header_json || !claims_json || !header_json->is_object() || !claims_json->is_object()) return {};
  const std::string_view algorithm = string_in(*header_json, "alg");
  if (std::ranges::find(kAlgorithms, algorithm) == kAlgorithms.end()) return {};
  if (header_json->find("crit") != nullptr) return {};
  return Jwt{.header = *std::move(header_json),
             .claims = *std::move(claims_json),
             .signed_part = std::string(text.substr(0, text.rfind('.'))),
             .signature = *std::move(signature)};
}

JwkSet::JwkSet(const Json& document) {
  constexpr std::size_t kMostKeys = 100;
  const JsonArray* keys = array_in(document, "keys");
  if (keys == nullptr) return;
  for (const Json& jwk : *keys) {
    if (!jwk.is_object() || keys_.size() >= kMostKeys || string_in(jwk, "use") == "enc") continue;
    auto key = std::make_shared<Key>();
    key->id = text_in(jwk, "kid");
    const std::string_view type = string_in(jwk, "kty");
    if (type == "RSA") {
      key->algorithm = "RS256";
      key->key = rsa_key(jwk);
    } else if (type == "EC") {
      key->algorithm = "ES256";
      key->key = p256_key(jwk);
    } else if (type == "OKP") {
      key->algorithm = "EdDSA";
      key->key = ed25519_key(jwk);
    }
    const std::string_view stated = string_in(jwk, "alg");
    if (key->key && (stated.empty() || stated == key->algorithm)) keys_.push_back(std::move(key));
  }
}

JwkSet::Verdict JwkSet::verify(const Jwt& token) const {
  const std::string_view algorithm = string_in(token.header, "alg");
  const std::string_view id = string_in(token.header, "kid");
  const bool is_ec = algorithm == "ES256";
  const std::string signature = is_ec ? der_signature(token.signature) : token.signature;
  bool tried = false;
  for (const auto& key : keys_) {
    // The key decides on the algorithm, so that a token cannot choose a weaker one.
    if (key->algorithm != algorithm || (!id.empty() && !key->id.empty() && key->id != id)) continue;
    tried = true;
    const DigestContextPtr context(EVP_MD_CTX_new());
    const EVP_MD* digest = algorithm == "EdDSA" ? nullptr : EVP_sha256();
    if (context && EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key->key.get()) == 1 &&
        EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(token.signed_part),
                         token.signed_part.size()) == 1)
      return Verdict::kValid;
  }
  return tried ? Verdict::kInvalid : Verdict::kUnknownKey;
}

}  // namespace helve::mcp
