// Fixture tools that ask the client: at once in session-based protocols, in the result in the stateless one;
// and as tasks.
#include <condition_variable>
#include <mutex>

#include "base/strings.h"
#include "fixture_tools.h"

namespace helve::mcp::fixture {
namespace {

Json property(std::string type, Json preset = {}) {
  Json property = JsonObject{{"type", std::move(type)}};
  if (!preset.is_null()) property["default"] = std::move(preset);
  return property;
}

std::string argument(const Json& arguments, std::string_view name) {
  const Json* value = arguments.find(name);
  return value != nullptr && value->is_string() ? value->as_string() : std::string();
}

std::string text_at(const Json& value, std::initializer_list<std::string_view> path) {
  const Json* at = &value;
  for (const std::string_view step : path)
    if (at = at->find(step); at == nullptr) return {};
  return at->is_string() ? at->as_string() : to_text(*at);
}

Inquiry sample(std::string key, std::string prompt, int tokens) {
  return {.key = std::move(key),
          .method = "sampling/createMessage",
          .params = JsonObject{
              {"messages", JsonArray{JsonObject{{"role", "user"}, {"content", text(std::move(prompt))}}}},
              {"maxTokens", tokens}}};
}

Inquiry roots(std::string key) { return {.key = std::move(key), .method = "roots/list"}; }

// Asks, and shows what came back.
Outcome ask_and_show(ActiveRequest& call, const std::string& before, const Inquiry& inquiry) {
  const auto answers = call.ask({inquiry});
  if (!answers) return refused(answers.error());
  const Json& answer = answers->front();
  const Json* content = answer.find("content");
  return result(text(concat(before, "action=", text_at(answer, {"action"}),
                            ", content=", content != nullptr ? to_text(*content) : "{}")));
}

Json enum_property(JsonArray values) { return JsonObject{{"type", "string"}, {"enum", std::move(values)}}; }

JsonArray titled(std::string_view kind) {
  JsonArray options;
  for (const std::string_view nth : {"First", "Second", "Third"})
    options.push_back(JsonObject{{"const", concat("value", std::to_string(options.size() + 1))},
                                 {"title", concat(nth, " ", kind)}});
  return options;
}

Json enum_properties() {
  const JsonArray options{"option1", "option2", "option3"};
  Json legacy = enum_property({"opt1", "opt2", "opt3"});
  legacy["enumNames"] = JsonArray{"Option One", "Option Two", "Option Three"};
  return JsonObject{
      {"untitledSingle", enum_property(options)},
      {"titledSingle", JsonObject{{"type", "string"}, {"oneOf", titled("Option")}}},
      {"legacyEnum", std::move(legacy)},
      {"untitledMulti", JsonObject{{"type", "array"}, {"items", enum_property(options)}}},
      {"titledMulti", JsonObject{{"type", "array"}, {"items", JsonObject{{"anyOf", titled("Choice")}}}}}};
}

// Waits so long unless it is stopped.
bool sleep_for(ActiveRequest& call, double seconds) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, call.stop(), std::chrono::duration<double>(seconds), [] { return false; });
  return !call.stop().stop_requested();
}

}  // namespace

void add_asking_tools(std::vector<FixtureTool>& tools) {
  tools.push_back({"test_sampling", [](ActiveRequest& call, const Json& arguments) -> Outcome {
                     const auto answers = call.ask({sample("sample", argument(arguments, "prompt"), 100)});
                     if (!answers) return refused(answers.error());
                     return result(
                         text(concat("LLM response: ", text_at(answers->front(), {"content", "text"}))));
                   }});
  tools.push_back({"test_elicitation", [](ActiveRequest& call, const Json& arguments) -> Outcome {
                     return ask_and_show(
                         call, "User response: ",
                         elicit("answer", argument(arguments, "message"),
                                JsonObject{{"username", property("string")}, {"email", property("string")}}));
                   }});
  tools.push_back({"test_elicitation_sep1034_defaults", [](ActiveRequest& call, const Json&) -> Outcome {
                     Json status = enum_property({"active", "inactive", "pending"});
                     status["default"] = "active";
                     return ask_and_show(call, "Elicitation completed: ",
                                         elicit("answer", "Please confirm",
                                                JsonObject{{"name", property("string", "John Doe")},
                                                           {"age", property("integer", 30)},
                                                           {"score", property("number", 95.5)},
                                                           {"status", std::move(status)},
                                                           {"verified", property("boolean", true)}}));
                   }});
  tools.push_back({"test_elicitation_sep1330_enums", [](ActiveRequest& call, const Json&) -> Outcome {
                     return ask_and_show(call, "Elicitation completed: ",
                                         elicit("answer", "Please choose", enum_properties()));
                   }});
  tools.push_back({"test_missing_capability", [](ActiveRequest& call, const Json&) -> Outcome {
                     const auto answers = call.ask({sample("sample", "Hello?", 10)});
                     if (!answers) return refused(answers.error());
                     return result(text("sampled"));
                   }});
  tools.push_back({"test_streaming_elicitation", [](ActiveRequest& call, const Json&) -> Outcome {
                     return ask_and_show(call, "",
                                         elicit("answer", "Go on?", JsonObject{{"ok", property("boolean")}}));
                   }});
}

void add_input_required_tools(std::vector<FixtureTool>& tools) {
  const auto asking = [&](std::string name, std::vector<Inquiry> inquiries, std::string_view done) {
    tools.push_back({std::move(name),
                     [inquiries = std::move(inquiries), done = std::string(done)](ActiveRequest& call,
                                                                                  const Json&) -> Outcome {
                       const auto answers = call.ask(inquiries);
                       if (!answers) return refused(answers.error());
                       std::string all = done;
                       for (const Json& answer : *answers) all += concat(" ", to_text(answer));
                       return result(text(all));
                     }});
  };
  const Json name_property = JsonObject{{"name", property("string")}};
  const Json ok_property = JsonObject{{"ok", property("boolean")}};
  asking("test_input_required_result_elicitation", {elicit("user_name", "What is your name?", name_property)},
         "Hello");
  asking("test_input_required_result_sampling",
         {sample("capital_question", "What is the capital of France?", 100)}, "Sampled");
  asking("test_input_required_result_list_roots", {roots("client_roots")}, "Roots");
  asking("test_input_required_result_request_state", {elicit("confirm", "Please confirm", ok_property)},
         "state-ok");
  asking("test_input_required_result_tampered_state", {elicit("confirm", "Please confirm", ok_property)},
         "state-ok");
  asking("test_input_required_result_multiple_inputs",
         {elicit("user_name", "What is your name?", name_property), sample("greeting", "Say hello", 50),
          roots("client_roots")},
         "All");
  tools.push_back(
      {"test_input_required_result_multi_round", [=](ActiveRequest& call, const Json&) -> Outcome {
         const auto first = call.ask({elicit("step1", "Step 1: What is your name?", name_property)});
         if (!first) return refused(first.error());
         const auto second = call.ask({elicit("step2", "Step 2: What is your favorite color?",
                                              JsonObject{{"color", property("string")}})});
         if (!second) return refused(second.error());
         return result(text(concat(to_text(first->front()), to_text(second->front()))));
       }});
  tools.push_back(
      {"test_input_required_result_capabilities", [=](ActiveRequest& call, const Json&) -> Outcome {
         std::vector<Inquiry> possible;
         if (call.info().offers({"sampling"})) possible.push_back(sample("sample", "Hi", 10));
         if (call.info().offers({"elicitation"}))
           possible.push_back(elicit("user_name", "What is your name?", name_property));
         const auto answers = call.ask(possible);
         if (!answers) return refused(answers.error());
         return result(text("done"));
       }});
}

void add_task_tools(std::vector<FixtureTool>& tools) {
  const Json name_property = JsonObject{{"name", property("string")}};
  tools.push_back({"greet", [](ActiveRequest&, const Json& arguments) -> Outcome {
                     return result(text(concat("Hello, ", argument(arguments, "name"), "!")));
                   }});
  tools.push_back({"slow_compute",
                   [](ActiveRequest& call, const Json& arguments) -> Outcome {
                     call.become_task();
                     const Json* seconds = arguments.find("seconds");
                     if (!sleep_for(call, seconds != nullptr ? seconds->as_double() : 1))
                       return failure(rpc::kInternalError, "cancelled");
                     return result(text("computed"));
                   },
                   TaskSupport::kOptional});
  tools.push_back({"failing_job",
                   [](ActiveRequest& call, const Json&) -> Outcome {
                     call.become_task();
                     sleep_for(call, 0.3);
                     Json failed = result(text("The job failed."));
                     failed["isError"] = true;
                     return failed;
                   },
                   TaskSupport::kRequired});
  tools.push_back({"protocol_error_job",
                   [](ActiveRequest& call, const Json&) -> Outcome {
                     call.become_task();
                     return failure(rpc::kInternalError, "The job broke.");
                   },
                   TaskSupport::kOptional});
  tools.push_back({"confirm_delete",
                   [](ActiveRequest& call, const Json& arguments) -> Outcome {
                     call.become_task();
                     return ask_and_show(
                         call, "",
                         elicit("confirm", concat("Delete ", argument(arguments, "filename"), "?"),
                                JsonObject{{"confirm", property("boolean")}}));
                   },
                   TaskSupport::kOptional});
  tools.push_back({"multi_input",
                   [=](ActiveRequest& call, const Json&) -> Outcome {
                     call.become_task();
                     const auto answers = call.ask({elicit("first", "First?", name_property),
                                                    elicit("second", "Second?", name_property)});
                     if (!answers) return refused(answers.error());
                     return result(text(concat(to_text(answers->front()), to_text(answers->back()))));
                   },
                   TaskSupport::kOptional});
  tools.push_back({"test_tool_with_task",
                   [=](ActiveRequest& call, const Json&) -> Outcome {
                     const auto answers =
                         call.ask({elicit("user_name", "What is your name?", name_property)});
                     if (!answers) return refused(answers.error());
                     call.become_task();
                     return result(text(concat("Hello ", text_at(answers->front(), {"content", "name"}))));
                   },
                   TaskSupport::kRequired});
}

}  // namespace helve::mcp::fixture
