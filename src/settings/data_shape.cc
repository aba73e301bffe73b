#include "settings/data_shape.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "helve/tool.h"

namespace helve::settings {
namespace {

constexpr auto kTypes = std::to_array<std::string_view>({"string", "integer", "number", "boolean", "null"});

class ShapeReader {
 public:
  explicit ShapeReader(std::string_view text) : text_(text) {}

  Expected<Json> read() {
    auto schema = shape();
    if (schema && !next().empty()) return unexpected();
    return schema;
  }

 private:
  // The rest, without leading blanks.
  std::string_view next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return text_.substr(at_);
  }
  bool take(char wanted) {
    if (!next().starts_with(wanted)) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    const std::string_view rest = next();
    const auto end = std::ranges::find_if_not(rest, is_word_character);
    at_ += static_cast<std::size_t>(end - rest.begin());
    return rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  }
  std::unexpected<Error> unexpected() {
    return fail(ErrorCode::kInvalidArgument,
                concat("The shape is wrong at \"", shortened(std::string(next()), 40), "\"."));
  }

  Expected<Json> shape() {
    std::vector<Json> choices;
    do {
      auto one = single();
      if (!one) return one;
      choices.push_back(*std::move(one));
    } while (take('|'));
    return choices.size() == 1 ? std::move(choices.front()) : one_of(choices);
  }

  // Simple types and words merge into one schema; anything else becomes alternatives.
  static Json one_of(const std::vector<Json>& choices) {
    const auto joined = [&](std::string_view member) -> std::optional<JsonArray> {
      JsonArray all;
      for (const Json& choice : choices) {
        const Json* value = choice.as_object().size() == 1 ? choice.find(member) : nullptr;
        if (value == nullptr) return {};
        if (value->is_array())
          for (const Json& word : value->as_array()) all.push_back(word);
        else
          all.push_back(*value);
      }
      return all;
    };
    if (auto types = joined("type")) return JsonObject{{"type", *std::move(types)}};
    if (auto words = joined("enum")) return JsonObject{{"enum", *std::move(words)}};
    return JsonObject{{"anyOf", JsonArray(choices.begin(), choices.end())}};
  }

  Expected<Json> single() {
    if (take('{')) return object();
    if (take('[')) return list();
    if (take('"')) {
      const std::size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) return unexpected();
      const std::string_view literal = text_.substr(at_, end - at_);
      at_ = end + 1;
      return Json(JsonObject{{"enum", JsonArray{literal}}});
    }
    const std::string_view type = word();
    if (type == "any") return Json(JsonObject());
    if (std::ranges::find(kTypes, type) == kTypes.end()) return unexpected();
    return Json(JsonObject{{"type", type}});
  }

  Expected<Json> list() {
    auto items = shape();
    if (!items) return items;
    if (!take(']')) return unexpected();
    return Json(JsonObject{{"type", "array"}, {"items", *std::move(items)}});
  }

  Expected<Json> object() {
    JsonObject properties;
    JsonArray required;
    while (!take('}')) {
      const std::string_view name = word();
      const bool may_be_missing = take('?');
      if (name.empty() || properties.find(name) != nullptr || !take(':')) return unexpected();
      auto value = shape();
      if (!value) return value;
      properties.append(std::string(name), *std::move(value));
      if (!may_be_missing) required.emplace_back(name);
      if (!take(',') && !next().starts_with('}')) return unexpected();
    }
    JsonObject schema{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema.append("required", std::move(required));
    return Json(std::move(schema));
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Expected<Json> schema_of_shape(std::string_view shape) { return ShapeReader(shape).read(); }

}  // namespace helve::settings

namespace helve {

Json ToolDefinition::model_schema() const {
  Json schema = input_schema();
  if (!foreign_schema.is_null()) return schema;
  const auto is_required = [&](std::string_view parameter) {
    return std::ranges::any_of(params.members,
                               [&](const Param& param) { return param.name == parameter && param.required; });
  };
  for (const std::string_view common : {"dryRun", "explanation"})
    if (const Json* properties = schema.find("properties");
        properties->find(common) != nullptr && !is_required(common))
      schema["properties"][common] = JsonObject{{"type", *properties->find(common)->find("type")}};
  return schema;
}

Json ToolDefinition::data_schema() const {
  if (!output_schema.is_null() || data_shape.empty()) return output_schema;
  return settings::schema_of_shape(data_shape).value_or(Json());
}

}  // namespace helve
