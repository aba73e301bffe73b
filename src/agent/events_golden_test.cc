// Compares the complete event stream of turns with a golden file, from which docs/agent.md takes its
// examples. With HELVE_UPDATE_GOLDEN in the environment the file is written anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "agent/testing.h"
#include "base/base64.h"
#include "base/file_io.h"
#include "helve/context.h"
#include "helve/questions.h"
#include "unit/places.h"

namespace helve::agent {
namespace {

const std::string kGolden = places::in_source("tests/agent/events/turn.jsonl");
constexpr std::string_view kDot =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

// One event per line, without parts that differ between runs.
std::string golden(Agent& agent) {
  std::string out;
  for (const auto& event : agent.session().events().after(0).events) {
    std::string line = replace_all(to_text(event->to_json()), agent.id(), "SESSION");
    constexpr std::string_view kTime = "\"executionTimeMs\":";
    for (std::size_t at = line.find(kTime); at != std::string::npos; at = line.find(kTime, at + 1)) {
      const std::size_t digits = at + kTime.size();
      line.replace(digits, line.find_first_not_of("0123456789", digits) - digits, "0");
    }
    out += line + "\n";
  }
  return out;
}

// A tool of another server: reports progress, shows a page and asks with a form.
Result survey(Context& context, const Json& /*arguments*/) {
  context.report({.done = 1, .total = 2, .message = "Asking"});
  Asker& asker = *context.session().asker();
  for (const Question& question :
       {Question{.call_id = context.call_id(),
                 .server = "forms",
                 .text = "Log in first",
                 .url = "https://forms.example/login"},
        Question{.call_id = context.call_id(),
                 .server = "forms",
                 .text = "Your address?",
                 .form = JsonObject{{"type", "object"},
                                    {"properties", JsonObject{{"street", JsonObject{{"type", "string"}}}}}}}})
    if (const auto reply = asker.ask(question, context.stop_token()); !reply) return fail(reply.error());
  return Output{.summary = "Asked", .content = "asked"};
}

TEST_F(AgentTest, TheEventStreamMatchesTheGoldenFile) {
  options_.settings.mode = Mode::kAsk;
  options_.settings.tools.parallel_calls = 1;
  options_.settings.model.prices = {.input = 2, .output = 10};
  put("a.txt", "one\ntwo\n");
  put("dot.png", from_base64(kDot).value());
  approver_ = std::make_shared<ScriptedApprover>([](const PermissionRequest& request, const auto&) {
    return request.call_id == "c2" ? Approval{.granted = false, .reason = "not that file"}
                                   : Approval{.granted = true};
  });
  asker_ = std::make_shared<ScriptedAsker>([](const Question& question, const auto&) {
    helve::Reply reply{.kind = helve::Reply::Kind::kAnswered};
    if (!question.choices.empty()) reply.values = {"red"};
    return reply;
  });
  ASSERT_TRUE(runtime().add(make_tool({.name = "mcp__forms__survey",
                                       .description = "Asks the user.",
                                       .effect = Effect::kRead,
                                       .server = "forms"},
                                      survey)));
  model_.then([](const auto&, const model::Listener& listener, const auto&) -> Expected<model::Reply> {
    listener.on_retry({ErrorCode::kUnavailable, "The model server is overloaded."},
                      std::chrono::milliseconds(500));
    listener.on_reasoning("Two edits.");
    return want({{"c1", "edit",
                  JsonObject{{"path", "a.txt"},
                             {"oldText", "one"},
                             {"newText", "1"},
                             {"explanation", "I number the lines."}}},
                 {"c2", "write", JsonObject{{"path", "b.txt"}, {"content", "three\n"}}}},
                "I edit.");
  });
  model_.then(want({{"c3", "ask_user",
                     JsonObject{{"question", "Which colours?"},
                                {"options", JsonArray{"red", "blue"}},
                                {"multiple", true},
                                {"default", "red"}}}}));
  model_.then(want({{"c4", "mcp__forms__survey", JsonObject()}}));
  model_.then(want({{"c5", "read", JsonObject{{"path", "dot.png"}}}}));
  model_.then(want({{"c6", "read", "{oops"}}));
  model_.then([](const auto&, const auto&, const auto&) -> Expected<model::Reply> {
    return fail(ErrorCode::kUnavailable, "The model server has ended.", "Start it again.");
  });
  EXPECT_EQ(agent().say("Number the lines").reason, "error");
  const std::string got = golden(agent());
  if (std::getenv("HELVE_UPDATE_GOLDEN") != nullptr) std::ofstream(kGolden) << got;
  EXPECT_EQ(got, read_file(kGolden).value());
}

}  // namespace
}  // namespace helve::agent
