// An MCP server over stdio for tests, well-behaved or not, as its arguments say.
//
//   --protocol old | modern | both   which requests it knows; default both
//   --dies-on-probe              ends when anything comes before initialize
//   --delay MS                   before it reads anything
//   --greets                     writes for people on stdout first
//   --stays                      neither the end of its stdin nor SIGTERM ends it
//   --pages                      lists its tools one by one
//   --mark FILE                  adds a line to the file when it starts
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "base/json_parse.h"
#include "base/strings.h"
#include "rpc/mcp_protocol.h"
#include "rpc/message.h"

namespace {

using namespace helve;

struct Behaviour {
  std::string protocol = "both";
  bool dies_on_probe = false;
  int delay_ms = 0;
  bool greets = false;
  bool stays = false;
  bool pages = false;
  std::string mark;
};

Json text_result(std::string text) {
  return JsonObject{{"resultType", "complete"},
                    {"content", JsonArray{JsonObject{{"type", "text"}, {"text", std::move(text)}}}}};
}

Json form_request(std::string_view message) {
  return JsonObject{
      {"message", message},
      {"requestedSchema",
       JsonObject{{"type", "object"},
                  {"properties", JsonObject{{"name", JsonObject{{"type", "string"}}},
                                            {"size", JsonObject{{"type", "integer"}, {"default", 7}}}}}}}};
}

class FakeServer {
 public:
  explicit FakeServer(Behaviour behaviour) : behaviour_(std::move(behaviour)) {}

  int run() {
    if (!behaviour_.mark.empty()) std::ofstream(behaviour_.mark, std::ios::app) << ::getpid() << "\n";
    if (behaviour_.stays) ::signal(SIGTERM, SIG_IGN);
    std::this_thread::sleep_for(std::chrono::milliseconds(behaviour_.delay_ms));
    if (behaviour_.greets) std::cout << "Welcome!\n{\"not\": \"a message\"}\n\xff\xfe\n" << std::flush;
    std::cerr << "fake server is up\n";
    for (std::string line; std::getline(std::cin, line);) take(line);
    while (behaviour_.stays) std::this_thread::sleep_for(std::chrono::seconds(1));
    return 0;
  }

 private:
  void take(const std::string& line) {
    auto json = parse_json(line);
    if (!json) return;
    auto message = rpc::read_message(*std::move(json));
    if (!message) return;
    if (auto* response = std::get_if<rpc::Response>(&*message)) return take_response(*response);
    if (auto* notification = std::get_if<rpc::Notification>(&*message))
      return take_notification(*notification);
    answer(std::get<rpc::Request>(*message));
  }

  void take_response(const rpc::Response& response) {
    if (waiting_.is_null()) return;
    const std::string said =
        response.failure ? concat("failure ", response.failure->code) : to_text(response.result);
    send(to_json(rpc::Response{.id = std::exchange(waiting_, {}), .result = text_result(said)}));
  }

  void take_notification(const rpc::Notification& notification) {
    if (notification.method != "notifications/cancelled") return;
    cancelled_ = to_text(*notification.params.find("requestId"));
  }

  void answer(const rpc::Request& request) {
    const bool modern = request.params.find("_meta") != nullptr &&
                        request.params.find("_meta")->find(rpc::kMetaRevision) != nullptr;
    if (request.method == "initialize") {
      if (behaviour_.protocol == "modern") return refuse(request, rpc::kMethodNotFound, "no such method");
      initialized_ = true;
      return give(request, JsonObject{{"protocolVersion", *request.params.find("protocolVersion")},
                                      {"capabilities", capabilities(JsonObject())},
                                      {"serverInfo", JsonObject{{"name", "fake"}, {"version", "1"}}}});
    }
    if (behaviour_.dies_on_probe && !initialized_) ::_exit(3);
    if (behaviour_.protocol == "silent" && !initialized_) return;
    if (modern && behaviour_.protocol == "old")
      return refuse(request, rpc::kMethodNotFound, "no such method");
    if (!modern && !initialized_) return refuse(request, rpc::kInvalidRequest, "not initialized");
    if (request.method == "server/discover")
      return give(request, JsonObject{{"resultType", "complete"},
                                      {"supportedVersions", JsonArray{rpc::kStatelessRevision}},
                                      {"capabilities", capabilities(JsonObject{{"listChanged", true}})},
                                      {"serverInfo", JsonObject{{"name", "fake"}, {"version", "2"}}}});
    if (request.method == "subscriptions/listen") {
      subscription_ = request.id;
      return;
    }
    if (request.method == "tools/list") return list(request);
    if (offer(request)) return;
    if (request.method == "tools/call") return call(request, modern);
    refuse(request, rpc::kMethodNotFound, "no such method");
  }

  static Json capabilities(Json of_tools) {
    return JsonObject{{"tools", std::move(of_tools)},
                      {"resources", JsonObject()},
                      {"prompts", JsonObject()},
                      {"completions", JsonObject()}};
  }

  // Resources, prompts and completions. False for other methods.
  bool offer(const rpc::Request& request) {
    const auto parsed = [](std::string_view text) { return parse_json(text).value(); };
    const auto text = [&](std::string_view name) {
      const Json* value = request.params.find(name);
      return value != nullptr && value->is_string() ? value->as_string() : std::string();
    };
    Json result;
    if (request.method == "resources/list")
      result = parsed(R"({"resources": [{"uri": "fake://notes/1", "name": "notes", "title": "Notes",
                                         "icons": [{"src": "https://x.example/i.png"}]}]})");
    if (request.method == "resources/templates/list")
      result = parsed(R"({"resourceTemplates": [{"uriTemplate": "fake://notes/{n}", "name": "note"}]})");
    if (request.method == "resources/read")
      result = JsonObject{{"contents", JsonArray{JsonObject{{"uri", text("uri")},
                                                            {"text", concat("text of ", text("uri"))}}}}};
    if (request.method == "prompts/list")
      result = parsed(R"({"prompts": [{"name": "greet.all", "arguments": [{"name": "who"}]}]})");
    if (request.method == "prompts/get")
      result = JsonObject{
          {"messages", JsonArray{JsonObject{
                           {"role", "user"},
                           {"content", JsonObject{{"type", "text"}, {"text", to_text(request.params)}}}}}}};
    if (request.method == "completion/complete")
      result =
          JsonObject{{"completion", JsonObject{{"values", JsonArray{to_text(*request.params.find("ref"))}}}}};
    if (result.is_null()) return false;
    result["resultType"] = "complete";
    give(request, std::move(result));
    return true;
  }

  void list(const rpc::Request& request) {
    std::vector<std::string> names{"echo",  "never", "die",  "flood", "ask",      "sample", "progress",
                                   "roots", "count", "big",  "fail",  "change",   "child",  "state",
                                   "rich",  "ping",  "shot", "parts", "partsfail"};
    if (changed_) names.emplace_back("extra");
    JsonArray tools;
    const Json* cursor = request.params.find("cursor");
    const std::size_t from = cursor == nullptr ? 0 : std::stoul(cursor->as_string());
    const std::size_t to = behaviour_.pages ? from + 1 : names.size();
    for (std::size_t i = from; i < to; ++i) tools.push_back(describe(names[i]));
    Json result = JsonObject{{"resultType", "complete"}, {"tools", std::move(tools)}};
    if (to < names.size()) result["nextCursor"] = concat(to);
    give(request, std::move(result));
  }

  static Json describe(const std::string& name) {
    Json tool = JsonObject{{"name", name},
                           {"description", concat("The tool ", name, ".")},
                           {"inputSchema", JsonObject{{"type", "object"}}}};
    if (name == "parts") {
      tool["icons"] = JsonArray{JsonObject{{"src", "https://x.example/tool.png"}}};
      tool["_meta"] = JsonObject{{"x.example/c", "d"}};
      tool["annotations"] =
          JsonObject{{"title", "All parts"}, {"readOnlyHint", true}, {"openWorldHint", false}};
      tool["outputSchema"] = JsonObject{
          {"type", "object"}, {"properties", JsonObject{{"answer", JsonObject{{"type", "integer"}}}}}};
      return tool;
    }
    if (name == "shot") {
      tool["inputSchema"] = parse_json(R"({"type": "object", "required": ["scale"], "properties": {
                           "scale": {"enum": ["css", "device"], "default": "css"},
                           "area": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/box"}]}},
                         "$defs": {"box": {"type": "array", "items": {"type": "number"}, "minItems": 4}},
                         "unevaluatedProperties": false})")
                                .value();
      return tool;
    }
    if (name != "echo") return tool;
    tool["title"] = "Echo";
    tool["inputSchema"] = JsonObject{{"type", "object"},
                                     {"properties", JsonObject{{"text", JsonObject{{"type", "string"}}}}},
                                     {"required", JsonArray{"text"}}};
    tool["annotations"] = JsonObject{{"readOnlyHint", true}};
    return tool;
  }

  void call(const rpc::Request& request, bool modern) {
    const std::string name = request.params.find("name")->as_string();
    const Json* arguments = request.params.find("arguments");
    if (name == "echo") return give(request, text_result(arguments->find("text")->as_string()));
    if (name == "never") return;
    if (name == "die") ::_exit(7);
    if (name == "flood") {
      for (int i = 0; i < 100'000; ++i) std::cout << "noise noise noise noise noise\n";
      return give(request, text_result("after the flood"));
    }
    if (name == "big")
      return give(request, text_result(std::string(
                               static_cast<std::size_t>(arguments->find("bytes")->as_integer()), 'x')));
    if (name == "shot") return give(request, text_result(to_text(*arguments)));
    if (name == "count") return give(request, text_result(cancelled_));
    if (name == "fail") {
      Json result = text_result("it went wrong");
      result["isError"] = true;
      return give(request, std::move(result));
    }
    if (name == "rich") return rich(request);
    if (name == "parts" || name == "partsfail") return parts(request, name == "partsfail");
    if (name == "progress") return progress(request);
    if (name == "change") return change(request, modern);
    if (name == "child") return child(request);
    if (name == "state") return give(request, text_result(to_text(request.params)));
    const std::string method = name == "ask"      ? "elicitation/create"
                               : name == "sample" ? "sampling/createMessage"
                               : name == "roots"  ? "roots/list"
                                                  : "ping";
    const Json params = name == "ask" ? form_request("Who?") : Json(JsonObject{{"maxTokens", 5}});
    if (modern) return need_input(request, method, params);
    waiting_ = request.id;
    send(to_json(rpc::Request{.id = "server-1", .method = method, .params = params}));
  }

  void need_input(const rpc::Request& request, const std::string& method, const Json& params) {
    if (const Json* responses = request.params.find("inputResponses"))
      return give(request, text_result(concat(to_text(*responses->find("it")), " ",
                                              to_text(*request.params.find("requestState")))));
    give(request,
         JsonObject{{"resultType", "input_required"},
                    {"inputRequests", JsonObject{{"it", JsonObject{{"method", method}, {"params", params}}}}},
                    {"requestState", "opaque"}});
  }

  void rich(const rpc::Request& request) {
    give(request,
         JsonObject{{"resultType", "complete"},
                    {"content",
                     JsonArray{JsonObject{{"type", "text"}, {"text", "words"}},
                               JsonObject{{"type", "image"}, {"data", "aGVsbG8="}, {"mimeType", "image/png"}},
                               JsonObject{{"type", "resource_link"}, {"uri", "file:///a"}, {"name", "a"}},
                               JsonObject{{"type", "resource"},
                                          {"resource", JsonObject{{"uri", "x://y"}, {"text", "inside"}}}}}},
                    {"structuredContent", JsonObject{{"answer", 42}}}});
  }

  // One part of each kind, texts and images in turn, and with all that a part may carry.
  void parts(const rpc::Request& request, bool fails) {
    Json result = parse_json(R"({"content": [
            {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png", "annotations": {"audience": ["user"]}},
            {"type": "text", "text": "first", "_meta": {"x.example/a": 1}},
            {"type": "audio", "data": "aGVsbG8=", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "fake://notes/1", "name": "notes", "title": "Notes",
             "icons": [{"src": "https://x.example/i.png"}], "annotations": {"priority": 0.5}},
            {"type": "text", "text": "second"},
            {"type": "resource", "resource": {"uri": "fake://b", "mimeType": "image/png", "blob": "aGVsbG8="}}],
            "structuredContent": {"answer": 42}, "_meta": {"x.example/b": [true]}})")
                      .value();
    if (fails) result["isError"] = true;
    give(request, std::move(result));
  }

  void progress(const rpc::Request& request) {
    const Json* token = request.params.find("_meta")->find(rpc::kProgressToken);
    for (int i = 1; i <= 3; ++i)
      send(to_json(rpc::Notification{
          .method = "notifications/progress",
          .params =
              JsonObject{{"progressToken", *token}, {"progress", i}, {"total", 3}, {"message", "step"}}}));
    give(request, text_result("done"));
  }

  void change(const rpc::Request& request, bool modern) {
    changed_ = !changed_;
    Json params = JsonObject();
    if (modern) params["_meta"][rpc::kMetaSubscriptionId] = subscription_;
    send(to_json(
        rpc::Notification{.method = "notifications/tools/list_changed", .params = std::move(params)}));
    give(request, text_result("changed"));
  }

  // A grandchild that would outlive the server, in its own session.
  void child(const rpc::Request& request) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setsid();
      for (int fd = 0; fd < 3; ++fd) ::close(fd);
      ::execlp("sleep", "sleep", "1000", nullptr);
      ::_exit(1);
    }
    give(request, text_result(concat(pid)));
  }

  static void send(const Json& message) { std::cout << to_text(message) << "\n" << std::flush; }
  static void give(const rpc::Request& request, Json result) {
    send(to_json(rpc::Response{.id = request.id, .result = std::move(result)}));
  }
  static void refuse(const rpc::Request& request, int code, std::string message) {
    send(to_json(rpc::Response{.id = request.id,
                               .failure = rpc::Failure{.code = code, .message = std::move(message)}}));
  }

  const Behaviour behaviour_;
  bool initialized_ = false;
  bool changed_ = false;
  Json waiting_;
  Json subscription_;
  std::string cancelled_ = "nothing";
};

}  // namespace

int main(int argc, char** argv) {
  Behaviour behaviour;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--protocol" && has_value) behaviour.protocol = words[++i];
    if (words[i] == "--delay" && has_value) behaviour.delay_ms = std::stoi(words[++i]);
    if (words[i] == "--mark" && has_value) behaviour.mark = words[++i];
    if (words[i] == "--dies-on-probe") behaviour.dies_on_probe = true;
    if (words[i] == "--greets") behaviour.greets = true;
    if (words[i] == "--stays") behaviour.stays = true;
    if (words[i] == "--pages") behaviour.pages = true;
  }
  return FakeServer(behaviour).run();
}
