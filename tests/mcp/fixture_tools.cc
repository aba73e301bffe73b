#include "fixture_tools.h"

#include <algorithm>
#include <thread>

#include "base/json_parse.h"

namespace helve::mcp::fixture {
namespace {

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

Json resource(std::string uri, std::string type, std::string content) {
  return JsonObject{
      {"type", "resource"},
      {"resource",
       JsonObject{{"uri", std::move(uri)}, {"mimeType", std::move(type)}, {"text", std::move(content)}}}};
}

Json image() { return JsonObject{{"type", "image"}, {"data", kRedPixel}, {"mimeType", "image/png"}}; }

Outcome with_logging(ActiveRequest& call, const Json&) {
  for (const std::string_view step :
       {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
    call.log(LogSeverity::kInfo, "fixture", step);
    pause();
  }
  return result(text("The tool has logged three times."));
}

Outcome with_progress(ActiveRequest& call, const Json&) {
  for (const double done : {0.0, 50.0, 100.0}) {
    call.progress({.done = done, .total = 100.0});
    pause();
  }
  return result(text("The tool has reported its progress."));
}

Outcome reconnection(ActiveRequest& call, const Json&) {
  call.close_stream();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  return result(text("The stream was closed, and taken up again."));
}

const char* const kRichSchema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
    }
  },
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
})";

}  // namespace

Json text(std::string text) { return JsonObject{{"type", "text"}, {"text", std::move(text)}}; }
Json result(Json content) { return JsonObject{{"content", JsonArray{std::move(content)}}}; }

Inquiry elicit(std::string key, std::string message, Json properties) {
  JsonArray required;
  for (const auto& [name, property] : properties.as_object()) required.emplace_back(name);
  return {.key = std::move(key),
          .method = "elicitation/create",
          .params = JsonObject{{"message", std::move(message)},
                               {"requestedSchema", JsonObject{{"type", "object"},
                                                              {"properties", std::move(properties)},
                                                              {"required", std::move(required)}}}}};
}

std::unexpected<rpc::Failure> refused(const Error& error) {
  const Json* required = error.details.find("requiredCapabilities");
  if (required == nullptr) return failure(rpc::kInternalError, error.message);
  return failure(rpc::kMissingClientCapability, error.message, error.details);
}

Subscription Listeners::add(std::function<void()> callback) {
  auto shared = std::make_shared<std::function<void()>>(std::move(callback));
  const std::lock_guard lock(mutex_);
  callbacks_.push_back(shared);
  return shared;
}

void Listeners::tell() {
  std::vector<std::shared_ptr<std::function<void()>>> present;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& callback : callbacks_)
      if (auto shared = callback.lock()) present.push_back(std::move(shared));
  }
  for (const auto& callback : present) (*callback)();
}

FixtureTools::FixtureTools(Listeners& tool_changes, Listeners& prompt_changes) : tool_changes_(tool_changes) {
  add_content_tools(tools_);
  add_asking_tools(tools_);
  add_input_required_tools(tools_);
  add_task_tools(tools_);
  const auto changing = [](Listeners& listeners) {
    return [&listeners](ActiveRequest&, const Json&) -> Outcome {
      listeners.tell();
      return result(text("changed"));
    };
  };
  tools_.push_back({"test_trigger_tool_change", changing(tool_changes)});
  tools_.push_back({"test_trigger_prompt_change", changing(prompt_changes)});
}

JsonArray FixtureTools::list(ActiveRequest&) {
  JsonArray all;
  for (const FixtureTool& tool : tools_)
    all.push_back(JsonObject{
        {"name", tool.name}, {"description", "For the conformance suite."}, {"inputSchema", tool.schema}});
  return all;
}

std::optional<OfferedTool> FixtureTools::find(const std::string& name) {
  const auto found = std::ranges::find(tools_, name, &FixtureTool::name);
  if (found == tools_.end()) return {};
  return OfferedTool{.task_support = found->tasks, .header_schema = found->schema, .call = found->run};
}

Subscription FixtureTools::on_change(std::function<void()> callback) {
  return tool_changes_.add(std::move(callback));
}

void add_content_tools(std::vector<FixtureTool>& tools) {
  const auto fixed = [&](std::string name, const Json& content) {
    tools.push_back(
        {std::move(name), [content](ActiveRequest&, const Json&) -> Outcome { return result(content); }});
  };
  fixed("test_simple_text", text("This is a simple text response for testing."));
  fixed("test_image_content", image());
  fixed("test_audio_content", JsonObject{{"type", "audio"}, {"data", kSilence}, {"mimeType", "audio/wav"}});
  fixed("test_embedded_resource",
        resource("test://embedded-resource", "text/plain", "This is an embedded resource content."));
  tools.push_back({"test_multiple_content_types", [](ActiveRequest&, const Json&) -> Outcome {
                     return Json(JsonObject{
                         {"content", JsonArray{text("Multiple content types test:"), image(),
                                               resource("test://mixed-content-resource", "application/json",
                                                        R"({"test":"data","value":123})")}}});
                   }});
  tools.push_back({"test_error_handling", [](ActiveRequest&, const Json&) -> Outcome {
                     Json failed = result(text("This tool intentionally returns an error for testing"));
                     failed["isError"] = true;
                     return failed;
                   }});
  tools.push_back({"test_tool_with_logging", with_logging});
  tools.push_back({"test_logging_tool", with_logging});
  tools.push_back({"test_tool_with_progress", with_progress});
  tools.push_back({"test_reconnection", reconnection});
  tools.push_back(
      {"json_schema_2020_12_tool",
       [](ActiveRequest&, const Json& arguments) -> Outcome { return result(text(to_text(arguments))); },
       TaskSupport::kForbidden, parse_json(kRichSchema).value()});
  tools.push_back(
      {"test_custom_header",
       [](ActiveRequest&, const Json& arguments) -> Outcome { return result(text(to_text(arguments))); },
       TaskSupport::kForbidden,
       JsonObject{{"type", "object"},
                  {"properties",
                   JsonObject{{"region", JsonObject{{"type", "string"}, {"x-mcp-header", "Region"}}}}}}});
}

}  // namespace helve::mcp::fixture
