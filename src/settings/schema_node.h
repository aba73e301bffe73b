// A JSON Schema as it is evaluated: keywords by the type of value they apply to, references resolved.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helve/json.h"
#include "regex/regex.h"

namespace helve::settings {

struct SchemaNode;
using Subschema = const SchemaNode*;  // null: the keyword is absent

struct SchemaPattern {
  std::string text = {};
  std::optional<regex::Regex> compiled = {};  // empty: it cannot be compiled, so it decides nothing
};

struct NumberRules {
  const Json* minimum = nullptr;
  const Json* maximum = nullptr;
  const Json* above = nullptr;
  const Json* below = nullptr;
  const Json* multiple_of = nullptr;
};

struct StringRules {
  std::optional<std::size_t> min_length = {};
  std::optional<std::size_t> max_length = {};
  std::optional<SchemaPattern> pattern = {};
};

struct ArrayRules {
  std::vector<Subschema> prefix = {};
  Subschema items = nullptr;  // of the elements after the prefix
  Subschema contains = nullptr;
  std::optional<std::size_t> min_contains = {};
  std::optional<std::size_t> max_contains = {};
  std::optional<std::size_t> min_items = {};
  std::optional<std::size_t> max_items = {};
  bool unique = false;
  Subschema unevaluated = nullptr;
};

struct ObjectRules {
  std::vector<std::string> names = {};  // of the properties, in the order of the schema
  std::map<std::string, Subschema, std::less<>> properties = {};
  std::vector<std::pair<SchemaPattern, Subschema>> patterns = {};
  Subschema additional = nullptr;
  Subschema property_names = nullptr;
  std::vector<std::string> required = {};
  std::vector<std::pair<std::string, std::vector<std::string>>> dependent_required = {};
  std::vector<std::pair<std::string, Subschema>> dependent_schemas = {};
  std::optional<std::size_t> min_properties = {};
  std::optional<std::size_t> max_properties = {};
  Subschema unevaluated = nullptr;
};

struct LogicRules {
  std::vector<Subschema> all_of = {};
  std::vector<Subschema> any_of = {};
  std::vector<Subschema> one_of = {};
  Subschema never = nullptr;
  Subschema condition = nullptr;
  Subschema then = nullptr;
  Subschema otherwise = nullptr;
  Subschema reference = nullptr;
  Subschema dynamic_reference = nullptr;           // where it leads without a dynamic scope
  std::optional<std::string> dynamic_anchor = {};  // what it looks for in the dynamic scope
};

enum SchemaType : unsigned {
  kTypeNull = 1,
  kTypeBoolean = 2,
  kTypeInteger = 4,
  kTypeNumber = 8,
  kTypeString = 16,
  kTypeArray = 32,
  kTypeObject = 64,
};

struct SchemaNode {
  const Json* source = nullptr;
  std::size_t resource = 0;
  std::optional<bool> constant = {};  // a schema that is just true or false
  bool doubtful = false;              // something in it cannot be decided
  unsigned types = 0;                 // a set of SchemaType; 0: any
  const JsonArray* choices = nullptr;
  const Json* only = nullptr;
  std::unique_ptr<NumberRules> numbers = {};
  std::unique_ptr<StringRules> strings = {};
  std::unique_ptr<ArrayRules> arrays = {};
  std::unique_ptr<ObjectRules> objects = {};
  std::unique_ptr<LogicRules> logic = {};
};

struct SchemaDocument {
  Json source;
  std::deque<SchemaNode> nodes = {};
  Subschema root = nullptr;
  // By resource and name.
  std::map<std::pair<std::size_t, std::string>, Subschema> dynamic_anchors = {};
  bool tracks_evaluation = false;  // some keyword depends on what others have evaluated
  std::vector<std::string> doubts = {};
};

}  // namespace helve::settings
