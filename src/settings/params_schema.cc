// Turns a parameter type into JSON Schema 2020-12.
#include "helve/params.h"

namespace helve {
namespace {

using Kind = ParamType::Kind;

Json number(double value) {
  std::int64_t whole = 0;
  return Json(value).fits_int64(whole) ? Json(whole) : Json(value);
}

void add_type(JsonObject& schema, const ParamType& type) {
  switch (type.kind) {
    case Kind::kString: schema.append("type", "string"); break;
    case Kind::kBoolean: schema.append("type", "boolean"); break;
    case Kind::kInteger: schema.append("type", "integer"); break;
    case Kind::kNumber: schema.append("type", "number"); break;
    case Kind::kArray: schema.append("type", "array"); break;
    case Kind::kObject:
    case Kind::kMap: schema.append("type", "object"); break;
    case Kind::kAny: break;
  }
}

void add_bounds(JsonObject& schema, const ParamType& type) {
  if (type.min) schema.append("minimum", number(*type.min));
  if (type.max) schema.append("maximum", number(*type.max));
  const bool counts_elements = type.kind == Kind::kArray;
  if (type.min_length) schema.append(counts_elements ? "minItems" : "minLength", *type.min_length);
  if (type.max_length) schema.append(counts_elements ? "maxItems" : "maxLength", *type.max_length);
  if (!type.pattern.empty()) schema.append("pattern", type.pattern);
  if (!type.choices.empty()) {
    JsonArray names;
    for (const std::string& choice : type.choices) names.emplace_back(choice);
    schema.append("enum", std::move(names));
  }
}

// Obvious defaults would only cost the model tokens.
bool is_obvious(const Json& value) {
  return value.is_null() || (value.is_bool() && !value.as_bool()) ||
         (value.is_string() && value.as_string().empty()) || (value.is_array() && value.as_array().empty()) ||
         (value.is_object() && value.as_object().empty());
}

void add_members(JsonObject& schema, const std::vector<Param>& members, bool open) {
  JsonObject properties;
  JsonArray required;
  for (const Param& member : members) {
    Json property = member.type.to_schema();
    if (!member.description.empty()) property["description"] = member.description;
    if (member.default_value && !is_obvious(*member.default_value))
      property["default"] = *member.default_value;
    properties.append(member.name, std::move(property));
    if (member.required) required.emplace_back(member.name);
  }
  schema.append("properties", std::move(properties));
  if (!required.empty()) schema.append("required", std::move(required));
  if (!open) schema.append("additionalProperties", false);
}

}  // namespace

Json ParamType::to_schema() const {
  JsonObject schema;
  add_type(schema, *this);
  add_bounds(schema, *this);
  if (kind == Kind::kArray) schema.append("items", element.front().to_schema());
  if (kind == Kind::kMap) schema.append("additionalProperties", element.front().to_schema());
  if (kind == Kind::kObject) add_members(schema, members, open);
  return schema;
}

}  // namespace helve
