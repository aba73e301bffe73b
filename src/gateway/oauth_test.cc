// Checks of logins and their storage. The complete flows are in the conformance suite.
#include "gateway/oauth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/strings.h"
#include "gateway/redirect_listener.h"
#include "gateway/testing.h"

namespace helve::gateway {
namespace {

http::Response refusal(std::string challenge, int status = 401) {
  return {.status = status, .headers = {{"WWW-Authenticate", std::move(challenge)}}};
}

TEST(Challenge, ReadsTheParametersOfBearer) {
  const Challenge challenge = read_challenge(
      refusal(R"(Basic realm="x", Bearer error="invalid_token", scope="a b", resource_metadata=https)"));
  EXPECT_EQ(challenge.get("scope"), "a b");
  EXPECT_EQ(challenge.get("error"), "invalid_token");
  EXPECT_EQ(challenge.get("resource_metadata"), "https");
  EXPECT_EQ(challenge.get("realm"), "");
  EXPECT_EQ(read_challenge(refusal(R"(Bearer scope="a \"b\" \\")")).get("scope"), R"(a "b" \)");
  EXPECT_EQ(read_challenge(refusal(R"(Bearer scope="open)")).get("scope"), "open");
  EXPECT_TRUE(read_challenge(refusal(",,=,\"")).parameters.empty());
}

TEST(Challenge, OnlyAMissingScopeMakes403ALoginProblem) {
  EXPECT_TRUE(needs_authorization({.status = 401}));
  EXPECT_FALSE(needs_authorization({.status = 403}));
  EXPECT_TRUE(needs_authorization(refusal(R"(Bearer error="insufficient_scope")", 403)));
}

TEST(CodeVerifier, TheChallengeIsItsHash) {
  const CodeVerifier first = CodeVerifier::make();
  EXPECT_GE(first.verifier.size(), 43U);
  EXPECT_EQ(first.challenge.size(), 43U);
  EXPECT_THAT(first.challenge, ::testing::Not(::testing::ContainsRegex("[+/=]")));
  EXPECT_NE(first.verifier, CodeVerifier::make().verifier);
}

TEST(OAuthDiscovery, SendsSecretsOnlyOverSafeConnections) {
  http::Client client;
  const OAuthDiscovery remote(client, *http::Url::parse("https://mcp.example/mcp"));
  EXPECT_TRUE(remote.is_safe("https://login.example/token"));
  EXPECT_FALSE(remote.is_safe("http://login.example/token"));
  EXPECT_FALSE(remote.is_safe("http://127.0.0.1:8080/token"));
  EXPECT_FALSE(remote.is_safe("https://localhost/token"));
  EXPECT_FALSE(remote.is_safe("file:///etc/passwd"));
  const OAuthDiscovery local(client, *http::Url::parse("http://localhost:3000/mcp"));
  EXPECT_TRUE(local.is_safe("http://127.0.0.1:8080/token"));
  EXPECT_TRUE(local.is_safe("https://login.example/token"));
}

TEST(OAuth, DoesNotLogInWithoutEncryption) {
  Logger logger(LogLevel::kError);
  auto oauth = OAuth::create({.server = "x", .server_url = "http://mcp.example/mcp"}, logger);
  ASSERT_TRUE(oauth);
  const auto renewed = (*oauth)->renew({.status = 401}, "", soon());
  ASSERT_FALSE(renewed);
  EXPECT_EQ(renewed.error().code, ErrorCode::kSecurity);
}

TEST(OAuth, UsesALoginThatAnotherProcessRenewed) {
  Logger logger(LogLevel::kError);
  const TestDirectory directory;
  const TokenStore store(directory.at("tokens"));
  const std::string url = "https://mcp.example/mcp";
  ASSERT_TRUE(store.keep(url, {.access_token = "first", .refresh_token = "once"}));
  auto oauth =
      OAuth::create({.server = "x", .server_url = url, .store_directory = directory.at("tokens")}, logger);
  ASSERT_TRUE(oauth);
  EXPECT_EQ((*oauth)->authorization(), "Bearer first");
  ASSERT_TRUE(store.keep(url, {.access_token = "second", .refresh_token = "another"}));
  const auto renewed = (*oauth)->renew({.status = 401}, "Bearer first", soon());
  EXPECT_TRUE(renewed) << renewed.error().message;
  EXPECT_EQ((*oauth)->authorization(), "Bearer second");
}

TEST(TokenStore, StoresTokensReadableOnlyByTheUser) {
  const TestDirectory directory;
  const TokenStore store(directory.at("tokens"));
  EXPECT_FALSE(store.find("https://a.example/mcp"));
  const TokenRecord record{
      .issuer = "https://issuer.example",
      .client = {.id = "id", .secret = "s", .redirect_uri = "http://127.0.0.1:1/callback"},
      .access_token = "token",
      .refresh_token = "refresh",
      .expires_at = 5,
      .scopes = {"a", "b"}};
  ASSERT_TRUE(store.keep("https://a.example/mcp", record));
  const auto found = store.find("https://a.example/mcp");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->access_token, "token");
  EXPECT_EQ(found->scopes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(found->client.redirect_uri, "http://127.0.0.1:1/callback");
  EXPECT_FALSE(store.find("https://b.example/mcp"));
  for (const auto& file : std::filesystem::directory_iterator(directory.at("tokens"))) {
    struct stat status{};
    ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
  }
  store.forget("https://a.example/mcp");
  EXPECT_FALSE(store.find("https://a.example/mcp"));
}

TEST(RedirectListener, AcceptsOnlyRedirectsWithItsState) {
  Logger logger(LogLevel::kError);
  auto listener = RedirectListener::start(0, "right", logger);
  ASSERT_TRUE(listener) << listener.error().message;
  http::Client client;
  const auto get = [&](std::string_view query) {
    const auto response = client.send({.url = concat((*listener)->uri(), query)}, {});
    return response ? response->status : 0;
  };
  EXPECT_EQ(get("?code=stolen&state=wrong"), 400);
  EXPECT_EQ(get("?code=stolen"), 400);
  EXPECT_EQ(get("?code=a%20b&state=right"), 200);
  const auto fields = (*listener)->wait(soon());
  ASSERT_TRUE(fields);
  EXPECT_EQ(*http::find_field(*fields, "code"), "a b");
}

TEST(Url, IsParsed) {
  const auto url = http::Url::parse("HTTPS://Example.COM:443/a/b?c=d#e");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->origin(), "https://example.com");
  EXPECT_EQ(url->text(), "https://example.com/a/b?c=d");
  EXPECT_EQ(http::Url::parse("http://[::1]:80")->host(), "::1");
  EXPECT_TRUE(http::Url::parse("http://[::1]:8080/")->is_loopback());
  for (const std::string_view bad :
       {"ftp://x", "https://", "https://user:pw@x/", "x", "https://a b/", "http:/x"})
    EXPECT_FALSE(http::Url::parse(bad)) << bad;
  EXPECT_EQ(resolve(*url, "/x?y")->text(), "https://example.com/x?y");
  EXPECT_EQ(resolve(*url, "x")->text(), "https://example.com/a/x");
  EXPECT_EQ(resolve(*url, "//other/x")->text(), "https://other/x");
}

}  // namespace
}  // namespace helve::gateway
