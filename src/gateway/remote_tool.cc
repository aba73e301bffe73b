#include "gateway/remote_tool.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/base64.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "gateway/protocol.h"

namespace helve::gateway {
namespace {

constexpr std::size_t kLongestName = 256;
constexpr int kDeepestSchema = 48;

std::unexpected<Error> unusable(std::string_view tool, std::string_view problem) {
  return fail(ErrorCode::kInvalidArgument,
              concat("The tool \"", shortened(tool, 100), "\" cannot be used: ", problem));
}

std::optional<bool> flag(const Json* annotations, std::string_view name) {
  const Json* value = annotations == nullptr ? nullptr : annotations->find(name);
  return value != nullptr && value->is_bool() ? std::optional(value->as_bool()) : std::nullopt;
}

// The characters that RFC 9110 allows in a field name.
bool is_token(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

// Collects the arguments that are to go as headers. A schema that declares one in a forbidden way makes the
// whole tool unusable.
class HeaderScan {
 public:
  explicit HeaderScan(std::vector<HeaderArgument>& found) : found_(found) {}

  // What is wrong; empty when nothing is.
  std::string scan(const Json& schema) { return visit(schema, true, 0); }

 private:
  std::string visit(const Json& schema, bool reachable, int depth) {
    if (!schema.is_object()) return {};
    if (depth > kDeepestSchema) return "its schema is too deep";
    if (const Json* name = schema.find(rpc::kHeaderKeyword))
      if (std::string problem = take(schema, *name, reachable); !problem.empty()) return problem;
    for (const auto& [key, value] : schema.as_object()) {
      if (key == "properties" && value.is_object()) {
        for (const auto& [name, property] : value.as_object()) {
          path_.push_back(name);
          std::string problem = visit(property, reachable, depth + 1);
          path_.pop_back();
          if (!problem.empty()) return problem;
        }
      } else if (std::string problem = visit_others(key, value, depth); !problem.empty()) {
        return problem;
      }
    }
    return {};
  }

  // Schemas in places where an argument is not always to be found.
  std::string visit_others(std::string_view key, const Json& value, int depth) {
    static constexpr auto kMaps =
        std::to_array<std::string_view>({"patternProperties", "dependentSchemas", "$defs", "definitions"});
    static constexpr auto kSchemas = std::to_array<std::string_view>(
        {"items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties",
         "unevaluatedItems", "propertyNames", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"});
    const bool is_map = std::ranges::find(kMaps, key) != kMaps.end();
    if (!is_map && std::ranges::find(kSchemas, key) == kSchemas.end()) return {};
    std::string problem;
    if (value.is_array()) {
      for (const Json& each : value.as_array())
        if (problem.empty()) problem = visit(each, false, depth + 1);
    } else if (is_map && value.is_object()) {
      for (const auto& [name, each] : value.as_object())
        if (problem.empty()) problem = visit(each, false, depth + 1);
    } else {
      problem = visit(value, false, depth + 1);
    }
    return problem;
  }

  std::string take(const Json& schema, const Json& name, bool reachable) {
    if (!reachable || path_.empty()) return "an x-mcp-header is where no argument is for certain";
    if (!name.is_string() || !is_token(name.as_string())) return "an x-mcp-header is no header name";
    const std::string type = text_member(schema, "type", 100);
    if (type != "string" && type != "integer" && type != "boolean")
      return "an x-mcp-header is on an argument that is no string, integer or boolean";
    std::string header = concat(rpc::kParamHeaderPrefix, name.as_string());
    const std::string lower = to_lower(header);
    if (std::ranges::any_of(found_, [&](const auto& known) { return to_lower(known.header) == lower; }))
      return "two arguments have the same x-mcp-header";
    found_.push_back({path_, std::move(header)});
    return {};
  }

  std::vector<HeaderArgument>& found_;
  std::vector<std::string> path_;
};

// The argument as header text; nothing for what has no such form.
std::optional<std::string> plain_text(const Json& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  constexpr std::int64_t kExact = std::int64_t{1} << 53;  // beyond it, other languages round
  std::int64_t whole = 0;
  if (value.is_number() && value.fits_int64(whole) && std::abs(whole) < kExact) return concat(whole);
  return {};
}

}  // namespace

Expected<RemoteTool> read_tool(const Json& description) {
  if (!description.is_object()) return unusable("", "it is no object");
  RemoteTool tool{.name = text_member(description, "name", kLongestName + 1)};
  if (tool.name.empty() || tool.name.size() > kLongestName)
    return unusable(tool.name, "its name is missing or too long");
  tool.description = text_member(description, "description");
  tool.title = text_member(description, "title", 500);
  if (const Json* schema = description.find("inputSchema")) {
    if (!schema->is_object()) return unusable(tool.name, "its inputSchema is no object");
    tool.input_schema = *schema;
  }
  if (const Json* schema = description.find("outputSchema"); schema != nullptr && schema->is_object())
    tool.output_schema = *schema;
  const Json* annotations = description.find("annotations");
  if (tool.title.empty() && annotations != nullptr) tool.title = text_member(*annotations, "title", 500);
  tool.read_only = flag(annotations, "readOnlyHint");
  tool.destructive = flag(annotations, "destructiveHint");
  tool.idempotent = flag(annotations, "idempotentHint");
  tool.open_world = flag(annotations, "openWorldHint");
  if (std::string problem = HeaderScan(tool.header_arguments).scan(tool.input_schema); !problem.empty())
    return unusable(tool.name, problem);
  tool.source = description;
  return tool;
}

http::Headers argument_headers(const RemoteTool& tool, const Json& arguments) {
  http::Headers headers;
  for (const HeaderArgument& argument : tool.header_arguments) {
    const Json* value = &arguments;
    for (const std::string& key : argument.path) value = value == nullptr ? nullptr : value->find(key);
    if (value == nullptr) continue;
    if (const auto text = plain_text(*value)) headers.add(argument.header, header_value(*text));
  }
  return headers;
}

void add_header(http::Headers& headers, std::string_view name, std::string value) {
  headers.add(std::string(name), std::move(value));
}

std::string header_value(std::string_view value) {
  const bool plain =
      !value.empty() && std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; }) &&
      value.front() != ' ' && value.back() != ' ' &&
      !(value.starts_with(rpc::kEncodedHeaderStart) && value.ends_with(rpc::kEncodedHeaderEnd));
  if (plain) return std::string(value);
  return concat(rpc::kEncodedHeaderStart, to_base64(value), rpc::kEncodedHeaderEnd);
}

}  // namespace helve::gateway
