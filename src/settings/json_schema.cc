#include "settings/json_schema.h"

#include "settings/schema_check.h"
#include "settings/schema_reader.h"

namespace helve::settings {
namespace {

// Fills in what required members have as their default. Follows the schema as far as it surely applies.
class DefaultFiller {
 public:
  explicit DefaultFiller(const SchemaDocument& document) : document_(document) {}

  // True if something was added.
  bool fill(const SchemaNode& node, Json& value, int depth) {
    constexpr int kDeepest = 100;
    constexpr int kMostVisits = 20'000;
    if (depth > kDeepest || ++visits_ > kMostVisits) return false;
    bool added = false;
    if (node.objects && value.is_object()) added = fill_object(node, value, depth);
    if (node.arrays && value.is_array()) added = fill_array(*node.arrays, value.as_array(), depth) || added;
    if (node.logic) added = fill_logic(*node.logic, value, depth) || added;
    return added;
  }

 private:
  static const Json* default_of(Subschema schema, int references = 0) {
    constexpr int kMostReferences = 8;
    if (schema == nullptr || references > kMostReferences) return nullptr;
    if (const Json* value = schema->source->find("default")) return value;
    return schema->logic ? default_of(schema->logic->reference, references + 1) : nullptr;
  }
  // Another part of the schema may describe the member that this one requires.
  static const Json* default_of_member(const SchemaNode& node, const std::string& name, int depth = 0) {
    constexpr int kDeepest = 8;
    if (depth > kDeepest) return nullptr;
    if (node.objects)
      if (const auto found = node.objects->properties.find(name); found != node.objects->properties.end())
        if (const Json* value = default_of(found->second)) return value;
    if (!node.logic) return nullptr;
    if (node.logic->reference != nullptr)
      if (const Json* value = default_of_member(*node.logic->reference, name, depth + 1)) return value;
    for (const Subschema part : node.logic->all_of)
      if (const Json* value = default_of_member(*part, name, depth + 1)) return value;
    return nullptr;
  }

  bool fill_object(const SchemaNode& node, Json& value, int depth) {
    bool added = false;
    JsonObject& object = value.as_object();
    for (const std::string& name : node.objects->required) {
      if (object.contains(name)) continue;
      const Json* filler = default_of_member(node, name);
      // The root may have it, too, if this is a part of an allOf.
      if (filler == nullptr && depth < 2) filler = default_of_member(*document_.root, name);
      if (filler == nullptr) continue;
      object.append(name, *filler);
      added = true;
    }
    for (auto& [name, member] : object) {
      const auto property = node.objects->properties.find(name);
      const Subschema schema =
          property != node.objects->properties.end() ? property->second : node.objects->additional;
      if (schema != nullptr) added = fill(*schema, member, depth + 1) || added;
    }
    return added;
  }

  bool fill_array(const ArrayRules& rules, JsonArray& array, int depth) {
    bool added = false;
    for (std::size_t i = 0; i < array.size(); ++i) {
      const Subschema schema = i < rules.prefix.size() ? rules.prefix[i] : rules.items;
      if (schema != nullptr) added = fill(*schema, array[i], depth + 1) || added;
    }
    return added;
  }

  bool fill_logic(const LogicRules& logic, Json& value, int depth) {
    bool added = false;
    if (logic.reference != nullptr) added = fill(*logic.reference, value, depth + 1);
    for (const Subschema part : logic.all_of) added = fill(*part, value, depth + 1) || added;
    if (logic.condition != nullptr) {
      const Fit condition = fit(*logic.condition, value);
      const Subschema part = condition == Fit::kYes  ? logic.then
                             : condition == Fit::kNo ? logic.otherwise
                                                     : nullptr;
      if (part != nullptr) added = fill(*part, value, depth + 1) || added;
    }
    for (const auto* forms : {&logic.any_of, &logic.one_of}) added = fill_form(*forms, value, depth) || added;
    return added;
  }

  // The first form that the value fits then.
  bool fill_form(const std::vector<Subschema>& forms, Json& value, int depth) {
    for (const Subschema form : forms)
      if (fit(*form, value) != Fit::kNo) return false;
    for (const Subschema form : forms) {
      Json filled = value;
      if (!fill(*form, filled, depth + 1) || fit(*form, filled) == Fit::kNo) continue;
      value = std::move(filled);
      return true;
    }
    return false;
  }

  Fit fit(const SchemaNode& node, const Json& value) {
    constexpr int kMostChecks = 50;
    if (++checks_ > kMostChecks) return Fit::kMaybe;
    return SchemaCheck(document_, "").check(node, value, {}, nullptr, nullptr);
  }

  const SchemaDocument& document_;
  int visits_ = 0;
  int checks_ = 0;
};

}  // namespace

JsonSchema::JsonSchema(Json schema) : document_(read_schema(std::move(schema))) {}

std::vector<Complaint> JsonSchema::check(const Json& value, std::string_view noun) const {
  std::vector<Complaint> complaints;
  const SchemaNode& root = *document_->root;
  // Most values are valid, and complaints cost time.
  if (SchemaCheck(*document_, noun).check(root, value, {}, nullptr, nullptr) != Fit::kNo) return {};
  SchemaCheck(*document_, noun).check(root, value, {}, nullptr, &complaints);
  if (complaints.empty()) complaints.push_back({"", "do not fit the schema"});
  return complaints;
}

void JsonSchema::fill_in_defaults(Json& value) const {
  DefaultFiller(*document_).fill(*document_->root, value, 0);
}

const std::vector<std::string>& JsonSchema::doubts() const { return document_->doubts; }

}  // namespace helve::settings
