#include "settings/schema_index.h"

#include <algorithm>
#include <array>

#include "base/json_read.h"
#include "settings/schema_uri.h"

namespace helve::settings {
namespace {

constexpr auto kSchemaKeywords = std::to_array<std::string_view>(
    {"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
     "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"});
constexpr auto kSchemaListKeywords =
    std::to_array<std::string_view>({"allOf", "anyOf", "items", "oneOf", "prefixItems"});
constexpr auto kSchemaMapKeywords = std::to_array<std::string_view>(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"});

bool names(const auto& keywords, std::string_view key) {
  return std::ranges::find(keywords, key) != keywords.end();
}

bool is_of_draft(const Json& schema, std::initializer_list<std::string_view> drafts) {
  const std::string_view dialect = string_in(schema, "$schema");
  return std::ranges::any_of(drafts,
                             [&](std::string_view draft) { return dialect.find(draft) != dialect.npos; });
}

}  // namespace

SchemaIndex::SchemaIndex(const Json& document) {
  resources_.push_back({.root = &document, .ignores_siblings = is_of_draft(document, {"draft-0"})});
  by_uri_.emplace("", 0);
  walk(document, 0);
}

void SchemaIndex::walk(const Json& document, std::size_t in) {
  std::vector<std::pair<const Json*, std::size_t>> open{{&document, in}};
  while (!open.empty()) {
    auto [schema, resource] = open.back();
    open.pop_back();
    if (resource_of_.contains(schema)) continue;
    if (!schema->is_object()) {
      if (schema->is_bool()) resource_of_.emplace(schema, resource);
      continue;
    }
    resource = enter(*schema, resource);
    resource_of_.emplace(schema, resource);
    take_anchors(*schema, resource);
    for (const auto& [key, value] : schema->as_object()) {
      if (names(kSchemaKeywords, key)) open.emplace_back(&value, resource);
      if (names(kSchemaListKeywords, key) && value.is_array())
        for (const Json& each : value.as_array()) open.emplace_back(&each, resource);
      if (names(kSchemaMapKeywords, key) && value.is_object())
        for (const auto& [name, each] : value.as_object()) open.emplace_back(&each, resource);
    }
  }
}

// The resource that the schema begins or belongs to.
std::size_t SchemaIndex::enter(const Json& schema, std::size_t resource) {
  const bool old = resources_[resource].ignores_siblings;
  if (old && schema.find("$ref") != nullptr) return resource;
  const std::string_view key =
      is_of_draft(*resources_[resource].root, {"draft-03", "draft-04"}) ? "id" : "$id";
  const std::string_view id = string_in(schema, key);
  if (id.empty()) return resource;
  if (id.starts_with('#')) {  // how draft 7 writes an anchor
    anchors_.emplace(std::pair(resource, split_fragment(id).second), &schema);
    return resource;
  }
  std::string uri = split_fragment(resolve_uri(resources_[resource].uri, id)).first;
  std::size_t own = 0;
  if (&schema == resources_[0].root) {
    resources_[0].uri = uri;
  } else {
    own = resources_.size();
    const bool says_dialect = schema.find("$schema") != nullptr;
    resources_.push_back({.uri = uri,
                          .root = &schema,
                          .ignores_siblings = says_dialect ? is_of_draft(schema, {"draft-0"}) : old});
  }
  by_uri_.emplace(std::move(uri), own);
  return own;
}

void SchemaIndex::take_anchors(const Json& schema, std::size_t resource) {
  if (const std::string name = text_in(schema, "$anchor"); !name.empty())
    anchors_.emplace(std::pair(resource, name), &schema);
  if (const std::string name = text_in(schema, "$dynamicAnchor"); !name.empty()) {
    anchors_.emplace(std::pair(resource, name), &schema);
    dynamic_anchors_.emplace(std::pair(resource, name), &schema);
  }
  // Draft 2019-09 has one dynamic anchor without a name.
  if (flag_in(schema, "$recursiveAnchor"))
    dynamic_anchors_.emplace(std::pair(resource, std::string()), &schema);
}

std::size_t SchemaIndex::resource_of(const Json& schema, std::size_t otherwise) const {
  const auto found = resource_of_.find(&schema);
  return found == resource_of_.end() ? otherwise : found->second;
}

std::optional<SchemaTarget> SchemaIndex::find(std::string_view reference, std::size_t from) {
  const auto [uri, fragment] = split_fragment(resolve_uri(resources_[from].uri, reference));
  const auto found = by_uri_.find(uri);
  if (found == by_uri_.end()) return {};
  SchemaTarget target{.schema = resources_[found->second].root, .resource = found->second};
  if (fragment.starts_with('/')) {
    target.schema = follow_pointer(*target.schema, fragment, [&](const Json& step) {
      target.resource = resource_of(step, target.resource);
    });
    if (target.schema == nullptr) return {};
    walk(*target.schema, target.resource);  // it may lie beneath an unknown keyword
    return target;
  }
  const auto key = std::pair(target.resource, fragment);
  if (dynamic_anchors_.contains(key)) target.dynamic_anchor = fragment;
  if (fragment.empty()) return target;
  const auto anchor = anchors_.find(key);
  if (anchor == anchors_.end()) return {};
  target.schema = anchor->second;
  return target;
}

}  // namespace helve::settings
