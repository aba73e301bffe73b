// The gateway's classes as the client that the MCP conformance suite starts, with a server's URL as the last
// argument and the scenario in the environment.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "gateway/connection.h"
#include "gateway/http_channel.h"
#include "gateway/oauth.h"
#include "http/client.h"
#include "http/url.h"

namespace {

using namespace helve;
using namespace helve::gateway;

constexpr const char* kClientDocument = "https://conformance-test.local/client-metadata.json";

// Says yes to everything and leaves every field to its default; "confirmed" is what one scenario wants.
class Yes final : public Asker {
 public:
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token&) override {
    Json form = JsonObject();
    if (const Json* properties = question.form.find("properties"))
      for (const auto& [name, property] : properties->as_object())
        if (text_member(property, "type") == "boolean" && property.find("default") == nullptr)
          form[name] = true;
    return Reply{.kind = Reply::Kind::kAnswered, .form = std::move(form)};
  }
};

// Plays the browser: opens the address and follows the redirection back to us.
void visit(const std::string& url) {
  http::Client client;
  std::string next = url;
  for (int i = 0; i < 5; ++i) {
    const auto response = client.send({.url = next, .total_time = std::chrono::seconds(10)}, {});
    if (!response || response->status < 300 || response->status >= 400) return;
    const std::string* location = response->headers.find("location");
    const auto base = http::Url::parse(next);
    const auto target = location != nullptr && base ? resolve(*base, *location) : std::nullopt;
    if (!target) return;
    next = target->text();
  }
}

class Client {
 public:
  Client(std::string url, Json context) : url_(std::move(url)), context_(std::move(context)) {}

  int run(const std::string& scenario) {
    auto oauth = OAuth::create({.server = "conformance",
                                .server_url = url_,
                                .settings = {.client_id = text_member(context_, "client_id"),
                                             .client_metadata_url = kClientDocument},
                                .client_secret = text_member(context_, "client_secret"),
                                .open_url = [](const std::string&, const std::string& to) { visit(to); },
                                .login_timeout = std::chrono::seconds(10)},
                               logger_);
    if (!oauth) return report(oauth.error());
    const std::shared_ptr<OAuth> authoriser = *std::move(oauth);
    ConnectionOptions options{.server = "conformance", .workspace = "/tmp"};
    options.offers = {.questions = true, .sampling = true};
    options.open_channel = [&](Listener& listener) -> Expected<std::unique_ptr<Channel>> {
      return std::make_unique<HttpChannel>(
          HttpTraffic::Parts{.server = "conformance", .url = url_, .authoriser = authoriser}, listener,
          logger_);
    };
    auto opened = Connection::open(options, logger_, terms());
    if (!opened) return report(opened.error());
    connection_ = *std::move(opened);
    const int code = play(scenario);
    connection_->close();
    return code;
  }

 private:
  [[nodiscard]] Terms terms() {
    Terms terms{.deadline = Clock::now() + std::chrono::seconds(20)};
    terms.caller = std::make_shared<Caller>(Caller{.asker = &yes_});
    return terms;
  }

  int play(const std::string& scenario) {
    if (!connection_->facts().offers("tools")) {
      // Some scenarios announce nothing and want to see a request all the same.
      static_cast<void>(connection_->list_tools(terms()));
      return 0;
    }
    const auto list = connection_->list_tools(terms());
    if (!list) return report(list.error());
    if (scenario == "http-standard-headers") read_everything();
    int code = 0;
    for (const RemoteTool& tool : list->tools) {
      for (const Json& arguments : arguments_for(tool)) {
        const auto result = connection_->call_tool(tool, arguments, terms());
        if (!result) code = report(result.error());
      }
    }
    return code;
  }

  void read_everything() {
    if (const auto resources = connection_->request("resources/list", {}, terms()))
      for (const Json& resource : resources->find("resources")->as_array())
        static_cast<void>(
            connection_->request("resources/read", JsonObject{{"uri", *resource.find("uri")}}, terms()));
    if (const auto prompts = connection_->request("prompts/list", {}, terms()))
      for (const Json& prompt : prompts->find("prompts")->as_array())
        static_cast<void>(
            connection_->request("prompts/get", JsonObject{{"name", *prompt.find("name")}}, terms()));
  }

  // The answer that the scenario asks for; else one that fits the schema.
  std::vector<Json> arguments_for(const RemoteTool& tool) {
    std::vector<Json> wanted;
    if (const Json* calls = context_.find("toolCalls"))
      for (const Json& call : calls->as_array())
        if (text_member(call, "name") == tool.name) wanted.push_back(*call.find("arguments"));
    if (!wanted.empty()) return wanted;
    if (tool.name == "json_schema_2020_12_tool") schema_ = tool.input_schema;
    if (tool.name == "json_schema_echo") return {JsonObject{{"schema", schema_}}};
    Json arguments = JsonObject();
    if (const Json* properties = tool.input_schema.find("properties"))
      for (const auto& [name, property] : properties->as_object()) {
        const std::string type = text_member(property, "type");
        if (type == "number" || type == "integer") arguments[name] = 3;
        if (type == "string") arguments[name] = "text";
        if (type == "boolean") arguments[name] = true;
      }
    return {arguments};
  }

  int report(const Error& error) {
    std::cerr << error.message << "\n" << to_text(error.details) << "\n";
    return 1;
  }

  const std::string url_;
  const Json context_;
  Logger logger_{LogLevel::kDebug};
  Yes yes_;
  Json schema_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: conformance_client URL\n";
    return 2;
  }
  const auto context = parse_json(environment_variable("MCP_CONFORMANCE_CONTEXT"));
  return Client(argv[argc - 1], context ? *context : Json(JsonObject()))
      .run(environment_variable("MCP_CONFORMANCE_SCENARIO"));
}
