#include "model/remote_model.h"

#include <gtest/gtest.h>

#include "model/dialect.h"
#include "model/testing.h"

namespace helve::model {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kKey = "key-that-nobody-may-see";

class RemoteModelTest : public ::testing::Test {
 protected:
  // A model at a server that plays these scripts, with very short pauses.
  void serve(std::vector<Script> scripts, std::unique_ptr<Dialect> dialect = openai_dialect(),
             RetryRules rules = {.first_pause = milliseconds(1), .longest_pause = milliseconds(2)}) {
    server_ = std::make_unique<ScriptedServer>(std::move(scripts));
    const std::string url = server_->url(concat("/base", dialect->path()));
    model_ = remote_model(std::move(dialect), {.url = url,
                                               .key = std::string(kKey),
                                               .headers = {{"X-Extra", "extra-secret"}},
                                               .request = {.model = "m"},
                                               .endpoint = {.place = "test.example",
                                                            .model = "m",
                                                            .key_variable = "TEST_KEY",
                                                            .key_source = "the variable TEST_KEY"},
                                               .context_window = 1000,
                                               .retries = rules});
  }
  Expected<Reply> ask() {
    const Listener listener = recorded_.listener();
    return model_->reply({.turns = {UserTurn{"Hi"}}}, listener, stop_.get_token());
  }

  ListenerLog recorded_;
  std::stop_source stop_;
  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<Model> model_;
};

const std::vector<std::string> kChat = {
    R"({"choices":[{"delta":{"role":"assistant","content":null}}]})",
    R"({"choices":[{"delta":{"reasoning_content":"думаю"}}]})",
    R"({"choices":[{"delta":{"content":"Grüße 🙂 "}}]})",
    R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"exec","arguments":""}}]}}]})",
    R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"command\":\"echo ü\"}"}}]}}]})",
    R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})",
    R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7}})",
    "[DONE]"};
const std::string kChatSummary =
    R"(text=Grüße 🙂  thought=думаю call=a:exec:{"command":"echo ü"} stop=calls usage=9/0/7)";
const std::string kChatHeard = "thought:думаю|text:Grüße 🙂 |call:exec|";

const std::vector<std::string> kMessages = {
    R"({"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}})",
    R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})",
    R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"думаю"}})",
    R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
    R"({"type":"ping"})",
    R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Grüße 🙂 "}})",
    R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"a","name":"exec","input":{}}})",
    R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"echo ü\"}"}})",
    R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}})",
    R"({"type":"message_stop"})"};

std::vector<std::string> first(const std::vector<std::string>& events, std::ptrdiff_t count) {
  return {events.begin(), events.begin() + count};
}

TEST_F(RemoteModelTest, ReadsEveryFramingAlike) {
  for (const std::string_view line_end : {"\n", "\r\n", "\r"}) {
    for (const std::size_t piece : {0, 1, 2, 7}) {
      recorded_ = {};
      serve({{.bytes = stream_head() + data_events(kChat, line_end), .piece = piece}});
      const auto reply = ask();
      ASSERT_TRUE(reply) << reply.error().message;
      EXPECT_EQ(summary(*reply), kChatSummary);
      EXPECT_EQ(recorded_.log, kChatHeard);
      recorded_ = {};
      serve({{.bytes = stream_head() + named_events(kMessages, line_end), .piece = piece}},
            anthropic_dialect());
      const auto other = ask();
      ASSERT_TRUE(other) << other.error().message;
      EXPECT_EQ(summary(*other), kChatSummary);
      EXPECT_EQ(recorded_.log, kChatHeard);
    }
  }
}

TEST_F(RemoteModelTest, SendsKeyHeadersAndBody) {
  serve({{.bytes = stream_head() + data_events(kChat)}});
  ASSERT_TRUE(ask());
  const std::string request = server_->requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /base/chat/completions HTTP/1.1\r\n")) << request;
  EXPECT_TRUE(request.contains(concat("\r\nAuthorization: Bearer ", kKey, "\r\n")));
  EXPECT_TRUE(request.contains("\r\nX-Extra: extra-secret\r\n"));
  EXPECT_EQ(server_->body(0).find("model")->as_string(), "m");
  serve({{.bytes = stream_head() + named_events(kMessages)}}, anthropic_dialect());
  ASSERT_TRUE(ask());
  const std::string other = server_->requests().at(0);
  EXPECT_TRUE(other.starts_with("POST /base/v1/messages HTTP/1.1\r\n")) << other;
  EXPECT_TRUE(other.contains(concat("\r\nx-api-key: ", kKey, "\r\n")));
  EXPECT_TRUE(other.contains("\r\nanthropic-version: 2023-06-01\r\n"));
}

TEST_F(RemoteModelTest, AcceptsAnswersWithoutStreaming) {
  serve(
      {{.bytes = whole_answer(
            200,
            R"({"choices":[{"message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}})")}});
  auto reply = ask();
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(summary(*reply), "text=Hi thought= call=a:ls:{} stop=calls usage=1/0/2");
  EXPECT_EQ(recorded_.log, "text:Hi|call:ls|");
  serve(
      {{.bytes = whole_answer(
            200,
            R"({"type":"message","content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"a","name":"ls","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}})")}},
      anthropic_dialect());
  reply = ask();
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(summary(*reply), "text=Hi thought= call=a:ls:{} stop=calls usage=1/0/2");
}

TEST_F(RemoteModelTest, DetectsTheFormatWithoutAContentType) {
  serve(
      {{.bytes = concat("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\n", data_events(kChat)), .piece = 1}});
  auto reply = ask();
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(summary(*reply), kChatSummary);
  serve({{.bytes = whole_answer(200, "<html>Welcome</html>", "", "text/html")}});
  reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(
      reply.error().message,
      "The reply of test.example cannot be read: it is a web page; it begins with <html>Welcome</html>");
}

TEST_F(RemoteModelTest, DoesNotWaitForAnOpenConnectionAfterTheEnd) {
  serve({{.bytes = stream_head() + data_events(kChat), .waits = true}});
  const auto reply = ask();
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(summary(*reply), kChatSummary);
}

TEST_F(RemoteModelTest, ReportsCutOffRepliesWithoutRetryAfterOutput) {
  // Cuts the stream at every event before the stop reason.
  for (std::ptrdiff_t count = 3; count <= 5; ++count) {
    recorded_ = {};
    serve({{.bytes = stream_head() + data_events(first(kChat, count))}, {.bytes = stream_head()}});
    const auto reply = ask();
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().message,
              "The reply of test.example was cut off: the stream ended before the reply did");
    EXPECT_EQ(reply.error().hint, "None of its calls ran. Try again.");
    EXPECT_EQ(reply.error().kind, ErrorKind::kModelReplyCut);
    EXPECT_EQ(server_->requests().size(), 1U);
  }
  serve({{.bytes = stream_head() + named_events(first(kMessages, 8))}}, anthropic_dialect());
  EXPECT_FALSE(ask());
  EXPECT_EQ(server_->requests().size(), 1U);
  // Cut in the middle of an event and of a chunk.
  serve({{.bytes = stream_head("Content-Length: 5000\r\n") + data_events(first(kChat, 4)) + "data: {\"cho"}});
  const auto half = ask();
  ASSERT_FALSE(half);
  EXPECT_TRUE(half.error().message.starts_with("The reply of test.example was cut off: "))
      << half.error().message;
  EXPECT_EQ(server_->requests().size(), 1U);
}

TEST_F(RemoteModelTest, AReplyWithoutDoneIsComplete) {
  serve({{.bytes = stream_head() + data_events(first(kChat, 6))}});
  const auto reply = ask();
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->calls.size(), 1U);
}

TEST_F(RemoteModelTest, RetriesARequestCutBeforeTheFirstOutput) {
  serve({{.bytes = stream_head() + data_events(first(kChat, 1))},
         {.bytes = stream_head()},
         {.bytes = stream_head() + data_events(kChat)}});
  const auto reply = ask();
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(summary(*reply), kChatSummary);
  EXPECT_EQ(server_->requests().size(), 3U);
  ASSERT_EQ(recorded_.problems.size(), 2U);
  EXPECT_EQ(server_->requests()[0], server_->requests()[2]);
}

TEST_F(RemoteModelTest, RetriesTransientErrors) {
  serve({{.bytes = whole_answer(429, R"({"error":{"message":"slow down"}})", "retry-after-ms: 3\r\n")},
         {.bytes = whole_answer(
              529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})")},
         {.bytes = stream_head() + data_events(kChat)}});
  const auto reply = ask();
  ASSERT_TRUE(reply) << reply.error().message;
  ASSERT_EQ(recorded_.problems.size(), 2U);
  EXPECT_EQ(recorded_.problems[0].message,
            "test.example is limiting requests; it asks to wait 1 second: slow down");
  EXPECT_EQ(recorded_.pauses[0], milliseconds(3));
  EXPECT_EQ(recorded_.problems[1].message, "test.example is overloaded: Overloaded");
  EXPECT_LE(recorded_.pauses[1], milliseconds(2));
}

TEST_F(RemoteModelTest, GivesUpAfterThreeTries) {
  serve(std::vector<Script>(5, {.bytes = whole_answer(503, "down")}));
  const auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "test.example failed (status 503): down");
  EXPECT_EQ(reply.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(server_->requests().size(), 3U);
}

TEST_F(RemoteModelTest, DoesNotRetryPermanentErrors) {
  for (const std::string& answer :
       {whole_answer(400, R"({"error":{"message":"bad"}})"),
        whole_answer(503, "down", "x-should-retry: false\r\n"),
        whole_answer(503, R"({"error":{"message":"no","code":"no_fixture_match"}})"),
        whole_answer(429, R"({"error":{"message":"no","code":"insufficient_quota"}})"),
        whole_answer(429, R"({"error":{"message":"later"}})", "retry-after: 3600\r\n")}) {
    serve(std::vector<Script>(3, {.bytes = answer}));
    EXPECT_FALSE(ask());
    EXPECT_EQ(server_->requests().size(), 1U) << answer;
  }
  serve({{.bytes = whole_answer(400, "{}", "x-should-retry: true\r\n")},
         {.bytes = stream_head() + data_events(kChat)}});
  EXPECT_TRUE(ask());
}

TEST_F(RemoteModelTest, StopsRequestingUsageIfTheServerRejectsIt) {
  serve({{.bytes = whole_answer(422, R"({"detail":"extra field stream_options is not allowed"})")},
         {.bytes = stream_head() + data_events(kChat)},
         {.bytes = stream_head() + data_events(kChat)}});
  EXPECT_TRUE(ask());
  EXPECT_TRUE(ask());
  EXPECT_NE(server_->body(0).find("stream_options"), nullptr);
  EXPECT_EQ(server_->body(1).find("stream_options"), nullptr);
  EXPECT_EQ(server_->body(2).find("stream_options"), nullptr);
  serve(std::vector<Script>(3, {.bytes = whole_answer(400, "stream_options")}));
  EXPECT_FALSE(ask());
  EXPECT_EQ(server_->requests().size(), 2U);
}

TEST_F(RemoteModelTest, LimitsSilence) {
  server_ = std::make_unique<ScriptedServer>(std::vector<Script>{{.waits = true}});
  const auto model =
      remote_model(openai_dialect(), {.url = server_->url(), .silence_time = milliseconds(50)});
  const auto reply = model->reply({}, {}, {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(reply.error().hint.ends_with("To wait longer, raise model.silence_seconds."))
      << reply.error().hint;
}

TEST_F(RemoteModelTest, RetriesErrorsInsideAStreamBeforeTheFirstOutput) {
  const std::string busy = R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})";
  serve({{.bytes = stream_head() + named_events({kMessages[0], busy})},
         {.bytes = stream_head() + named_events(kMessages)}},
        anthropic_dialect());
  EXPECT_TRUE(ask());
  EXPECT_EQ(server_->requests().size(), 2U);
  std::vector<std::string> events = first(kMessages, 6);
  events.push_back(busy);
  serve({{.bytes = stream_head() + named_events(events)}, {.bytes = stream_head() + named_events(kMessages)}},
        anthropic_dialect());
  const auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "test.example is overloaded: Overloaded");
  EXPECT_EQ(server_->requests().size(), 1U);
}

TEST_F(RemoteModelTest, StopsInTheMiddleOfAReply) {
  serve({{.bytes = stream_head() + data_events(first(kChat, 3)), .waits = true}});
  const Listener listener{.on_text = [&](std::string_view) { stop_.request_stop(); }};
  const auto reply = model_->reply({.turns = {UserTurn{"Hi"}}}, listener, stop_.get_token());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(server_->requests().size(), 1U);
}

TEST_F(RemoteModelTest, StopsWhileWaitingForTheFirstByteOrTheNextAttempt) {
  serve({{.bytes = "", .waits = true}});
  {
    std::jthread other([&] {
      while (server_->requests().empty()) std::this_thread::sleep_for(milliseconds(1));
      stop_.request_stop();
    });
    const auto reply = ask();
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::kCancelled);
  }
  stop_ = {};
  serve({{.bytes = whole_answer(503, "")}}, openai_dialect(),
        {.first_pause = std::chrono::hours(1), .longest_pause = std::chrono::hours(1)});
  const Listener listener{.on_retry = [&](const Error&, milliseconds) { stop_.request_stop(); }};
  const auto reply = model_->reply({.turns = {UserTurn{"Hi"}}}, listener, stop_.get_token());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(reply.error().message, "The request to test.example was cancelled between two attempts");
}

TEST_F(RemoteModelTest, TreatsLengthWithAFullWindowAsContextFull) {
  const std::string usage = R"({"choices":[],"usage":{"prompt_tokens":900,"completion_tokens":100}})";
  serve({{.bytes =
              stream_head() +
              data_events({R"({"choices":[{"delta":{"content":"x"},"finish_reason":"length"}]})", usage})}});
  EXPECT_EQ(ask().value().stop, StopReason::kContextFull);
  serve({{.bytes = stream_head() +
                   data_events({R"({"choices":[{"delta":{"content":"x"},"finish_reason":"length"}]})"})}});
  EXPECT_EQ(ask().value().stop, StopReason::kLength);
}

TEST_F(RemoteModelTest, RedactsKeysInErrors) {
  const std::string echoed =
      concat(R"({"error":{"message":"Bad key )", kKey, R"( with extra-secret","type":"x )", kKey, R"("}})");
  std::vector<std::string> answers = {stream_head() + data_events({echoed}),
                                      stream_head() + data_events({concat("no JSON ", kKey)}),
                                      whole_answer(200, concat("<", kKey))};
  for (const int status : {400, 401, 403, 404, 413, 429, 500})
    for (const std::string& body : {echoed, concat("plain ", kKey, " extra-secret")})
      answers.push_back(whole_answer(status, body));
  for (const std::string& answer : answers) {
    recorded_ = {};
    serve(std::vector<Script>(3, {.bytes = answer}));
    const auto reply = ask();
    ASSERT_FALSE(reply);
    std::string all = to_text(reply.error().to_json());
    for (const Error& problem : recorded_.problems) all += to_text(problem.to_json());
    EXPECT_FALSE(all.contains(kKey) || all.contains("extra-secret")) << all;
  }
}

TEST_F(RemoteModelTest, ExplainsWhatToCheckWithoutAServer) {
  serve({});
  server_.reset();
  const auto reply = ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(reply.error().message.starts_with("Cannot connect to 127.0.0.1:")) << reply.error().message;
  EXPECT_TRUE(reply.error().hint.ends_with(" Check model.base_url, model.proxy and model.ca_file."))
      << reply.error().hint;
  EXPECT_EQ(recorded_.problems.size(), 2U);
}

}  // namespace
}  // namespace helve::model
