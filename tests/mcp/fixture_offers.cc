// Fixture resources and prompts.
#include "base/strings.h"
#include "fixture_tools.h"

namespace helve::mcp::fixture {
namespace {

Json described(std::string uri, std::string type) {
  return JsonObject{{"uri", uri},
                    {"name", uri.substr(uri.find("://") + 3)},
                    {"description", "For the conformance suite."},
                    {"mimeType", std::move(type)}};
}

Json message(Json content) { return JsonObject{{"role", "user"}, {"content", std::move(content)}}; }

Json prompt(JsonArray messages) { return JsonObject{{"messages", std::move(messages)}}; }

Json described_prompt(std::string name, const std::vector<std::string>& arguments = {}) {
  JsonArray described;
  for (const std::string& argument : arguments)
    described.push_back(JsonObject{{"name", argument}, {"description", "An argument."}, {"required", true}});
  return JsonObject{{"name", std::move(name)},
                    {"description", "For the conformance suite."},
                    {"arguments", std::move(described)}};
}

std::string argument(const Json& arguments, std::string_view name) {
  const Json* value = arguments.find(name);
  return value != nullptr && value->is_string() ? value->as_string() : std::string();
}

}  // namespace

std::expected<Resources::Page, rpc::Failure> FixtureResources::list(ActiveRequest&, const std::string&) {
  return Page{.resources = {described("test://static-text", "text/plain"),
                            described("test://static-binary", "image/png"),
                            described("test://watched-resource", "text/plain")}};
}

JsonArray FixtureResources::templates() {
  return {JsonObject{{"uriTemplate", "test://template/{id}/data"},
                     {"name", "template"},
                     {"description", "For the conformance suite."},
                     {"mimeType", "application/json"}}};
}

std::expected<std::optional<JsonArray>, rpc::Failure> FixtureResources::read(ActiveRequest&,
                                                                             const std::string& uri) {
  constexpr std::string_view kBefore = "test://template/";
  constexpr std::string_view kAfter = "/data";
  Json content = JsonObject{{"uri", uri}, {"mimeType", "text/plain"}};
  if (uri == "test://static-text") {
    content["text"] = "This is the content of the static text resource.";
  } else if (uri == "test://watched-resource") {
    content["text"] = "Watched.";
  } else if (uri == "test://static-binary") {
    content["mimeType"] = "image/png";
    content["blob"] = kRedPixel;
  } else if (uri.starts_with(kBefore) && uri.ends_with(kAfter)) {
    const std::string id = uri.substr(kBefore.size(), uri.size() - kBefore.size() - kAfter.size());
    content["mimeType"] = "application/json";
    content["text"] =
        to_text(Json(JsonObject{{"id", id}, {"templateTest", true}, {"data", concat("Data for ID: ", id)}}));
  } else {
    return std::optional<JsonArray>();
  }
  return JsonArray{std::move(content)};
}

std::expected<Subscription, rpc::Failure> FixtureResources::watch(ActiveRequest&, const std::string&,
                                                                  std::function<void()> callback) {
  return std::make_shared<std::function<void()>>(std::move(callback));
}

JsonArray FixturePrompts::list() {
  return {described_prompt("test_simple_prompt"),
          described_prompt("test_prompt_with_arguments", {"arg1", "arg2"}),
          described_prompt("test_prompt_with_embedded_resource", {"resourceUri"}),
          described_prompt("test_prompt_with_image"), described_prompt("test_input_required_result_prompt")};
}

std::expected<std::optional<Json>, rpc::Failure> FixturePrompts::get(ActiveRequest& call,
                                                                     const std::string& name,
                                                                     const Json& arguments) {
  if (name == "test_simple_prompt") return prompt({message(text("This is a simple prompt for testing."))});
  if (name == "test_prompt_with_arguments")
    return prompt({message(text(concat("Prompt with arguments: arg1='", argument(arguments, "arg1"),
                                       "', arg2='", argument(arguments, "arg2"), "'")))});
  if (name == "test_prompt_with_embedded_resource")
    return prompt(
        {message(JsonObject{{"type", "resource"},
                            {"resource", JsonObject{{"uri", argument(arguments, "resourceUri")},
                                                    {"mimeType", "text/plain"},
                                                    {"text", "Embedded resource content for testing."}}}}),
         message(text("Please process the embedded resource above."))});
  if (name == "test_prompt_with_image")
    return prompt({message(JsonObject{{"type", "image"}, {"data", kRedPixel}, {"mimeType", "image/png"}}),
                   message(text("Please analyze the image above."))});
  if (name == "test_input_required_result_prompt") {
    const auto answers = call.ask({elicit("user_context", "What context should the prompt use?",
                                          JsonObject{{"context", JsonObject{{"type", "string"}}}})});
    if (!answers) return refused(answers.error());
    return prompt({message(text(concat("Context: ", to_text(answers->front()))))});
  }
  return std::optional<Json>();
}

std::vector<std::string> FixturePrompts::complete(const std::string&, const std::string&,
                                                  const std::string& value) {
  std::vector<std::string> fitting;
  for (const std::string_view word : {"paris", "park", "party"})
    if (word.starts_with(value)) fitting.emplace_back(word);
  return fitting;
}

}  // namespace helve::mcp::fixture
