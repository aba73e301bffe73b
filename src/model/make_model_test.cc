#include "model/make_model.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "model/local_servers.h"
#include "model/testing.h"

namespace helve::model {
namespace {

const std::string kReply =
    stream_head() + data_events({R"({"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]})"});
const std::string kMessage =
    stream_head() +
    named_events({R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi"}})",
                  R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})",
                  R"({"type":"message_stop"})"});

class MakeModelTest : public ::testing::Test {
 protected:
  Expected<ChosenModel> make(const ModelSettings& settings, std::vector<std::uint16_t> ports = {}) {
    return make_model(settings,
                      {.variables =
                           [this](const char* name) {
                             const auto found = variables_.find(name);
                             return found != variables_.end() ? found->second : std::string();
                           },
                       .ports = std::move(ports),
                       .retries = {.more_tries = 0}},
                      {});
  }
  static Expected<Reply> ask(const Expected<ChosenModel>& chosen) {
    return chosen->model->reply({.turns = {UserTurn{"Hi"}}}, {}, {});
  }

  std::map<std::string, std::string> variables_;
};

std::vector<Script> ollama(const std::string& ps, const std::string& show) {
  return {{.bytes = whole_answer(200, R"({"models":[{"name":"small:latest"},{"name":"big:7b"}]})"),
           .path = "/api/tags"},
          {.bytes = whole_answer(200, ps), .path = "/api/ps"},
          {.bytes = whole_answer(200, show), .path = "/api/show"},
          {.bytes = kReply, .path = "/v1/chat/completions"}};
}
std::vector<Script> llama_server(int context) {
  return {
      {.bytes = whole_answer(200, R"({"object":"list","data":[{"id":"model.gguf","owned_by":"llamacpp"}]})"),
       .path = "/v1/models"},
      {.bytes = whole_answer(200, concat(R"({"default_generation_settings":{"n_ctx":)", context, "}}")),
       .path = "/props"},
      {.bytes = kReply, .path = "/v1/chat/completions"},
      {.bytes = kMessage, .path = "/v1/messages"}};
}

TEST_F(MakeModelTest, FindsOllamaAndPrefersLoadedModels) {
  const ScriptedServer server(ollama(R"({"models":[{"name":"big:7b","context_length":32768}]})", "{}"));
  variables_["OPENAI_API_KEY"] = "not-for-you";
  const auto chosen = make({}, {server.port()});
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(chosen->model->name(), "big:7b");
  EXPECT_EQ(chosen->model->context_window(), 32768);
  EXPECT_EQ(chosen->place, concat("Ollama at 127.0.0.1:", server.port()));
  ASSERT_EQ(chosen->warnings.size(), 1U);
  EXPECT_EQ(chosen->warnings[0], concat("The server at 127.0.0.1:", server.port(),
                                        " has 2 models; using big:7b. Set model.name to choose another"));
  const auto reply = ask(chosen);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "Hi");
  for (const std::string& request : server.requests()) EXPECT_FALSE(request.contains("not-for-you"));
}

TEST_F(MakeModelTest, WarnsAboutASmallContext) {
  const ScriptedServer set(
      ollama("{}", R"({"parameters":"stop \"x\"\nnum_ctx                        8192"})"));
  const auto small = make({.name = "small"}, {set.port()});
  ASSERT_TRUE(small) << small.error().message;
  EXPECT_EQ(small->model->context_window(), 8192);
  ASSERT_EQ(small->warnings.size(), 1U);
  EXPECT_EQ(small->warnings[0],
            "Ollama gives small a context of only 8,192 tokens, too few for most tasks; start Ollama with "
            "OLLAMA_CONTEXT_LENGTH=32768");
  const ScriptedServer unknown(ollama("{}", "{}"));
  const auto unsaid = make({.name = "small"}, {unknown.port()});
  ASSERT_TRUE(unsaid);
  EXPECT_EQ(unsaid->model->context_window(), std::nullopt);
  ASSERT_EQ(unsaid->warnings.size(), 1U);
  EXPECT_TRUE(unsaid->warnings[0].starts_with("Ollama does not report the context size of small"));
  const ScriptedServer llama(llama_server(4096));
  const auto tiny = make({}, {llama.port()});
  ASSERT_TRUE(tiny);
  ASSERT_EQ(tiny->warnings.size(), 1U);
  EXPECT_TRUE(tiny->warnings[0].ends_with("start llama-server with -c 32768")) << tiny->warnings[0];
}

TEST_F(MakeModelTest, FindsOtherServersInPortOrder) {
  const ScriptedServer llama(llama_server(65536));
  const ScriptedServer vllm(
      {{.bytes =
            whole_answer(200, R"({"data":[{"id":"org/model","owned_by":"vllm","max_model_len":40960}]})"),
        .path = "/v1/models"}});
  const ScriptedServer website({{.bytes = whole_answer(200, "<html>"), .path = "/v1/models"}});
  const auto first = make({}, {website.port(), llama.port(), vllm.port()});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->model->name(), "model.gguf");
  EXPECT_EQ(first->model->context_window(), 65536);
  EXPECT_EQ(first->place, concat("llama-server at 127.0.0.1:", llama.port()));
  EXPECT_TRUE(first->warnings.empty());
  const auto named = make({.name = "org/model"}, {llama.port(), vllm.port()});
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_EQ(named->model->context_window(), 40960);
}

TEST_F(MakeModelTest, DoesNotWaitLongForASilentServer) {
  const ScriptedServer silent({{.waits = true}, {.waits = true}, {.waits = true}});
  const ScriptedServer llama(llama_server(65536));
  const auto chosen = make({}, {silent.port(), llama.port()});
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(chosen->model->name(), "model.gguf");
  EXPECT_LE(silent.requests().size(), 1U);
}

TEST_F(MakeModelTest, ExplainsWhatToSetWhenNoModelIsFound) {
  const auto none = make({}, {1});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(none.error().message, "No model is set, and no model server was found on this machine (ports 1)");
  for (const std::string_view where : {"--model", "helve config paths", "OPENAI_API_KEY or ANTHROPIC_API_KEY",
                                       "model.base_url", "man settings"})
    EXPECT_TRUE(none.error().hint.contains(where)) << where;
  variables_["ANTHROPIC_API_KEY"] = "k";
  EXPECT_EQ(make({}, {1}).error().hint, "ANTHROPIC_API_KEY is set: choose a model for it with --model");
  const auto unnamed = make({.provider = ModelProvider::kAnthropic});
  ASSERT_FALSE(unnamed);
  EXPECT_EQ(unnamed.error().message, "The provider is set to anthropic, but no model is set");
}

TEST_F(MakeModelTest, TheModelNameSelectsTheProvider) {
  variables_ = {{"ANTHROPIC_API_KEY", "a"}, {"OPENAI_API_KEY", "o"}};
  const auto claude = make({.name = "claude-x"});
  ASSERT_TRUE(claude) << claude.error().message;
  EXPECT_EQ(claude->place, "api.anthropic.com");
  EXPECT_EQ(claude->model->context_window(), 200'000);
  const auto gpt = make({.name = "gpt-x", .context_window = 1000});
  ASSERT_TRUE(gpt);
  EXPECT_EQ(gpt->place, "api.openai.com");
  EXPECT_EQ(gpt->model->context_window(), 1000);
  variables_.clear();
  const auto keyless = make({.name = "claude-x"});
  ASSERT_FALSE(keyless);
  EXPECT_EQ(keyless.error().message,
            "No API key for api.anthropic.com: the variable ANTHROPIC_API_KEY is not set");
  EXPECT_EQ(keyless.error().hint, "Set it. To use another variable, set model.key_variable.");
}

TEST_F(MakeModelTest, SendsKeysOnlyToTheirServer) {
  const ScriptedServer server(llama_server(65536));
  variables_ = {{"OPENAI_API_KEY", "usual-key"}, {"MINE", "my-key"}, {"TENANT", "t-1"}};
  auto chosen = make({.base_url = server.url("/v1/")});
  ASSERT_TRUE(chosen) << chosen.error().message;
  ASSERT_TRUE(ask(chosen));
  EXPECT_FALSE(server.requests().back().contains("usual-key"));
  EXPECT_TRUE(server.requests().back().starts_with("POST /v1/chat/completions "));
  ModelSettings named{.base_url = server.url(), .key_variable = "MINE"};
  named.headers = {{"X-Tenant", "$TENANT"}, {"X-Plain", "p"}};
  chosen = make(named);
  ASSERT_TRUE(chosen) << chosen.error().message;
  ASSERT_TRUE(ask(chosen));
  EXPECT_TRUE(server.requests().back().contains("Bearer my-key\r\n"));
  EXPECT_TRUE(server.requests().back().contains("X-Tenant: t-1\r\n"));
  EXPECT_TRUE(server.requests().back().contains("X-Plain: p\r\n"));
  EXPECT_EQ(make({.base_url = server.url(), .key_variable = "NOT_SET"}).error().code, ErrorCode::kNotFound);
  named.headers = {{"X-Tenant", "$NOBODY"}};
  EXPECT_EQ(make(named).error().message,
            "The header X-Tenant comes from the variable NOBODY, which is not set");
}

TEST_F(MakeModelTest, UsesTheAnthropicDialectIfSet) {
  const ScriptedServer server(llama_server(65536));
  for (const std::string_view path : {"", "/v1", "/v1/messages"}) {
    const auto chosen = make({.provider = ModelProvider::kAnthropic, .base_url = server.url(path)});
    ASSERT_TRUE(chosen) << chosen.error().message;
    const auto reply = ask(chosen);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_TRUE(server.requests().back().starts_with("POST /v1/messages ")) << path;
  }
}

TEST(Address, AcceptsCommonSpellings) {
  const Address address = read_address(" HTTPS://API.Example:8443/v1/chat/completions/ ").value();
  EXPECT_EQ(address.origin, "https://API.Example:8443");
  EXPECT_EQ(address.host, "api.example");
  EXPECT_EQ(address.path, "/v1");
  EXPECT_TRUE(address.is_encrypted);
  EXPECT_FALSE(address.is_loopback);
  EXPECT_TRUE(read_address("http://[::1]:8080")->is_loopback);
  EXPECT_TRUE(read_address("http://localhost")->is_loopback);
  EXPECT_FALSE(read_address("http://localhost.evil.example")->is_loopback);
  for (const char* const odd : {"", "api.example", "ftp://x", "http://", "http:///v1", "http://x/?a=b"})
    EXPECT_FALSE(read_address(odd)) << odd;
  const auto secret = read_address("https://me:secret@api.example");
  ASSERT_FALSE(secret);
  EXPECT_FALSE(to_text(secret.error().to_json()).contains("secret@"));
}

TEST(Cost, CountsCachedTokensAtTheirOwnPrice) {
  EXPECT_DOUBLE_EQ(cost_of({.input_tokens = 3'000'000, .cached_tokens = 1'000'000, .output_tokens = 500'000},
                           {.input = 2, .cached = 0.5, .output = 10}),
                   9.5);
  EXPECT_EQ(cost_of({.input_tokens = 5}, {}), 0);
}

TEST(ListenerOwner, ParsesTheKernelTable) {
  const std::string table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0100007F:1F90 00000000:0000 01 00000000:00000000 00:00000000 00000000  1111        0 1 1\n"
      "   1: 0200A8C0:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1222        0 1 1\n"
      "   2: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1333        0 1 1\n";
  EXPECT_EQ(listener_owner_in(table, 8080), 1333U);
  EXPECT_EQ(listener_owner_in(table, 8081), std::nullopt);
  EXPECT_EQ(listener_owner_in("nonsense", 8080), std::nullopt);
  const ScriptedServer server({});
  EXPECT_EQ(listener_owner(server.port()), ::geteuid());
  EXPECT_TRUE(is_trusted_owner(0));
  EXPECT_TRUE(is_trusted_owner(::geteuid()));
  EXPECT_FALSE(is_trusted_owner(::geteuid() == 1005 ? 1006 : 1005));
}

}  // namespace
}  // namespace helve::model
