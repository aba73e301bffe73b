#include "http/guard.h"

#include <gtest/gtest.h>

#include "base/strings.h"

#include <string>

namespace helve::http {
namespace {

int status_of(const Guard& guard, Headers headers) {
  const Request request{.method = "POST", .path = "/", .headers = std::move(headers)};
  const auto refused = guard.refusal(request);
  if (!refused) return 200;
  for (const auto& [name, value] : refused->headers) EXPECT_FALSE(name.starts_with("Access-Control"));
  EXPECT_TRUE(refused->body.starts_with("{\"error\":")) << refused->body;
  return refused->status;
}

int host(const std::string& value, const Guard& guard = {}) { return status_of(guard, {{"Host", value}}); }
int origin(const std::string& value, const Guard& guard = {}) {
  return status_of(guard, {{"Host", "localhost"}, {"Origin", value}});
}

TEST(Guard, AllowsLoopbackHostsInEverySpelling) {
  for (const std::string name :
       {"localhost", "LOCALHOST:1", "localhost.", "localhost.:8080", "127.0.0.1", "127.0.0.1:65535",
        "127.0.0.1.", "[::1]", "[::1]:80", "[0:0:0:0:0:0:0:1]:80", "[0000::0001]", "localhost:"})
    EXPECT_EQ(host(name), 200) << name;
}

TEST(Guard, RefusesEveryOtherHost) {
  for (const std::string name : {"evil.example",
                                 "evil.example:80",
                                 "localhost.evil.example",
                                 "evil-localhost",
                                 "localhost@evil",
                                 "evil@localhost",
                                 "user:p@localhost",
                                 "",
                                 ".",
                                 "..",
                                 "localhost..",
                                 "localhost:80:80",
                                 "localhost:x",
                                 "localhost:123456",
                                 "127.0.0.2",
                                 "127.1",
                                 "0",
                                 "0.0.0.0",
                                 "2130706433",
                                 "0x7f.0.0.1",
                                 "::1",
                                 "[::1",
                                 "[::1]x",
                                 "[::2]",
                                 "[::1%25lo]",
                                 "[::]",
                                 "[::ffff:127.0.0.1]",
                                 "[127.0.0.1]",
                                 "[localhost]",
                                 "local host",
                                 "localhost ",
                                 " localhost",
                                 "localhost/x",
                                 "localhost#",
                                 "localhost,evil",
                                 "xn--localhost",
                                 "localhost%00"})
    EXPECT_EQ(host(name), 403) << name;
  EXPECT_EQ(host(std::string("localhost\0", 10)), 403);
  EXPECT_EQ(status_of({}, {}), 403);
  EXPECT_EQ(status_of({}, {{"Host", "localhost"}, {"host", "localhost"}}), 403);
}

TEST(Guard, AllowsConfiguredHosts) {
  const Guard guard{.hosts = {"Box.lan", "other:8080", "[fd00::1]"}};
  EXPECT_EQ(host("box.LAN.:99", guard), 200);
  EXPECT_EQ(host("other:8080", guard), 200);
  EXPECT_EQ(host("other", guard), 403);
  EXPECT_EQ(host("other:80", guard), 403);
  EXPECT_EQ(host("[FD00:0::1]:5", guard), 200);
  EXPECT_EQ(host("x.box.lan", guard), 403);
  EXPECT_EQ(host("localhost", guard), 200);
}

TEST(Guard, AllowsLoopbackOrigins) {
  EXPECT_EQ(status_of({}, {{"Host", "localhost"}}), 200);
  for (const std::string value : {"http://localhost", "https://localhost:3000", "http://127.0.0.1:1",
                                  "http://[::1]:5", "HTTP://LOCALHOST"})
    EXPECT_EQ(origin(value), 200) << value;
  for (const std::string value :
       {"null", "", "*", "http://evil.example", "https://localhost.evil.example",
        "http://localhost@evil.example", "http://localhost/", "http://localhost http://evil", "file://",
        "file://localhost", "chrome-extension://abc", "localhost", "//localhost", "http:localhost",
        "http://localhost:3000#", "http://127.0.0.1.evil.example"})
    EXPECT_EQ(origin(value), 403) << value;
  EXPECT_EQ(status_of({}, {{"Host", "localhost"}, {"Origin", "http://localhost"}, {"Origin", "http://evil"}}),
            403);
}

TEST(Guard, AllowsConfiguredOrigins) {
  const Guard guard{.origins = {"https://app.example", "chrome-extension://abc", "http://dev.example:80"}};
  EXPECT_EQ(origin("https://APP.example", guard), 200);
  EXPECT_EQ(origin("https://app.example:443", guard), 200);
  EXPECT_EQ(origin("http://dev.example", guard), 200);
  EXPECT_EQ(origin("chrome-extension://abc", guard), 200);
  EXPECT_EQ(origin("http://app.example", guard), 403);
  EXPECT_EQ(origin("https://app.example:444", guard), 403);
  EXPECT_EQ(origin("https://x.app.example", guard), 403);
  EXPECT_EQ(origin("null", guard), 403);
}

TEST(Guard, RequiresTheToken) {
  const Guard guard{.token = "s3cret"};
  const auto with = [&](const std::string& value) {
    return status_of(guard, {{"Host", "localhost"}, {"Authorization", value}});
  };
  EXPECT_EQ(with("Bearer s3cret"), 200);
  EXPECT_EQ(with("bearer   s3cret"), 200);
  for (const std::string value : {"Bearer s3cre", "Bearer s3cretx", "Bearer S3cret", "Bearer", "Bearer ",
                                  "Basic s3cret", "s3cret", "", "Bearer s3cret s3cret", "Bearers3cret"})
    EXPECT_EQ(with(value), 401) << value;
  EXPECT_EQ(status_of(guard, {{"Host", "localhost"}}), 401);
  EXPECT_EQ(status_of(guard, {{"Host", "localhost"},
                              {"Authorization", "Bearer s3cret"},
                              {"Authorization", "Bearer other"}}),
            401);
  // A refused host does not learn that a token exists.
  EXPECT_EQ(status_of(guard, {{"Host", "evil"}}), 403);
}

TEST(Guard, ExplainsWhatToDo) {
  const Request request{.headers = {{"Host", "evil.example"}}};
  EXPECT_EQ(Guard{}.refusal(request)->body,
            "{\"error\":\"The host 'evil.example' is not allowed: use localhost or 127.0.0.1, or start "
            "the server with --host NAME.\"}");
  Guard guard{.token = "t"};
  Request local{.headers = {{"Host", "localhost"}}};
  EXPECT_EQ(*guard.refusal(local)->headers.find("www-authenticate"), "Bearer");
  guard.resource_metadata = "https://a.example/.well-known/oauth-protected-resource";
  EXPECT_EQ(*guard.refusal(local)->headers.find("www-authenticate"),
            "Bearer resource_metadata=\"https://a.example/.well-known/oauth-protected-resource\"");
  local.headers.add("Authorization", "Bearer wrong");
  const auto refused = guard.refusal(local);
  EXPECT_EQ(*refused->headers.find("www-authenticate"),
            "Bearer error=\"invalid_token\", "
            "resource_metadata=\"https://a.example/.well-known/oauth-protected-resource\"");
  EXPECT_FALSE(refused->body.contains("wrong"));
  EXPECT_EQ(refused->body,
            "{\"error\":\"The token is not valid: send the one in the file serve-token of the server's state "
            "directory (see helve config paths).\"}");
}

TEST(Guard, AnOpenPathIsReadableWithoutAToken) {
  const Guard guard{.token = "own", .open_paths = {"/health"}};
  const auto status = [&](std::string method, std::string path, Headers more = {}) {
    Request request{.method = std::move(method), .path = std::move(path), .headers = std::move(more)};
    request.headers.add("Host", "localhost");
    return guard.refusal(request).value_or(Response()).status;
  };
  EXPECT_EQ(status("GET", "/health"), 200);
  EXPECT_EQ(status("HEAD", "/health", {{"Content-Length", "0"}}), 200);
  EXPECT_EQ(status("GET", "/health", {{"Content-Length", "9"}}), 401);
  EXPECT_EQ(status("GET", "/health", {{"Transfer-Encoding", "chunked"}}), 401);
  EXPECT_EQ(status("POST", "/health"), 401);
  EXPECT_EQ(status("GET", "/mcp"), 401);
}

TEST(Guard, ChecksOtherTokensWithCheckToken) {
  Guard guard{.token = "own", .open_paths = {"/other", "/open"}};
  guard.check_token = [](std::string_view token) -> std::optional<Guard::TokenProblem> {
    if (token == "good") return std::nullopt;
    if (token == "weak") return Guard::TokenProblem{.status = 403, .reason = "too weak", .scope = "a b"};
    return Guard::TokenProblem{.status = token == "odd" ? 503 : 401, .reason = "no"};
  };
  const auto with = [&](std::string_view token) {
    const auto refused =
        guard.refusal({.headers = {{"Host", "localhost"}, {"Authorization", concat("Bearer ", token)}}});
    return refused.value_or(Response());
  };
  EXPECT_EQ(with("own").status, 200);
  EXPECT_EQ(with("good").status, 200);
  EXPECT_EQ(with("bad").status, 401);
  EXPECT_EQ(with("odd").status, 503);
  EXPECT_NE(with("odd").headers.find("retry-after"), nullptr);
  EXPECT_EQ(with("weak").status, 403);
  EXPECT_EQ(*with("weak").headers.find("www-authenticate"),
            "Bearer error=\"insufficient_scope\", scope=\"a b\"");
  const Request open{.method = "GET", .path = "/open", .headers = {{"Host", "localhost"}}};
  EXPECT_FALSE(guard.refusal(open)) << "the metadata is public";
  guard.token.clear();
  EXPECT_EQ(guard.refusal({.headers = {{"Host", "localhost"}}})->status, 401);
}

TEST(Guard, RecognizesLoopbackNamesWithoutPort) {
  EXPECT_TRUE(is_loopback_name("LocalHost"));
  EXPECT_TRUE(is_loopback_name("::1"));
  EXPECT_TRUE(is_loopback_name("[::1]"));
  EXPECT_FALSE(is_loopback_name("localhost:80"));
  EXPECT_FALSE(is_loopback_name("10.0.0.1"));
}

}  // namespace
}  // namespace helve::http
