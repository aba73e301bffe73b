#include "mcp/tool_json.h"

#include "base/base64.h"
#include "base/error_text.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "mcp/foreign_content.h"
#include "mcp/terse_schema.h"
#include "rpc/mcp_protocol.h"

namespace helve::mcp {
namespace {

// Only the hints that differ from the protocol's defaults.
Json annotations_of(const ToolDefinition& tool) {
  const bool open_world =
      tool.effect == Effect::kNetwork || tool.effect == Effect::kExecute || !tool.server.empty();
  JsonObject hints;
  if (tool.read_only()) hints.append("readOnlyHint", true);
  if (!open_world) hints.append("openWorldHint", false);
  if (tool.read_only()) return hints;  // the other hints are meaningless for read-only tools
  if (!tool.destructive) hints.append("destructiveHint", false);
  if (tool.idempotent) hints.append("idempotentHint", true);
  return hints;
}

Json input_schema_of(const ToolDefinition& tool) {
  return tool.foreign_schema.is_null() ? terse_input(tool.model_schema()) : tool.model_schema();
}

Json output_schema_of(const ToolDefinition& tool) {
  return tool.output_schema.is_null() ? terse_output(tool.data_schema()) : tool.output_schema;
}

Json text_content(std::string text) { return JsonObject{{"type", "text"}, {"text", std::move(text)}}; }

}  // namespace

bool wants_structure(const ClientInfo& client) {
  return client.revision >= "2025-06-18" && !client.name.starts_with("claude-code") &&
         !client.name.starts_with("codex");
}

TaskSupport task_support_of(const ToolDefinition& tool) {
  return tool.effect == Effect::kExecute || tool.effect == Effect::kNetwork ? TaskSupport::kOptional
                                                                            : TaskSupport::kForbidden;
}

Json describe_tool(const ToolDefinition& tool, const ClientInfo& client) {
  Json json = JsonObject{{"name", tool.name}};
  if (client.revision >= "2025-06-18" && !tool.title.empty()) json["title"] = tool.title;
  json["description"] = tool.description;
  json["inputSchema"] = input_schema_of(tool);
  if (wants_structure(client))
    if (Json schema = output_schema_of(tool); !schema.is_null()) json["outputSchema"] = std::move(schema);
  if (client.revision >= "2025-03-26")
    if (Json hints = annotations_of(tool); !hints.as_object().empty()) json["annotations"] = std::move(hints);
  // The annotations that another server gives its tool stay as they are.
  if (tool.foreign_extras.is_object())
    for (const auto& [member, value] : tool.foreign_extras.as_object()) json[member] = value;
  if (client.revision == "2025-11-25" && task_support_of(tool) == TaskSupport::kOptional)
    json["execution"] = JsonObject{{"taskSupport", "optional"}};
  return json;
}

Json describe_answer(Answer answer, const ToolDefinition& tool, const ClientInfo& client) {
  answer.tool = tool.name;
  // Not in the structured content, which clients validate against the output schema. Models do not see it.
  Json about = JsonObject{{std::string(rpc::kMetaResult), answer.head_json()}};
  if (!answer.ok()) {
    const Error& error = answer.result.error();
    about[rpc::kMetaError] = error.to_json();
    if (const Json* sent = error.details.find(rpc::kForeignResult); sent != nullptr && !tool.server.empty()) {
      Json result = foreign_failure(*sent, error.message, client);
      for (auto& [name, value] : about.as_object()) result["_meta"][name] = value;
      return result;
    }
    return JsonObject{{"content", JsonArray{text_content(error_text(error))}},
                      {"_meta", std::move(about)},
                      {"isError", true}};
  }
  JsonArray content;
  Output& output = *answer.result;
  const bool is_structured = wants_structure(client) && output.data.is_object();
  const bool has_text = !output.content.empty() || output.images.empty();
  std::string text = std::move(output.content.empty() ? output.summary : output.content);
  // Builtin tools omit the text from their data. Data of other servers is complete and may have a schema.
  if (is_structured && tool.server.empty() && tool.output_schema.is_null() &&
      output.data.find(kTextMember) == nullptr)
    output.data.as_object().append(std::string(kTextMember), text);
  if (const JsonArray* sent = array_in(output.foreign, "content")) {
    content = foreign_content(*sent, client, output.truncated ? &text : nullptr);
  } else {
    for (const Image& image : output.images)
      content.push_back(
          JsonObject{{"type", "image"}, {"data", to_base64(image.bytes)}, {"mimeType", image.mime_type}});
    if (has_text) content.push_back(text_content(std::move(text)));
  }
  const Json* offloaded = output.data.find("offloaded");
  const Json* path = offloaded != nullptr ? offloaded->find("path") : nullptr;
  if (path != nullptr && path->is_string() && client.revision >= "2025-06-18") {
    const std::string name = path->as_string().substr(path->as_string().rfind('/') + 1);
    content.push_back(JsonObject{{"type", "resource_link"},
                                 {"uri", concat(kOutputScheme, name)},
                                 {"name", name},
                                 {"description", "The full result."},
                                 {"mimeType", "text/plain"}});
  }
  JsonObject result;
  result.append("content", std::move(content));
  const Json* sent_data = output.foreign.find("structuredContent");
  if (sent_data != nullptr && wants_structure(client))
    result.append("structuredContent", *sent_data);
  else if (is_structured)
    result.append("structuredContent", std::move(output.data));
  if (const Json* meta = output.foreign.find("_meta"); meta != nullptr && meta->is_object())
    for (const auto& [name, value] : meta->as_object())
      if (about.find(name) == nullptr) about[name] = value;
  result.append("_meta", std::move(about));
  return result;
}

rpc::Failure failure_of(const Error& error) {
  return {rpc::kInternalError, concat(to_string(error.code), ": ", error.message), error.to_json()};
}

}  // namespace helve::mcp
