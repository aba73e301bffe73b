// Helpers for agent tests: a scripted model, scripted users, and session events as comparable lines.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "base/strings.h"
#include "core/testing.h"
#include "helve/json.h"
#include "store/sqlite_store.h"

namespace helve::agent {

// A text reply; its raw form is {"role": "assistant", …}.
inline model::Reply say(std::string text, model::StopReason stop = model::StopReason::kEnd) {
  return {.raw = JsonObject{{"role", "assistant"}, {"content", text}},
          .text = text,
          .stop = stop,
          .usage = {.input_tokens = 100, .output_tokens = 10}};
}

struct ScriptedCall {
  std::string id;
  std::string tool;
  Json arguments;
};

inline model::Reply want(const std::vector<ScriptedCall>& calls, std::string text = {}) {
  model::Reply reply = say(std::move(text), model::StopReason::kToolCalls);
  JsonArray raw;
  for (const ScriptedCall& call : calls) {
    const std::string arguments =
        call.arguments.is_string() ? call.arguments.as_string() : to_text(call.arguments);
    reply.calls.push_back({call.id, call.tool, arguments});
    raw.push_back(JsonObject{{"id", call.id}, {"name", call.tool}, {"arguments", arguments}});
  }
  reply.raw["tool_calls"] = std::move(raw);
  return reply;
}

// Plays a script. The number of model turns in the conversation selects the reply, so a session that
// continues in another process finds its place.
class ScriptedModel final : public model::Model {
 public:
  using Step = std::function<Expected<model::Reply>(const model::Conversation&, const model::Listener&,
                                                    const std::stop_token&)>;

  const std::string& name() const override { return name_; }
  std::optional<std::int64_t> context_window() const override { return window; }
  Expected<model::Reply> reply(const model::Conversation& conversation, const model::Listener& listener,
                               const std::stop_token& stop) override {
    requests.push_back(conversation);
    std::size_t spoken = 0;
    for (const model::Turn& turn : conversation.turns)
      if (std::holds_alternative<model::ModelTurn>(turn)) ++spoken;
    if (spoken >= script.size())
      return fail(ErrorCode::kUnavailable, concat("The script has no reply number ", spoken + 1, "."));
    auto reply = script[spoken](conversation, listener, stop);
    if (reply && listener.on_text && !reply->text.empty()) {
      const std::size_t half = reply->text.size() / 2;  // in two pieces
      if (half > 0) listener.on_text(reply->text.substr(0, half));
      listener.on_text(reply->text.substr(half));
    }
    return reply;
  }

  void then(model::Reply reply) {
    script.push_back([reply = std::move(reply)](const auto&, const auto&, const auto&) { return reply; });
  }
  void then(Step step) { script.push_back(std::move(step)); }

  // The tool results in the last request.
  [[nodiscard]] std::vector<model::ToolResult> last_results() const {
    for (auto turn = requests.back().turns.rbegin(); turn != requests.back().turns.rend(); ++turn)
      if (const auto* results = std::get_if<model::ResultsTurn>(&*turn)) return results->results;
    return {};
  }
  // The user message at the end of the last request.
  [[nodiscard]] std::string last_user_text() const {
    const auto* user = std::get_if<model::UserTurn>(&requests.back().turns.back());
    return user == nullptr ? std::string() : user->text;
  }

  std::vector<Step> script;
  std::vector<model::Conversation> requests;
  std::optional<std::int64_t> window;

 private:
  std::string name_ = "scripted";
};

// Answers by rule and records what it was asked.
class ScriptedApprover final : public Approver {
 public:
  using Rule = std::function<Approval(const PermissionRequest&, const std::stop_token&)>;
  explicit ScriptedApprover(Rule rule) : rule_(std::move(rule)) {}
  Approval ask(const PermissionRequest& request, const std::stop_token& stop) override {
    {
      const std::lock_guard lock(mutex_);
      asked.push_back(request.call_id);
    }
    return rule_(request, stop);
  }
  std::vector<std::string> asked;

 private:
  std::mutex mutex_;
  Rule rule_;
};

inline std::shared_ptr<ScriptedApprover> everything_allowed() {
  return std::make_shared<ScriptedApprover>(
      [](const auto&, const auto&) { return Approval{.granted = true}; });
}

class ScriptedAsker final : public Asker {
 public:
  using Rule = std::function<Expected<Reply>(const Question&, const std::stop_token&)>;
  explicit ScriptedAsker(Rule rule) : rule_(std::move(rule)) {}
  Expected<Reply> ask(const Question& question, const std::stop_token& stop) override {
    asked.push_back(question.text);
    return rule_(question, stop);
  }
  std::vector<std::string> asked;

 private:
  Rule rule_;
};

// "start read {"path":"a"}", "final Done.", "end done".
inline std::string event_line(const Event& event) {
  const Json json = event.to_json();
  const auto text = [&](std::string_view key) {
    const Json* value = json.find(key);
    return value == nullptr ? std::string() : value->is_string() ? value->as_string() : to_text(*value);
  };
  if (event.name() == "stream:error") return concat("error! ", text("error"));
  if (event.name() == "stream:end") return concat("stream:end ", text("reason"));
  if (!text("stream_kind").empty())
    return std::string(trim(concat(text("stream_kind"), " ", text("content"))));
  return std::string(trim(concat(text("tool_call"), " ", text("tool_call_id"), " ", text("tool_call_name"),
                                 " ", text("tool_call_params"), text("tool_call_response"))));
}

class AgentTest : public testing::RuntimeFixture {
 protected:
  AgentTest() : RuntimeFixture(/*built_in_tools=*/true) {}

  std::string path(const std::string& name) const { return directory_.at("workspace/" + name); }
  void put(const std::string& name, std::string_view text) const {
    directory_.write("workspace/" + name, text);
  }
  std::string get(const std::string& name) const { return directory_.read("workspace/" + name); }
  bool exists(const std::string& name) const { return directory_.exists("workspace/" + name); }

  store::SessionRecords& records() {
    if (!store_) store_ = store::open_sqlite_store({.directory = directory_.at("store")}).value();
    return store_->sessions();
  }
  AgentParts parts() {
    return {.runtime = runtime(),
            .model = model_,
            .records = other_records_ != nullptr ? *other_records_ : records(),
            .approver = approver_,
            .asker = asker_};
  }
  Agent& agent() {
    if (!agent_) agent_ = Agent::begin(parts(), "You are a test.", "A title\nand more").value();
    return *agent_;
  }
  // Resumes the session as after a restart of the program.
  Agent& resumed(std::string id) {
    const std::string kept = std::move(id);  // `id` often belongs to the agent destroyed below
    forget();
    agent_ = Agent::resume(parts(), kept).value();
    return *agent_;
  }
  void forget() {
    agent_.reset();
    restart();
  }

  std::vector<std::string> event_lines() {
    std::vector<std::string> lines;
    for (const auto& event : agent().session().events().after(0).events) lines.push_back(event_line(*event));
    return lines;
  }
  std::string events_text() { return join(event_lines(), "\n"); }

  ScriptedModel model_;
  std::shared_ptr<Approver> approver_;
  std::shared_ptr<Asker> asker_;
  store::SessionRecords* other_records_ = nullptr;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Agent> agent_;
};

}  // namespace helve::agent
