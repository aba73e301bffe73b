#include "mcp/terse_schema.h"

#include <string>
#include <string_view>

namespace helve::mcp {
namespace {

void shorten(Json& schema) {
  if (!schema.is_object()) return;
  for (const std::string_view bound : {"minimum", "maximum", "minLength", "maxLength"})
    schema.as_object().erase(bound);
  for (auto& [keyword, value] : schema.as_object()) {
    if (keyword == "items") shorten(value);
    if (keyword == "properties" && value.is_object())
      for (auto& [name, property] : value.as_object()) shorten(property);
  }
}

}  // namespace

Json terse_input(Json schema) {
  shorten(schema);
  return schema;
}

Json terse_output(const Json& schema) {
  const Json* properties = schema.find("properties");
  if (properties == nullptr || !properties->is_object()) return schema;
  JsonObject terse;
  for (const auto& [name, property] : properties->as_object()) {
    const Json* type = property.find("type");
    terse.append(name, type == nullptr ? JsonObject() : JsonObject{{"type", *type}});
  }
  return JsonObject{{"type", "object"}, {"properties", std::move(terse)}};
}

}  // namespace helve::mcp
