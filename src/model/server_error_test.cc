#include "model/server_error.h"

#include <gtest/gtest.h>

namespace helve::model {
namespace {

const Endpoint kPaidServer{.place = "api.example",
                           .model = "big-1",
                           .key_variable = "SOME_KEY",
                           .key_source = "the variable SOME_KEY",
                           .keys_file = "/home/me/keys"};

Error error_for(int status, std::string_view body) { return answer_error(status, {}, body, kPaidServer); }

TEST(ServerError, NamesTheWrongKeyAndWhereToSetIt) {
  const Error wrong =
      error_for(401, R"({"error":{"message":"Incorrect API key","type":"invalid_request_error"}})");
  EXPECT_EQ(wrong.code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(wrong.message,
            "api.example does not accept the key from the variable SOME_KEY: Incorrect API key");
  EXPECT_EQ(
      wrong.hint,
      "Set the variable SOME_KEY to a valid key, or write SOME_KEY=… into /home/me/keys and run chmod 600 "
      "on it. To use another variable, set model.key_variable.");
  EXPECT_EQ(wrong.kind, ErrorKind::kModelKey);
  EXPECT_FALSE(wrong.transient);
  Endpoint keyless = kPaidServer;
  keyless.key_source = "";
  EXPECT_EQ(answer_error(401, {}, "", keyless).message, "api.example requires an API key, but none is set");
}

TEST(ServerError, DistinguishesAnUnknownModelFromAWrongAddress) {
  const Error model = error_for(404, R"({"error":{"message":"The model `big-1` does not exist"}})");
  EXPECT_EQ(model.code, ErrorCode::kNotFound);
  EXPECT_EQ(model.message, "api.example has no model named big-1: The model `big-1` does not exist");
  const Error address = error_for(404, "<html>nothing here</html>");
  EXPECT_EQ(address.message, "api.example has no model API at this address (status 404)");
  EXPECT_EQ(address.hint, "Correct model.base_url; for most servers it ends in /v1.");
}

TEST(ServerError, RecognizesAllReportsOfAFullContext) {
  struct Case {
    int status;
    const char* body;
    int prompt;
    int context;
  };
  for (
      const Case& each : {
          Case{
              400,
              R"({"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}})",
              9000, 4096},
          Case{
              400,
              R"({"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130,001 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}})",
              130'001, 128'000},
          Case{
              400,
              R"({"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).","code":400})",
              5000, 4096},
          Case{
              400,
              R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})",
              210'000, 200'000},
          Case{
              413,
              R"({"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}})",
              0, 0},
      }) {
    const Error error = error_for(each.status, each.body);
    EXPECT_TRUE(is_context_full(error)) << each.body;
    EXPECT_FALSE(error.transient);
    if (each.context == 0) continue;
    EXPECT_EQ(error.details.find("promptTokens")->as_integer(), each.prompt) << each.body;
    EXPECT_EQ(error.details.find("contextTokens")->as_integer(), each.context) << each.body;
  }
  EXPECT_EQ(
      error_for(400, R"({"error":{"type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}})")
          .message,
      "The conversation no longer fits into the model's context: it has 9,000 tokens, and the limit "
      "is 4,096");
  EXPECT_FALSE(is_context_full(error_for(400, R"({"error":{"message":"unknown parameter"}})")));
}

TEST(ServerError, HintsAtMissingLocalServerOptions) {
  EXPECT_EQ(
      error_for(400, R"({"message":"\"auto\" tool choice requires --enable-auto-tool-choice to be set"})")
          .hint,
      "Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model.");
  EXPECT_EQ(error_for(400, R"({"error":{"message":"x does not support tools"}})").hint,
            "Choose a model that can call tools.");
  EXPECT_EQ(error_for(422, R"({"detail":[{"msg":"Field required"}]})").message,
            R"(api.example rejected the request (status 422): [{"msg":"Field required"}])");
}

TEST(ServerError, ReportsQuotasAndRedirects) {
  EXPECT_EQ(error_for(429, R"({"error":{"message":"x","type":"insufficient_quota"}})").kind,
            ErrorKind::kModelQuota);
  EXPECT_EQ(error_for(402, "").kind, ErrorKind::kModelQuota);
  EXPECT_EQ(error_for(429, "").kind, ErrorKind::kModelRateLimit);
  EXPECT_TRUE(error_for(429, "").transient);
  EXPECT_EQ(error_for(302, "").message, "api.example redirects to another address (status 302)");
  EXPECT_EQ(error_for(503, R"({"error":{"message":"Loading model"}})").message,
            "api.example is still loading the model: Loading model");
  EXPECT_TRUE(error_for(407, "").hint.contains("model.proxy"));
}

TEST(ServerError, ShortensLongReportsAndRedactsTokens) {
  EXPECT_LT(error_for(500, std::string(100'000, 'x')).message.size(), 1000U);
  EXPECT_FALSE(error_for(401, R"({"error":"sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD is wrong"})")
                   .message.contains("abcdefghijklmnop"));
}

}  // namespace
}  // namespace helve::model
