#include "mcp/token_check.h"

#include <gtest/gtest.h>

#include <ctime>

#include "base/strings.h"
#include "http/server.h"
#include "http/url.h"

namespace helve::mcp {
namespace {

// An authorisation server on loopback that knows a few tokens.
class TokenCheckTest : public ::testing::Test {
 protected:
  TokenCheckTest() {
    auto started = http::Server::start(
        {}, [this](http::Exchange& exchange) { exchange.respond(answer(exchange.request())); }, logger_);
    EXPECT_TRUE(started);
    server_ = *std::move(started);
    issuer_ = concat("http://127.0.0.1:", std::to_string(server_->port()), "/realm");
  }

  http::Response answer(const http::Request& request) {
    if (request.path == "/.well-known/oauth-authorization-server/realm") {
      Json metadata = announces_.is_null()
                          ? Json(JsonObject{{"introspection_endpoint", concat(issuer_, "/introspect")}})
                          : announces_;
      metadata["issuer"] = issuer_;
      return json(metadata);
    }
    if (request.path != "/realm/introspect") return {.status = 404};
    ++asked_;
    const std::string* secret = request.headers.find("authorization");
    if (secret == nullptr || *secret != "Basic aGVsdmU6cyUyNmNyZXQ=") return {.status = 401};
    const auto fields = http::from_form(request.body);
    const std::string token = *http::find_field(fields, "token");
    const auto now = static_cast<std::int64_t>(std::time(nullptr));
    Json said = JsonObject{{"active", true}, {"aud", kResource}, {"scope", "read tools"}, {"exp", now + 600}};
    if (token == "many") said["aud"] = JsonArray{"https://other.example", kResource};
    if (token == "other") said["aud"] = "https://other.example";
    if (token == "nobody's") said.as_object().erase("aud");
    if (token == "old") said["exp"] = now - 1;
    if (token == "fraction") said["exp"] = static_cast<double>(now) + 600.5;
    if (token == "old fraction") said["exp"] = static_cast<double>(now) - 1.5;
    if (token == "endless") said["exp"] = 1e300;
    if (token == "weak") said["scope"] = "read toolset";
    if (token == "revoked") said = JsonObject{{"active", false}};
    if (token == "broken") return {.status = 500};
    return json(said);
  }
  static http::Response json(const Json& body) { return {.body = to_text(body)}; }

  [[nodiscard]] std::unique_ptr<TokenCheck> check() const {
    return *TokenCheck::create({.server = issuer_,
                                .resource = kResource,
                                .client_id = "helve",
                                .client_secret = "s&cret",
                                .scopes = {"tools"}});
  }
  static int status(TokenCheck& check, std::string_view token) {
    const auto problem = check.check(token);
    return problem ? problem->status : 200;
  }

  static constexpr const char* kResource = "https://helve.example/mcp";
  Logger logger_;
  std::string issuer_;
  Json announces_;  // instead of introspection
  std::atomic<int> asked_ = 0;
  std::unique_ptr<http::Server> server_;
};

TEST_F(TokenCheckTest, AcceptsOnlyActiveTokensForThisServer) {
  const auto check = this->check();
  EXPECT_EQ(status(*check, "good"), 200);
  EXPECT_EQ(status(*check, "many"), 200);
  EXPECT_EQ(status(*check, "fraction"), 200);
  EXPECT_EQ(status(*check, "old fraction"), 401);
  EXPECT_EQ(status(*check, "endless"), 200);
  for (const std::string_view bad : {"other", "nobody's", "old", "revoked", ""})
    EXPECT_EQ(status(*check, bad), 401) << bad;
  EXPECT_EQ(status(*check, "weak"), 403);
  EXPECT_EQ(check->check("weak")->scope, "tools");
  EXPECT_EQ(status(*check, std::string(20'000, 'x')), 401);
}

TEST_F(TokenCheckTest, CachesVerdictsButNotFailures) {
  const auto check = this->check();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(status(*check, "good"), 200);
  EXPECT_EQ(asked_, 1);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(status(*check, "broken"), 503);
  EXPECT_EQ(asked_, 3);
}

TEST_F(TokenCheckTest, SaysAtTheStartThatTokensCannotBeChecked) {
  announces_ = JsonObject();
  const auto nothing = check()->discover();
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, ErrorCode::kExecutionFailed);
  EXPECT_EQ(
      nothing.error().message,
      concat(
          "The authorization server ", issuer_,
          " announces neither an introspection_endpoint nor a jwks_uri, so its tokens cannot be checked."));
  announces_ = JsonObject{{"jwks_uri", concat(issuer_, "/keys")}};
  EXPECT_TRUE(check()->discover());
}

TEST_F(TokenCheckTest, DoesNotAskAServerWithAnotherIssuer) {
  const auto check = *TokenCheck::create({.server = concat(issuer_, "/../realm"), .resource = kResource});
  EXPECT_EQ(status(*check, "good"), 503);
  EXPECT_EQ(asked_, 0);
}

TEST_F(TokenCheckTest, DescribesTheAuthorizationServer) {
  const auto check = this->check();
  EXPECT_EQ(check->metadata_path(), "/.well-known/oauth-protected-resource/mcp");
  EXPECT_EQ(check->metadata_url(), "https://helve.example/.well-known/oauth-protected-resource/mcp");
  EXPECT_EQ(*check->metadata().find("resource"), Json(kResource));
  EXPECT_EQ(*check->metadata().find("authorization_servers"), Json(JsonArray{issuer_}));
}

TEST(TokenCheck, RefusesAnUnencryptedAuthorizationServer) {
  const auto check =
      TokenCheck::create({.server = "http://auth.example", .resource = "https://helve.example/mcp"});
  ASSERT_FALSE(check);
  EXPECT_EQ(check.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace helve::mcp
