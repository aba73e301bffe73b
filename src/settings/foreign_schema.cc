#include "settings/foreign_schema.h"

#include <algorithm>

#include "base/json_read.h"

namespace helve::settings {
namespace {

using Kind = ParamType::Kind;

Kind kind_from(const Json& schema) {
  const Json* type = schema.find("type");
  if (type == nullptr || !type->is_string()) return Kind::kAny;
  const std::string& name = type->as_string();
  if (name == "string") return Kind::kString;
  if (name == "boolean") return Kind::kBoolean;
  if (name == "integer") return Kind::kInteger;
  if (name == "number") return Kind::kNumber;
  if (name == "array") return Kind::kArray;
  return name == "object" ? Kind::kObject : Kind::kAny;
}

std::optional<double> number(const Json& schema, std::string_view key) {
  const Json* value = schema.find(key);
  return value != nullptr && value->is_number() ? std::optional(value->as_double()) : std::nullopt;
}

std::optional<std::size_t> length(const Json& schema, std::string_view key) {
  const auto value = number(schema, key);
  return value && *value >= 0 && *value <= 1e9 ? std::optional(static_cast<std::size_t>(*value))
                                               : std::nullopt;
}

bool lists(const Json& schema, std::string_view key, std::string_view name) {
  const Json* list = schema.find(key);
  return list != nullptr && list->is_array() && std::ranges::any_of(list->as_array(), [&](const Json& entry) {
           return entry.is_string() && entry.as_string() == name;
         });
}

std::vector<std::string> choices(const Json& schema) {
  std::vector<std::string> names;
  const Json* list = schema.find("enum");
  if (list == nullptr || !list->is_array()) return names;
  for (const Json& entry : list->as_array()) {
    if (!entry.is_string()) return {};
    names.push_back(entry.as_string());
  }
  return names;
}

ParamType read_type(const Json& schema, int depth) {
  constexpr int kDeepest = 16;
  ParamType type{.kind = depth > kDeepest ? Kind::kAny : kind_from(schema)};
  switch (type.kind) {
    case Kind::kString:
      type.choices = choices(schema);
      type.min_length = length(schema, "minLength");
      type.max_length = length(schema, "maxLength");
      break;
    case Kind::kInteger:
    case Kind::kNumber:
      type.min = number(schema, "minimum");
      type.max = number(schema, "maximum");
      break;
    case Kind::kArray: {
      const Json* items = schema.find("items");
      type.element.push_back(items != nullptr ? read_type(*items, depth + 1) : ParamType());
      type.min_length = length(schema, "minItems");
      type.max_length = length(schema, "maxItems");
      break;
    }
    case Kind::kObject: {
      const Json* additional = schema.find("additionalProperties");
      type.open = additional == nullptr || !additional->is_bool() || additional->as_bool() ||
                  schema.find("patternProperties") != nullptr;
      const Json* properties = schema.find("properties");
      if (properties == nullptr || !properties->is_object()) break;
      for (const auto& [name, property] : properties->as_object()) {
        const Json* filler = property.find("default");  // is filled in where the schema requires the member
        type.members.push_back(
            {name, text_in(property, "description"), filler == nullptr && lists(schema, "required", name),
             filler == nullptr ? std::nullopt : std::optional(*filler), read_type(property, depth + 1)});
      }
      break;
    }
    default: break;
  }
  return type;
}

}  // namespace

std::string undefined_required_property(const Json& schema) {
  const Json* required = schema.find("required");
  if (required == nullptr || !required->is_array()) return {};
  const Json* properties = schema.find("properties");
  for (const Json& name : required->as_array())
    if (name.is_string() && (properties == nullptr || properties->find(name.as_string()) == nullptr))
      return name.as_string();
  return {};
}

ParamType params_from_schema(const Json& schema) {
  ParamType type = read_type(schema, 0);
  if (type.kind != Kind::kObject) return {.kind = Kind::kObject, .open = true};
  return type;
}

Json with_dry_run(Json schema) {
  if (const Json* properties = schema.find("properties"); properties != nullptr && !properties->is_object())
    return schema;
  Json& properties = schema["properties"];
  if (properties.find("dryRun") == nullptr)
    properties["dryRun"] =
        JsonObject{{"type", "boolean"}, {"description", "Change nothing, only show what would happen."}};
  return schema;
}

}  // namespace helve::settings
