#include "base/redact.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(Redact, RemovesSecretsInCommonForms) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"password=hunter2 next", "password=[redacted] next"},
      {"password = \"hunter2\"", "password = [redacted]"},
      {"db_password : x", "db_password : [redacted]"},
      {"{\"password\" : \"x y\"}", "{\"password\" : [redacted]}"},
      {"pwd=x;", "pwd=[redacted];"},
      {"DJANGO_SECRET_KEY=x y", "DJANGO_SECRET_KEY=[redacted] y"},
      {"credentials: abc", "credentials: [redacted]"},
      {R"({"password":"a\"b","next":1})", R"({"password":[redacted],"next":1})"},
      {"API_KEY=sesame ./run", "API_KEY=[redacted] ./run"},
      {"./run --token s3cr3t -v", "./run --token [redacted] -v"},
      {"Authorization: Bearer abcdef123", "Authorization: Bearer [redacted]"},
      {"curl -H 'X: Bearer abcdefgh12'", "curl -H 'X: Bearer [redacted]'"},
      {"https://me:pw@host/x", "https://me:[redacted]@host/x"},
      {"https://abcdefghijklmnopqrst@host/x", "https://[redacted]@host/x"},
      {"ghp_0123456789abcdefghijABCDEFGHIJ", "[redacted]"},
      {"key is AKIAABCDEFGHIJKLMNOP.", "key is [redacted]"},
  };
  for (const auto& [text, expected] : table) EXPECT_EQ(redact_text(text), expected);
}

TEST(Redact, LeavesOrdinaryTextAlone) {
  for (const char* text : {"max_tokens=100", "the basic idea", "git@github.com:me/x.git", "ssh://git@host/x",
                           "password", "tokens: 3", "sk-short", "a = b", "read the secret garden", "--token"})
    EXPECT_EQ(redact_text(text), text);
}

TEST(Redact, ReplacesLongStringsAndNamedMembers) {
  const Json redacted =
      redact_json(JsonObject{{"apiKey", "x"}, {"text", std::string(600, 'x')}, {"max_tokens", 3}}, 500);
  EXPECT_EQ(*redacted.find("apiKey"), Json("[redacted]"));
  EXPECT_EQ(redacted.find("text")->as_string().substr(0, 24), "[600 characters, sha256 ");
  EXPECT_EQ(*redacted.find("max_tokens"), Json(3));
}

}  // namespace
}  // namespace helve
