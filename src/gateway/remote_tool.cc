#include "gateway/remote_tool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "gateway/protocol.h"
#include "http/request_parser.h"

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

// Collects the arguments that are also sent as headers. An invalid x-mcp-header makes the whole tool
// unusable.
class HeaderScan {
 public:
  explicit HeaderScan(std::vector<HeaderArgument>& found) : found_(found) {}

  // Returns the problem; empty if there is none.
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

  // Subschemas where an argument may be absent.
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
    if (!reachable || path_.empty()) return "an x-mcp-header is on an argument that may be absent";
    if (!name.is_string() || !http::is_token(name.as_string())) return "an x-mcp-header is not a header name";
    const std::string type = text_member(schema, "type", 100);
    if (type != "string" && type != "integer" && type != "boolean")
      return "an x-mcp-header is on an argument that is not a string, integer or boolean";
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

// The argument as header text; nothing if it has no such form.
std::optional<std::string> plain_text(const Json& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  constexpr std::int64_t kExact = std::int64_t{1} << 53;  // larger numbers are rounded in other languages
  std::int64_t whole = 0;
  if (value.is_number() && value.fits_int64(whole) && std::abs(whole) < kExact) return concat(whole);
  return {};
}

}  // namespace

Expected<RemoteTool> read_tool(const Json& description) {
  if (!description.is_object()) return unusable("", "it is not an object");
  RemoteTool tool{.name = text_member(description, "name", kLongestName + 1)};
  if (tool.name.empty() || tool.name.size() > kLongestName)
    return unusable(tool.name, "its name is missing or too long");
  tool.description = text_member(description, "description");
  tool.title = text_member(description, "title", 500);
  if (const Json* schema = description.find("inputSchema")) {
    if (!schema->is_object()) return unusable(tool.name, "its inputSchema is not an object");
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

namespace {

constexpr std::size_t kLongestLabel = 32;
constexpr std::size_t kHashDigits = 8;

std::string cleaned(std::string_view name) {
  std::string out;
  for (const char c : name) {
    out += is_letter_or_digit(c) || c == '_' || c == '-' ? c : '_';
  }
  return out.empty() ? "_" : out;
}

std::string with_hash(std::string name, std::string_view original, std::size_t longest) {
  name.resize(std::min(name.size(), longest - kHashDigits - 1));
  return concat(name, "_", sha256_hex(original).substr(0, kHashDigits));
}

// Keeps unique names, and among equal names the one that equals its original. Others get a hash.
std::vector<std::string> made_unique(std::vector<std::string> names,
                                     const std::vector<std::string>& originals, std::size_t longest) {
  std::map<std::string, int> counts;
  for (const std::string& name : names) ++counts[name];
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].size() > longest || (counts[names[i]] > 1 && !names[i].ends_with(originals[i])))
      names[i] = with_hash(names[i], originals[i], longest);
  return names;
}

}  // namespace

std::vector<std::string> server_labels(const std::vector<std::string>& servers) {
  std::vector<std::string> labels;
  for (const std::string& server : servers) {
    std::string label = cleaned(server);
    // "__" separates server and tool.
    while (label.find("__") != std::string::npos) label = replace_all(label, "__", "_");
    labels.push_back(std::move(label));
  }
  return made_unique(std::move(labels), servers, kLongestLabel);
}

std::vector<std::string> tool_names(std::string_view label, const std::vector<std::string>& tools) {
  std::vector<std::string> names;
  for (const std::string& tool : tools) names.push_back(concat("mcp__", label, "__", cleaned(tool)));
  return made_unique(std::move(names), tools, kLongestToolName);
}

}  // namespace helve::gateway
