#include "settings/schema_reader.h"

#include <algorithm>
#include <functional>

#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "settings/param_pattern.h"
#include "settings/schema_index.h"

namespace helve::settings {
namespace {

constexpr std::size_t kMostNodes = 20'000;
constexpr std::size_t kMostPatterns = 100;
constexpr std::size_t kLongestPattern = 2'000;
constexpr std::size_t kMostDoubts = 5;

class SchemaReader {
 public:
  explicit SchemaReader(SchemaDocument& document) : document_(document), index_(document.source) {}

  void read() {
    document_.root = node_for(document_.source, 0);
    for (const auto& [key, schema] : index_.dynamic_anchors())
      document_.dynamic_anchors.emplace(key, node_for(*schema, key.first));
    // Reading a node adds those that it refers to.
    for (std::size_t i = 0; i < document_.nodes.size(); ++i) read_node(document_.nodes[i]);
  }

 private:
  // The node of the schema, which is read later.
  Subschema node_for(const Json& schema, std::size_t resource) {
    const auto known = nodes_.find(&schema);
    if (known != nodes_.end()) return known->second;
    SchemaNode& node = document_.nodes.emplace_back();
    node.source = &schema;
    node.resource = index_.resource_of(schema, resource);
    nodes_.emplace(&schema, &node);
    return &node;
  }

  void read_node(SchemaNode& node) {
    const Json& schema = *node.source;
    if (schema.is_bool()) {
      node.constant = schema.as_bool();
      return;
    }
    if (!schema.is_object())
      return doubt(node, concat("has ", schema.type_name(), " where a schema belongs"));
    if (document_.nodes.size() > kMostNodes) return doubt(node, "is too large");
    node_ = &node;
    read_logic(schema);
    const bool only_reference =
        index_.resource(node.resource).ignores_siblings && schema.find("$ref") != nullptr;
    if (only_reference) return;
    read_any(schema);
    read_numbers(schema);
    read_strings(schema);
    read_arrays(schema);
    read_objects(schema);
  }

  void doubt(SchemaNode& node, std::string text) {
    node.doubtful = true;
    if (document_.doubts.size() < kMostDoubts &&
        std::ranges::find(document_.doubts, text) == document_.doubts.end())
      document_.doubts.push_back(std::move(text));
  }
  void malformed(std::string_view key, const Json& value) {
    doubt(*node_, concat("has the keyword ", key, " with ", shortened(to_text(value), 60)));
  }

  template <class Rules>
  Rules& rules(std::unique_ptr<Rules>& place) {
    if (!place) place = std::make_unique<Rules>();
    return *place;
  }

  // Calls `take` with the keyword's value if it is there and `fits`.
  template <class Fits, class Take>
  void keyword(const Json& schema, std::string_view key, const Fits& fits, const Take& take) {
    const Json* value = schema.find(key);
    if (value == nullptr) return;
    if (fits(*value))
      take(*value);
    else
      malformed(key, *value);
  }
  template <class Take>
  void number(const Json& schema, std::string_view key, const Take& take) {
    keyword(schema, key, [](const Json& value) { return value.is_number(); }, take);
  }
  template <class Take>
  void subschema(const Json& schema, std::string_view key, const Take& take) {
    keyword(
        schema, key, [](const Json& value) { return value.is_object() || value.is_bool(); },
        [&](const Json& value) { take(node_for(value, node_->resource)); });
  }
  template <class Take>
  void count(const Json& schema, std::string_view key, const Take& take) {
    const auto fits = [](const Json& value) {
      std::int64_t whole = 0;
      return value.fits_int64(whole) && whole >= 0;
    };
    keyword(schema, key, fits, [&](const Json& value) {
      std::int64_t whole = 0;
      static_cast<void>(value.fits_int64(whole));
      take(static_cast<std::size_t>(whole));
    });
  }
  template <class Take>
  void list(const Json& schema, std::string_view key, const Take& take) {
    keyword(
        schema, key, [](const Json& value) { return value.is_array(); },
        [&](const Json& value) { take(value.as_array()); });
  }
  template <class Take>
  void members(const Json& schema, std::string_view key, const Take& take) {
    keyword(
        schema, key, [](const Json& value) { return value.is_object(); },
        [&](const Json& value) {
          for (const auto& [name, member] : value.as_object()) take(name, member);
        });
  }

  std::vector<Subschema> nodes_of(const JsonArray& schemas) {
    std::vector<Subschema> nodes;
    for (const Json& each : schemas) nodes.push_back(node_for(each, node_->resource));
    return nodes;
  }

  std::vector<std::string> texts_of(std::string_view key, const JsonArray& array) {
    std::vector<std::string> texts;
    for (const Json& each : array) {
      if (each.is_string())
        texts.push_back(each.as_string());
      else
        malformed(key, Json(array));
    }
    return texts;
  }

  SchemaPattern pattern(const std::string& text) {
    SchemaPattern pattern{.text = text};
    const auto known = patterns_.find(text);
    if (known != patterns_.end()) {
      pattern.compiled = known->second;
    } else if (patterns_.size() < kMostPatterns && text.size() <= kLongestPattern) {
      if (auto compiled = compile_param_pattern(text)) pattern.compiled = *std::move(compiled);
      patterns_.emplace(text, pattern.compiled);
    }
    if (!pattern.compiled)
      doubt(*node_, concat("has the pattern ", shortened(text, 60), ", which cannot be used"));
    return pattern;
  }

  void read_logic(const Json& schema) {
    const auto logic = [&]() -> LogicRules& { return rules(node_->logic); };
    const auto refer = [&](std::string_view key, bool dynamic) {
      keyword(
          schema, key, [](const Json& value) { return value.is_string(); },
          [&](const Json& value) {
            const auto target = index_.find(value.as_string(), node_->resource);
            if (!target)
              return doubt(*node_, concat("refers to ", shortened(value.as_string(), 100),
                                          ", which it does not contain"));
            const Subschema found = node_for(*target->schema, target->resource);
            (dynamic ? logic().dynamic_reference : logic().reference) = found;
            if (dynamic) logic().dynamic_anchor = target->dynamic_anchor;
          });
    };
    refer("$ref", false);
    if (index_.resource(node_->resource).ignores_siblings && schema.find("$ref") != nullptr) return;
    refer("$dynamicRef", true);
    refer("$recursiveRef", true);
    list(schema, "allOf", [&](const JsonArray& all) { logic().all_of = nodes_of(all); });
    list(schema, "anyOf", [&](const JsonArray& all) { logic().any_of = nodes_of(all); });
    list(schema, "oneOf", [&](const JsonArray& all) { logic().one_of = nodes_of(all); });
    subschema(schema, "not", [&](Subschema node) { logic().never = node; });
    subschema(schema, "if", [&](Subschema node) { logic().condition = node; });
    subschema(schema, "then", [&](Subschema node) { logic().then = node; });
    subschema(schema, "else", [&](Subschema node) { logic().otherwise = node; });
  }

  static unsigned type_named(const Json& name) {
    static constexpr std::pair<std::string_view, unsigned> kTypeNames[] = {
        {"null", kTypeNull},     {"boolean", kTypeBoolean}, {"integer", kTypeInteger},
        {"number", kTypeNumber}, {"string", kTypeString},   {"array", kTypeArray},
        {"object", kTypeObject}};
    for (const auto& [text, type] : kTypeNames)
      if (name == Json(text)) return type;
    return 0;
  }

  void read_any(const Json& schema) {
    if (const Json* type = schema.find("type")) {
      const JsonArray names = type->is_array() ? type->as_array() : JsonArray{*type};
      bool all_known = true;
      for (const Json& name : names) {
        const unsigned known = type_named(name);
        node_->types |= known;
        all_known = all_known && known != 0;
      }
      if (!all_known) {
        malformed("type", *type);
        node_->types = 0;
      }
    }
    list(schema, "enum", [&](const JsonArray& values) { node_->choices = &values; });
    node_->only = schema.find("const");
  }

  void read_numbers(const Json& schema) {
    const auto numbers = [&]() -> NumberRules& { return rules(node_->numbers); };
    number(schema, "minimum", [&](const Json& value) { numbers().minimum = &value; });
    number(schema, "maximum", [&](const Json& value) { numbers().maximum = &value; });
    // In draft 4, exclusiveMinimum is a flag beside minimum.
    const auto exclusive = [&](std::string_view key, const Json* NumberRules::* bound,
                               const Json* NumberRules::* open) {
      const Json* value = schema.find(key);
      if (value == nullptr || !value->is_bool())
        return number(schema, key, [&](const Json& limit) { numbers().*open = &limit; });
      if (value->as_bool()) numbers().*open = std::exchange(numbers().*bound, nullptr);
    };
    exclusive("exclusiveMinimum", &NumberRules::minimum, &NumberRules::above);
    exclusive("exclusiveMaximum", &NumberRules::maximum, &NumberRules::below);
    keyword(
        schema, "multipleOf", [](const Json& value) { return value.is_number() && value.as_double() > 0; },
        [&](const Json& value) { numbers().multiple_of = &value; });
  }

  void read_strings(const Json& schema) {
    const auto strings = [&]() -> StringRules& { return rules(node_->strings); };
    count(schema, "minLength", [&](std::size_t value) { strings().min_length = value; });
    count(schema, "maxLength", [&](std::size_t value) { strings().max_length = value; });
    keyword(
        schema, "pattern", [](const Json& value) { return value.is_string(); },
        [&](const Json& value) { strings().pattern = pattern(value.as_string()); });
  }

  void read_arrays(const Json& schema) {
    const auto arrays = [&]() -> ArrayRules& { return rules(node_->arrays); };
    list(schema, "prefixItems", [&](const JsonArray& all) { arrays().prefix = nodes_of(all); });
    // Before 2020-12, a list in `items` was the prefix, and additionalItems described the others.
    if (const Json* items = schema.find("items"); items != nullptr && items->is_array()) {
      arrays().prefix = nodes_of(items->as_array());
      subschema(schema, "additionalItems", [&](Subschema node) { arrays().items = node; });
    } else {
      subschema(schema, "items", [&](Subschema node) { arrays().items = node; });
    }
    subschema(schema, "contains", [&](Subschema node) { arrays().contains = node; });
    count(schema, "minContains", [&](std::size_t value) { arrays().min_contains = value; });
    count(schema, "maxContains", [&](std::size_t value) { arrays().max_contains = value; });
    count(schema, "minItems", [&](std::size_t value) { arrays().min_items = value; });
    count(schema, "maxItems", [&](std::size_t value) { arrays().max_items = value; });
    keyword(
        schema, "uniqueItems", [](const Json& value) { return value.is_bool(); },
        [&](const Json& value) { arrays().unique = value.as_bool(); });
    subschema(schema, "unevaluatedItems", [&](Subschema node) {
      arrays().unevaluated = node;
      document_.tracks_evaluation = true;
    });
  }

  void read_objects(const Json& schema) {
    const auto objects = [&]() -> ObjectRules& { return rules(node_->objects); };
    members(schema, "properties", [&](const std::string& name, const Json& member) {
      objects().names.push_back(name);
      objects().properties.emplace(name, node_for(member, node_->resource));
    });
    members(schema, "patternProperties", [&](const std::string& name, const Json& member) {
      objects().patterns.emplace_back(pattern(name), node_for(member, node_->resource));
    });
    subschema(schema, "additionalProperties", [&](Subschema node) { objects().additional = node; });
    subschema(schema, "propertyNames", [&](Subschema node) { objects().property_names = node; });
    // In draft 3 a property was marked with `required: true`.
    if (const Json* required = schema.find("required"); required == nullptr || !required->is_bool())
      list(schema, "required",
           [&](const JsonArray& names) { objects().required = texts_of("required", names); });
    const auto depends = [&](const std::string& name, const Json& on) {
      if (on.is_array())
        objects().dependent_required.emplace_back(name, texts_of("dependentRequired", on.as_array()));
      else
        objects().dependent_schemas.emplace_back(name, node_for(on, node_->resource));
    };
    for (const std::string_view key : {"dependentRequired", "dependentSchemas", "dependencies"})
      members(schema, key, depends);
    count(schema, "minProperties", [&](std::size_t value) { objects().min_properties = value; });
    count(schema, "maxProperties", [&](std::size_t value) { objects().max_properties = value; });
    subschema(schema, "unevaluatedProperties", [&](Subschema node) {
      objects().unevaluated = node;
      document_.tracks_evaluation = true;
    });
  }

  SchemaDocument& document_;
  SchemaIndex index_;
  SchemaNode* node_ = nullptr;  // the one that is read
  std::map<const Json*, Subschema> nodes_;
  std::map<std::string, std::optional<regex::Regex>> patterns_;
};

}  // namespace

std::shared_ptr<const SchemaDocument> read_schema(Json source) {
  auto document = std::make_shared<SchemaDocument>();
  document->source = std::move(source);
  SchemaReader(*document).read();
  return document;
}

}  // namespace helve::settings
