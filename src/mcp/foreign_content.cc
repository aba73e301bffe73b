#include "mcp/foreign_content.h"

#include "base/json_read.h"
#include "base/strings.h"

namespace helve::mcp {
namespace {

Json text_part(std::string text) { return JsonObject{{"type", "text"}, {"text", std::move(text)}}; }

bool holds_text(const Json& part) {
  const Json* resource = part.find("resource");
  return string_in(part, "type") == "text" || (resource != nullptr && resource->find("text") != nullptr);
}

Json for_client(const Json& part, const ClientInfo& client) {
  const std::string_view type = string_in(part, "type");
  if (type == "audio" && client.revision < "2025-03-26")
    return text_part(concat("[audio, ", string_in(part, "mimeType"), "]"));
  if (type == "resource_link" && client.revision < "2025-06-18")
    return text_part(concat("[", string_in(part, "name"), "](", string_in(part, "uri"), ")"));
  return part;
}

}  // namespace

JsonArray foreign_content(const JsonArray& sent, const ClientInfo& client, const std::string* stub) {
  JsonArray content;
  if (stub != nullptr) content.push_back(text_part(*stub));
  for (const Json& part : sent)
    if (stub == nullptr || !holds_text(part)) content.push_back(for_client(part, client));
  return content;
}

Json foreign_failure(const Json& sent, const std::string& text, const ClientInfo& client) {
  const JsonArray* parts = array_in(sent, "content");
  Json result = JsonObject{
      {"content", parts != nullptr ? foreign_content(*parts, client, nullptr) : JsonArray{text_part(text)}}};
  for (const std::string_view member : {"structuredContent", "_meta"})
    if (const Json* value = sent.find(member)) result[member] = *value;
  result["isError"] = true;
  return result;
}

}  // namespace helve::mcp
