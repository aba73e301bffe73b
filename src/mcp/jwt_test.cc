// Signed tokens, with keys that the test makes.
#include "mcp/jwt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>

#include <ctime>

#include "base/base64.h"
#include "base/strings.h"
#include "http/server.h"
#include "mcp/token_check.h"

namespace helve::mcp {
namespace {

std::string to_base64url(std::string_view bytes) {
  std::string text = replace_all(replace_all(to_base64(bytes), "+", "-"), "/", "_");
  while (text.ends_with('=')) text.pop_back();
  return text;
}

// A key pair of one of the three kinds.
class Signer {
 public:
  explicit Signer(std::string algorithm, std::size_t rsa_bits = 2048) : algorithm_(std::move(algorithm)) {
    if (algorithm_ == "RS256") key_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", rsa_bits));
    if (algorithm_ == "ES256") key_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
    if (algorithm_ == "EdDSA") key_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  }

  Json jwk(std::string_view id) const {
    Json jwk = JsonObject{{"kid", id}, {"use", "sig"}};
    if (algorithm_ == "RS256") {
      jwk["kty"] = "RSA";
      jwk["n"] = number(OSSL_PKEY_PARAM_RSA_N, 0);
      jwk["e"] = number(OSSL_PKEY_PARAM_RSA_E, 0);
    } else if (algorithm_ == "ES256") {
      jwk["kty"] = "EC";
      jwk["crv"] = "P-256";
      jwk["x"] = number(OSSL_PKEY_PARAM_EC_PUB_X, 32);
      jwk["y"] = number(OSSL_PKEY_PARAM_EC_PUB_Y, 32);
    } else {
      std::string bytes(32, '\0');
      std::size_t size = bytes.size();
      EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size);
      jwk["kty"] = "OKP";
      jwk["crv"] = "Ed25519";
      jwk["x"] = to_base64url(bytes);
    }
    return jwk;
  }

  std::string sign(const Json& claims, std::string_view id, Json header = JsonObject()) const {
    if (header.find("alg") == nullptr) header["alg"] = algorithm_;
    header["kid"] = id;
    std::string token = concat(to_base64url(to_text(header)), ".", to_base64url(to_text(claims)));
    return concat(token, ".", to_base64url(signature(token)));
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };

  std::string number(const char* name, int size) const {
    BIGNUM* value = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &value);
    std::string bytes(static_cast<std::size_t>(size != 0 ? size : BN_num_bytes(value)), '\0');
    BN_bn2binpad(value, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    BN_free(value);
    return to_base64url(bytes);
  }

  std::string signature(const std::string& text) const {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    EVP_DigestSignInit(context, nullptr, algorithm_ == "EdDSA" ? nullptr : EVP_sha256(), nullptr, key_.get());
    std::size_t size = 1024;
    std::string out(size, '\0');
    EVP_DigestSign(context, reinterpret_cast<unsigned char*>(out.data()), &size, bytes, text.size());
    EVP_MD_CTX_free(context);
    out.resize(size);
    if (algorithm_ != "ES256") return out;
    const auto* der = reinterpret_cast<const unsigned char*>(out.data());
    ECDSA_SIG* pair = d2i_ECDSA_SIG(nullptr, &der, static_cast<long>(out.size()));
    std::string raw(64, '\0');
    auto* to = reinterpret_cast<unsigned char*>(raw.data());
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), to, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), to + 32, 32);
    ECDSA_SIG_free(pair);
    return raw;
  }

  std::string algorithm_;
  std::unique_ptr<EVP_PKEY, Free> key_;
};

Json key_set(std::initializer_list<Json> keys) { return JsonObject{{"keys", JsonArray(keys)}}; }

TEST(Jwt, VerifiesTheThreeAlgorithms) {
  for (const std::string algorithm : {"RS256", "ES256", "EdDSA"}) {
    const Signer signer(algorithm);
    const Signer other(algorithm);
    const JwkSet keys(key_set({other.jwk("other"), signer.jwk("own")}));
    const std::string token = signer.sign(JsonObject{{"a", 1}}, "own");
    ASSERT_TRUE(read_jwt(token)) << algorithm;
    EXPECT_EQ(keys.verify(*read_jwt(token)), JwkSet::Verdict::kValid) << algorithm;
    EXPECT_EQ(keys.verify(*read_jwt(other.sign(JsonObject(), "own"))), JwkSet::Verdict::kInvalid)
        << algorithm;
    EXPECT_EQ(keys.verify(*read_jwt(signer.sign(JsonObject(), "new"))), JwkSet::Verdict::kUnknownKey);
    Jwt changed = *read_jwt(token);
    changed.signed_part += "x";
    EXPECT_EQ(keys.verify(changed), JwkSet::Verdict::kInvalid) << algorithm;
    changed = *read_jwt(token);
    changed.signature.clear();
    EXPECT_EQ(keys.verify(changed), JwkSet::Verdict::kInvalid) << algorithm;
  }
}

TEST(Jwt, ReadsNoTokenThatChoosesAWeakerAlgorithm) {
  const Signer signer("RS256");
  for (const char* algorithm : {"none", "None", "HS256", "RS1", "ES384"})
    EXPECT_FALSE(read_jwt(signer.sign(JsonObject(), "k", JsonObject{{"alg", algorithm}}))) << algorithm;
  EXPECT_FALSE(read_jwt(signer.sign(JsonObject(), "k", JsonObject{{"crit", JsonArray{"exp"}}})));
  for (const char* text : {"", "a.b", "a.b.c", "..", "e30.e30.", "opaque-token"})
    EXPECT_FALSE(read_jwt(text)) << text;
  const Signer elliptic("ES256");
  // An RSA token is not tried with a key of another kind.
  EXPECT_EQ(JwkSet(key_set({elliptic.jwk("k")})).verify(*read_jwt(signer.sign(JsonObject(), "k"))),
            JwkSet::Verdict::kUnknownKey);
}

TEST(Jwt, LeavesOutKeysThatCannotVerify) {
  Json encrypts = Signer("ES256").jwk("a");
  encrypts["use"] = "enc";
  Json odd = Signer("ES256").jwk("b");
  odd["alg"] = "ES384";
  Json broken = Signer("EdDSA").jwk("c");
  broken["x"] = "AAAA";
  EXPECT_TRUE(JwkSet(key_set({encrypts, odd, broken, Signer("RS256", 1024).jwk("d"), Json(1),
                              JsonObject{{"kty", "oct"}, {"k", "c2VjcmV0"}}}))
                  .empty());
  EXPECT_TRUE(JwkSet(Json()).empty());
}

// An issuer on loopback that announces only its keys.
class SignedTokenTest : public ::testing::Test {
 protected:
  SignedTokenTest() {
    auto started = http::Server::start(
        {}, [this](http::Exchange& exchange) { exchange.respond(answer(exchange.request())); }, logger_);
    EXPECT_TRUE(started);
    server_ = *std::move(started);
    issuer_ = concat("http://127.0.0.1:", std::to_string(server_->port()));
    check_ = *TokenCheck::create({.server = issuer_, .resource = kResource, .scopes = {"tools"}});
  }

  http::Response answer(const http::Request& request) {
    if (request.path == "/.well-known/oauth-authorization-server")
      return {.body = to_text(JsonObject{{"issuer", issuer_}, {"jwks_uri", concat(issuer_, "/keys")}})};
    if (request.path != "/keys") return {.status = 404};
    ++fetched_;
    return {.body = to_text(key_set({signer_.jwk(key_id_)}))};
  }

  Json claims() const {
    const auto now = static_cast<std::int64_t>(std::time(nullptr));
    return JsonObject{
        {"iss", issuer_}, {"aud", kResource}, {"scope", "tools"}, {"exp", now + 600}, {"nbf", now}};
  }
  int status(const Json& claims, std::string_view id = "one") {
    const auto problem = check_->check(signer_.sign(claims, id));
    return problem ? problem->status : 200;
  }

  static constexpr const char* kResource = "https://helve.example/mcp";
  Logger logger_;
  Signer signer_{"ES256"};
  std::string key_id_ = "one";
  std::string issuer_;
  std::atomic<int> fetched_ = 0;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<TokenCheck> check_;
};

TEST_F(SignedTokenTest, ChecksAllClaims) {
  EXPECT_EQ(status(claims()), 200);
  const auto with = [&](std::string_view claim, Json value) {
    Json changed = claims();
    if (value.is_null())
      changed.as_object().erase(claim);
    else
      changed[claim] = std::move(value);
    return status(changed);
  };
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  EXPECT_EQ(with("iss", "https://other.example"), 401);
  EXPECT_EQ(with("iss", Json()), 401);
  EXPECT_EQ(with("aud", "https://other.example"), 401);
  EXPECT_EQ(with("aud", JsonArray{kResource, "x"}), 200);
  EXPECT_EQ(with("exp", now - 1), 401);
  EXPECT_EQ(with("exp", Json()), 401);
  EXPECT_EQ(with("nbf", now + 3600), 401);
  EXPECT_EQ(with("nbf", Json()), 200);
  EXPECT_EQ(with("scope", "read"), 403);
  Json listed = claims();
  listed.as_object().erase("scope");
  listed["scp"] = JsonArray{"read", "tools"};
  EXPECT_EQ(status(listed), 200);
  EXPECT_EQ(check_->check("opaque")->status, 401);
  EXPECT_EQ(fetched_, 1);
}

TEST_F(SignedTokenTest, UnknownKeysDoNotMakeItAskForKeysAgainAndAgain) {
  EXPECT_EQ(status(claims()), 200);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(status(claims(), concat("unknown-", i)), 401);
  EXPECT_LE(fetched_, 5);
}

TEST_F(SignedTokenTest, FollowsTheRotationOfKeys) {
  EXPECT_EQ(status(claims()), 200);
  signer_ = Signer("EdDSA");
  key_id_ = "two";
  EXPECT_EQ(status(claims(), "two"), 200);
  EXPECT_EQ(fetched_, 2);
}

}  // namespace
}  // namespace helve::mcp
