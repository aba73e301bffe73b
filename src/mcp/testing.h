// Shared by the tests of this module: a few tools, and a responder that records messages.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/json_parse.h"
#include "mcp/server.h"

namespace helve::mcp::testing {

inline Json json(std::string_view text) { return parse_json(text).value(); }

// Records messages and answers.
class RecordingResponder final : public Responder {
 public:
  void send(const Json& message) override {
    const std::lock_guard lock(mutex_);
    sent_.push_back(message);
    changed_.notify_all();
  }
  void answer(rpc::Response response) override {
    const std::lock_guard lock(mutex_);
    answers_.push_back(to_json(std::move(response)));
    changed_.notify_all();
  }
  // Waits for the n-th answer.
  Json answered(std::size_t n = 0) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(10), [&] { return answers_.size() > n; });
    return answers_.size() > n ? answers_[n] : Json();
  }
  Json sent(std::size_t n = 0, std::chrono::milliseconds timeout = std::chrono::seconds(10)) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [&] { return sent_.size() > n; });
    return sent_.size() > n ? sent_[n] : Json();
  }
  std::size_t answered_now() {
    const std::lock_guard lock(mutex_);
    return answers_.size();
  }
  std::size_t sent_now() {
    const std::lock_guard lock(mutex_);
    return sent_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Json> sent_;
  std::vector<Json> answers_;
};

// echo returns its arguments, wait runs until it is stopped, ask asks for a name, report reports progress and
// asks if its argument says so, slow runs until finish_slow().
class TestTools final : public Tools {
 public:
  JsonArray list(ActiveRequest&) override {
    JsonArray tools;
    for (const std::string_view name : {"ask", "echo", "slow", "wait"})
      tools.push_back(JsonObject{{"name", name}, {"inputSchema", JsonObject{{"type", "object"}}}});
    return tools;
  }
  std::optional<OfferedTool> find(const std::string& name) override {
    ++lookups;
    if (name != "ask" && name != "echo" && name != "report" && name != "slow" && name != "wait") return {};
    return OfferedTool{.task_support = name == "slow" ? TaskSupport::kOptional : TaskSupport::kForbidden,
                       .call = [this, name](ActiveRequest& request, const Json& arguments) {
                         return call(request, name, arguments);
                       }};
  }
  Outcome call(ActiveRequest& request, const std::string& name, const Json& arguments) {
    ++running;
    ++started;
    struct End {
      std::atomic<int>& count;
      ~End() { --count; }
    } end{running};
    if (name == "echo") return text(to_text(arguments));
    if (name == "slow") {
      slow_may_end.wait(false);
      return text("slept");
    }
    if (name == "wait") {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any().wait(lock, request.stop(), [] { return false; });
      return text("stopped");
    }
    if (name == "report") {
      for (const int done : {1, 2, 3}) request.progress({.done = static_cast<double>(done)});
      if (arguments.find("asks") == nullptr) return text("reported");
    }
    const auto answers = request.ask(
        {{.key = "name", .method = "elicitation/create", .params = JsonObject{{"message", "Who?"}}}},
        {.deadline = asking_deadline, .stop = withdrawn.get_token()});
    if (!answers) return failure(rpc::kInternalError, answers.error().message);
    if (name == "report") request.progress({.done = 4});
    return text(to_text(answers->front()));
  }
  Subscription on_change(std::function<void()> callback) override {
    changed = std::make_shared<std::function<void()>>(std::move(callback));
    return changed;
  }

  void finish_slow() {
    slow_may_end = true;
    slow_may_end.notify_all();
  }

  static Json text(std::string text) {
    return JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", std::move(text)}}}}};
  }

  std::atomic<int> running = 0;
  std::atomic<int> started = 0;
  std::atomic<int> lookups = 0;
  std::atomic<bool> slow_may_end = false;
  std::stop_source withdrawn;             // withdraws the question of ask
  Client::Deadline asking_deadline = {};  // for the question of ask
  std::shared_ptr<std::function<void()>> changed;
};

// Prompts that cannot report changes.
class PromptsWithoutChangeEvents final : public Prompts {
 public:
  JsonArray list() override { return {}; }
  std::expected<std::optional<Json>, rpc::Failure> get(ActiveRequest&, const std::string&,
                                                       const Json&) override {
    return std::optional<Json>();
  }
  std::vector<std::string> complete(const std::string&, const std::string&, const std::string&) override {
    return {};
  }
  Subscription on_change(std::function<void()>) override { return {}; }
};

inline rpc::Request request(Json id, std::string method, Json params = {}) {
  return {.id = std::move(id), .method = std::move(method), .params = std::move(params)};
}

// Parameters of the stateless protocol, which carry the protocol version and capabilities.
inline Json stateless(Json params = JsonObject(),
                      Json capabilities = JsonObject{{"elicitation", JsonObject()}}) {
  params["_meta"] = JsonObject{{std::string(rpc::kMetaRevision), rpc::kStatelessRevision},
                               {std::string(rpc::kMetaClientCapabilities), std::move(capabilities)}};
  return params;
}

inline std::string text_of(const Json& answer) {
  const Json* result = answer.find("result");
  const Json* content = result != nullptr ? result->find("content") : nullptr;
  return content != nullptr ? content->as_array().front().find("text")->as_string() : to_text(answer);
}

inline int code_of(const Json& answer) {
  const Json* error = answer.find("error");
  return error != nullptr ? static_cast<int>(error->find("code")->as_integer()) : 0;
}

}  // namespace helve::mcp::testing
