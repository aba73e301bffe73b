#include "settings/json_schema.h"

#include <gtest/gtest.h>

#include "base/json_parse.h"
#include "base/strings.h"

namespace helve::settings {
namespace {

JsonSchema schema_from(std::string_view text) { return JsonSchema(parse_json(text).value()); }

// "path problem" for each complaint, separated by "; "; "ok" if there is none.
std::string verdict(std::string_view schema, std::string_view value) {
  std::vector<std::string> lines;
  for (const Complaint& complaint : schema_from(schema).check(parse_json(value).value()))
    lines.push_back(concat(complaint.path, " ", complaint.problem));
  return lines.empty() ? "ok" : join(lines, "\n");
}

bool accepts(std::string_view schema, std::string_view value) { return verdict(schema, value) == "ok"; }

TEST(JsonSchema, ChecksTypesAndSaysWhatToWrite) {
  EXPECT_EQ(verdict(R"({"type": "string"})", "5"), " must be a string, but is 5");
  EXPECT_EQ(verdict(R"({"type": ["integer", "null"]})", R"("5")"),
            " must be a whole number or null, but is \"5\"; write it without the quotes");
  EXPECT_EQ(verdict(R"({"properties": {"tags": {"type": "array"}}})", R"({"tags": "a, b"})"),
            R"(tags must be an array, but is "a, b"; write it as ["a", "b"])");
  EXPECT_EQ(verdict(R"({"properties": {"n": {"type": "number"}}})", R"({"n": null})"),
            "n must be a number, but is null; omit it instead");
  EXPECT_TRUE(accepts(R"({"type": "integer"})", "3.0"));
  EXPECT_FALSE(accepts(R"({"type": "integer"})", "3.5"));
  EXPECT_TRUE(accepts("true", "3"));
  EXPECT_EQ(verdict(R"({"properties": {"old": false}})", R"({"old": 1})"),
            "old is not allowed here; remove it");
}

TEST(JsonSchema, ReportsAllProblemsWithTheirPaths) {
  EXPECT_EQ(verdict(R"({"type": "object", "required": ["path", "edits"], "properties": {
                          "path": {"type": "string", "description": "The file."},
                          "edits": {"type": "array", "items": {"type": "object",
                                    "properties": {"old": {"type": "string", "minLength": 2}}}}}})",
                    R"({"edits": [{"old": "ab"}, {"old": "a"}, 7]})"),
            "path is missing; it is required: The file.\n"
            "edits[1].old must have at least 2 characters, but has 1\n"
            "edits[2] must be an object, but is 7");
}

TEST(JsonSchema, SuggestsTheNameThatWasMeant) {
  constexpr std::string_view kSchema =
      R"({"properties": {"path": {}, "limit": {}}, "required": ["path"], "additionalProperties": false})";
  EXPECT_EQ(verdict(kSchema, R"({"path": "a", "limt": 1})"),
            "limt is not a known parameter; did you mean limit?");
  EXPECT_EQ(verdict(kSchema, R"({"path": "a", "zebra": 1})"),
            "zebra is not a known parameter; known are path and limit");
  EXPECT_EQ(verdict(R"({"patternProperties": {"^x-": {}}, "additionalProperties": false})", R"({"y": 1})"),
            "y is not a known parameter; known are names that match ^x-");
}

TEST(JsonSchema, ComparesNumbersExactly) {
  EXPECT_TRUE(accepts(R"({"multipleOf": 0.01})", "19.99"));
  EXPECT_FALSE(accepts(R"({"multipleOf": 0.01})", "19.999"));
  EXPECT_TRUE(accepts(R"({"multipleOf": 1e-8})", "12391239123"));
  EXPECT_FALSE(accepts(R"({"multipleOf": 7})", "1e300"));
  EXPECT_TRUE(accepts(R"({"multipleOf": 5})", "-9223372036854775805"));
  EXPECT_FALSE(accepts(R"({"maximum": 9007199254740992})", "9007199254740993"));
  EXPECT_TRUE(accepts(R"({"minimum": 18446744073709551614})", "18446744073709551615"));
  EXPECT_EQ(verdict(R"({"exclusiveMinimum": 0, "maximum": 9})", "0"), " must be greater than 0, but is 0");
  EXPECT_EQ(verdict(R"({"minimum": 1, "maximum": 9})", "10"), " must lie between 1 and 9, but is 10");
  EXPECT_EQ(verdict(R"({"multipleOf": 5})", "7"), " must be a multiple of 5, but is 7");
  EXPECT_TRUE(accepts(R"({"const": 2})", "2.0"));
  EXPECT_FALSE(accepts(R"({"const": 0})", "false"));
}

TEST(JsonSchema, ListsChoices) {
  EXPECT_EQ(verdict(R"({"enum": ["css", "device"]})", R"("devise")"),
            " must be css or device, but is \"devise\"; did you mean device?");
  EXPECT_EQ(verdict(R"({"enum": [1, [2], null]})", "2"), " must be 1, [2] or null, but is 2");
  EXPECT_TRUE(accepts(R"({"enum": [{"a": 1, "b": 2}]})", R"({"b": 2, "a": 1.0})"));
  EXPECT_EQ(verdict(R"({"const": {"a": 1}})", "3"), R"( must be {"a":1}, but is 3)");
}

TEST(JsonSchema, ChecksArrays) {
  EXPECT_EQ(verdict(R"({"prefixItems": [{"type": "string"}], "items": false})", R"(["a", 2])"),
            " must have at most 1 element, but has 2");
  EXPECT_EQ(verdict(R"({"uniqueItems": true})", R"([1, {"a": 1, "b": 2}, {"b": 2.0, "a": 1}])"),
            "[2] repeats element 1; remove it");
  EXPECT_TRUE(accepts(R"({"uniqueItems": true})", "[1, true, [1], [true], \"1\"]"));
  constexpr std::string_view kContains = R"({"contains": {"const": 5}, "minContains": 2, "maxContains": 3})";
  EXPECT_EQ(verdict(kContains, "[5, 1]"),
            R"( must have at least 2 elements that fit {"const":5}, but has 1)");
  EXPECT_EQ(verdict(kContains, "[5, 5, 5, 5]"),
            R"( must have at most 3 elements that fit {"const":5}, but has 4)");
  EXPECT_TRUE(accepts(kContains, "[5, 5]"));
  EXPECT_TRUE(accepts(R"({"contains": {"const": 5}, "minContains": 0})", "[]"));
}

TEST(JsonSchema, ChecksObjects) {
  EXPECT_EQ(verdict(R"({"propertyNames": {"pattern": "^[a-z]+$"}})", R"({"Ab": 1})"),
            R"(Ab has a name that is not allowed: it must match ^[a-z]+$, but is "Ab")");
  EXPECT_EQ(verdict(R"({"dependentRequired": {"user": ["password"]}})", R"({"user": 1})"),
            "password is missing; it is required together with user");
  EXPECT_EQ(verdict(R"({"dependentSchemas": {"a": {"properties": {"b": {"type": "string"}}}}})",
                    R"({"a": 1, "b": 2})"),
            "b must be a string, but is 2");
  EXPECT_EQ(verdict(R"({"minProperties": 1})", "{}"), " must have at least 1 member, but has 0");
  EXPECT_EQ(verdict(R"({"patternProperties": {"^n": {"type": "number"}}})", R"({"name": "x"})"),
            "name must be a number, but is \"x\"; write it without the quotes");
}

TEST(JsonSchema, ResolvesReferencesInTheDocument) {
  constexpr std::string_view kTree = R"({"$ref": "#/$defs/node", "$defs": {
      "node": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
               "name": {"$ref": "#text"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}},
      "text": {"$anchor": "text", "type": "string"}}})";
  EXPECT_TRUE(accepts(kTree, R"({"name": "a", "children": [{"name": "b", "children": []}]})"));
  EXPECT_EQ(verdict(kTree, R"({"name": "a", "children": [{"name": 1}]})"),
            "children[0].name must be a string, but is 1");
  constexpr std::string_view kParts = R"({"$id": "https://x.example/root/a", "$ref": "../b#part",
      "$defs": {"b": {"$id": "/b", "$defs": {"p": {"$anchor": "part", "$ref": "#/$defs/q~0~1"},
                                             "q~/": {"type": "integer"}}}}})";
  EXPECT_TRUE(accepts(kParts, "1"));
  EXPECT_FALSE(accepts(kParts, "1.5"));
  EXPECT_FALSE(accepts(R"({"$ref": "#/x%25y", "x%y": {"type": "null"}})", "1"));
}

TEST(JsonSchema, FollowsDynamicReferences) {
  // A list whose elements are what the outermost resource says.
  constexpr std::string_view kSchema = R"({"$id": "https://x.example/numbers", "$ref": "list", "$defs": {
      "item": {"$dynamicAnchor": "item", "type": "number"},
      "list": {"$id": "list", "type": "array", "items": {"$dynamicRef": "#item"},
               "$defs": {"any": {"$dynamicAnchor": "item"}}}}})";
  EXPECT_TRUE(accepts(kSchema, "[1, 2]"));
  EXPECT_EQ(verdict(kSchema, R"([1, true])"), "[1] must be a number, but is true");
}

TEST(JsonSchema, NamesTheFormThatWasMeant) {
  EXPECT_EQ(verdict(R"({"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "integer"}]})", "[]"),
            " must be a string, a whole number or null, but is an array");
  EXPECT_EQ(verdict(R"({"anyOf": [{"type": "object", "required": ["a"]}, {"type": "null"}]})", "{}"),
            "a is missing; it is required");
  EXPECT_EQ(verdict(R"({"anyOf": [{"enum": ["a", "b"]}, {"const": "c"}]})", "7"),
            " must be a, b or c, but is 7");
  constexpr std::string_view kShapes = R"({"oneOf": [
      {"properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["kind", "radius"]},
      {"properties": {"kind": {"const": "box"}, "width": {"type": "number"}, "height": {"type": "number"}},
       "required": ["kind", "width", "height"]}]})";
  EXPECT_EQ(verdict(kShapes, R"({"kind": "box", "width": 1})"), "height is missing; it is required");
  EXPECT_EQ(verdict(kShapes, R"({"kind": "bo"})"),
            "kind must be circle or box, but is \"bo\"; did you mean box?");
  EXPECT_EQ(verdict(R"({"oneOf": [{"required": ["url"]}, {"required": ["path", "line"]}]})", "{}"),
            "url is missing; it is required (in form 1 of 2, the closest)");
  EXPECT_EQ(
      verdict(R"({"oneOf": [{"required": ["url"]}, {"required": ["path"]}]})", R"({"url": 1, "path": 2})"),
      R"( must fit exactly one of 2 forms, but fits forms 1 and 2: {"required":["url"]} and {"required":["path"]})");
}

TEST(JsonSchema, CombinesSchemas) {
  EXPECT_EQ(verdict(R"({"allOf": [{"required": ["a"]}, {"required": ["b"]}]})", "{}"),
            "a is missing; it is required\nb is missing; it is required");
  EXPECT_EQ(verdict(R"({"not": {"required": ["a", "b"]}})", R"({"a": 1, "b": 2})"),
            R"( must not fit {"required":["a","b"]})");
  constexpr std::string_view kCondition =
      R"({"if": {"properties": {"mode": {"const": "at"}}, "required": ["mode"]},
      "then": {"required": ["time"]}, "else": {"properties": {"time": false}}})";
  EXPECT_EQ(verdict(kCondition, R"({"mode": "at"})"), "time is missing; it is required");
  EXPECT_EQ(verdict(kCondition, R"({"time": 1})"), "time is not allowed here; remove it");
  EXPECT_TRUE(accepts(kCondition, R"({"mode": "at", "time": 1})"));
}

TEST(JsonSchema, SeesWhatOtherPartsHaveEvaluated) {
  constexpr std::string_view kObject = R"({"allOf": [{"properties": {"a": {}}}],
      "anyOf": [{"properties": {"b": {"type": "string"}}}, {"properties": {"c": {}}}],
      "if": {"required": ["d"]}, "then": {"properties": {"d": {}}}, "unevaluatedProperties": false})";
  EXPECT_TRUE(accepts(kObject, R"({"a": 1, "b": "x", "c": 2, "d": 3})"));
  EXPECT_EQ(verdict(kObject, R"({"a": 1, "b": 5, "c": 2})"), "b is not a known parameter; remove it");
  EXPECT_EQ(
      verdict(R"({"prefixItems": [{}], "contains": {"const": 9}, "unevaluatedItems": {"type": "string"}})",
              R"([1, 9, "x", 2])"),
      "[3] must be a string, but is 2");
  // An inner schema does not see its neighbours.
  EXPECT_FALSE(
      accepts(R"({"allOf": [{"properties": {"a": {}}}, {"unevaluatedProperties": false}]})", R"({"a": 1})"));
}

TEST(JsonSchema, ReadsTheFormsOfOlderDrafts) {
  EXPECT_FALSE(
      accepts(R"({"items": [{"type": "string"}], "additionalItems": {"type": "number"}})", R"(["a", "b"])"));
  EXPECT_FALSE(accepts(R"({"$ref": "#/definitions/a", "definitions": {"a": {"type": "null"}}})", "1"));
  EXPECT_FALSE(accepts(R"({"minimum": 5, "exclusiveMinimum": true})", "5"));
  EXPECT_TRUE(accepts(R"({"minimum": 5, "exclusiveMinimum": false})", "5"));
  EXPECT_FALSE(accepts(R"({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}})", R"({"a": 1})"));
  EXPECT_FALSE(accepts(R"({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}})", R"({"c": 1})"));
  EXPECT_TRUE(accepts(R"({"properties": {"a": {"required": true}}})", "{}"));
  // Before 2019-09, the keywords beside $ref did not count.
  EXPECT_TRUE(accepts(R"({"$schema": "http://json-schema.org/draft-07/schema#",
                          "properties": {"a": {"$ref": "#/definitions/t", "minLength": 3}},
                          "definitions": {"t": {"type": "string"}}})",
                      R"({"a": "x"})"));
  EXPECT_FALSE(accepts(R"({"properties": {"a": {"$ref": "#/definitions/t", "minLength": 3}},
                           "definitions": {"t": {"type": "string"}}})",
                       R"({"a": "x"})"));
}

TEST(JsonSchema, WhatCannotBeDecidedRefusesNothing) {
  const JsonSchema remote =
      schema_from(R"({"properties": {"a": {"$ref": "https://x.example/a"}, "b": {"type": "null"}}})");
  EXPECT_TRUE(remote.check(parse_json(R"({"a": 1})").value()).empty());
  EXPECT_FALSE(remote.check(parse_json(R"({"a": 1, "b": 1})").value()).empty());
  EXPECT_EQ(remote.doubts(),
            std::vector<std::string>{"refers to https://x.example/a, which it does not contain"});
  for (const std::string_view schema :
       {R"j({"not": {"pattern": "^(?!a)"}})j",
        R"j({"oneOf": [{"pattern": "^(?!a)"}, {"pattern": "(?=b)"}]})j",
        R"({"contains": {"$ref": "#/nowhere"}})", R"({"minLength": "x"})", R"({"type": "strange"})",
        R"({"$ref": "else.json", "unevaluatedProperties": false})", R"({"properties": {"a": 5}})",
        R"j({"patternProperties": {"(?!a)": true}, "additionalProperties": false})j",
        R"({"if": {"$ref": "x:y"}, "then": false})"})
    for (const std::string_view value : {R"("b")", "[1]", R"({"a": 1})"})
      EXPECT_EQ(verdict(schema, value), "ok") << schema << value;
  EXPECT_TRUE(schema_from(R"({"format": "email", "unknown": [], "properties": {"a": {}}})").doubts().empty());
}

TEST(JsonSchema, HostileSchemasAndValuesTakeBoundedWork) {
  std::string doubling = R"({"$ref": "#/$defs/0", "$defs": {)";
  for (int i = 0; i < 60; ++i)
    doubling += concat("\"", i, R"(": {"allOf": [{"$ref": "#/$defs/)", i + 1, R"("}, {"$ref": "#/$defs/)",
                       i + 1, R"("}]}, )");
  EXPECT_EQ(verdict(doubling + R"("60": {"type": "null"}}})", "1"), " must be null, but is 1");
  EXPECT_EQ(verdict(doubling + R"("60": {}}})", "1"), "ok");
  EXPECT_EQ(verdict(R"({"$ref": "#"})", "1"), "ok");
  EXPECT_EQ(verdict(R"({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]})", "1"), "ok");
  EXPECT_EQ(verdict(R"({"not": {"$ref": "#"}})", "1"), "ok");
  JsonArray numbers;
  JsonObject members;
  for (int i = 0; i < 50'000; ++i) {
    numbers.emplace_back(i);
    members.append(concat("m", i), JsonObject{{"type", "integer"}});
  }
  const JsonSchema choices(JsonObject{{"items", JsonObject{{"enum", numbers}}}, {"uniqueItems", true}});
  EXPECT_TRUE(choices.check(numbers).empty());
  const JsonSchema large(JsonObject{{"properties", members}, {"additionalProperties", false}});
  EXPECT_TRUE(large.check(members).empty());
  EXPECT_FALSE(large.doubts().empty());
  const JsonSchema pattern(JsonObject{{"pattern", "^(\\p{L}{1,900}x){1,900}$"}});
  EXPECT_TRUE(pattern.check(std::string(10'000, 'a')).empty());
}

TEST(JsonSchema, FillsInRequiredMembersThatHaveADefault) {
  const auto filled = [](std::string_view schema, std::string_view value) {
    Json json = parse_json(value).value();
    const JsonSchema read = schema_from(schema);
    read.fill_in_defaults(json);
    return concat(to_text(json), read.check(json).empty() ? "" : " is invalid");
  };
  constexpr std::string_view kScale = R"({"type": "object", "required": ["scale"],
      "properties": {"scale": {"enum": ["css", "device"], "default": "css"}, "other": {"default": 1}}})";
  EXPECT_EQ(filled(kScale, "{}"), R"({"scale":"css"})");
  EXPECT_EQ(filled(kScale, R"({"scale": "device"})"), R"({"scale":"device"})");
  EXPECT_EQ(filled(R"({"properties": {"list": {"items": {"$ref": "#/$defs/e"}}}, "$defs": {
                         "e": {"required": ["n"], "properties": {"n": {"$ref": "#/$defs/n"}}},
                         "n": {"type": "integer", "default": 3}}})",
                   R"({"list": [{}, {"n": 1}]})"),
            R"({"list":[{"n":3},{"n":1}]})");
  EXPECT_EQ(filled(R"({"properties": {"n": {"default": 3}}, "allOf": [{"required": ["n"]}]})", "{}"),
            R"({"n":3})");
  EXPECT_EQ(
      filled(R"({"anyOf": [{"type": "null"}, {"required": ["n"], "properties": {"n": {"default": 3}}}]})",
             "{}"),
      R"({"n":3})");
  EXPECT_EQ(filled(R"({"required": ["n"], "properties": {"n": {}}})", "{}"), "{} is invalid");
}

}  // namespace
}  // namespace helve::settings
