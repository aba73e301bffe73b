#include "mcp/http_headers.h"

#include <array>

#include "base/base64.h"
#include "base/strings.h"
#include "http/response_text.h"
#include "rpc/mcp_protocol.h"

namespace helve::mcp {
namespace {

rpc::Failure mismatch(std::string message) { return {rpc::kHeaderMismatch, std::move(message)}; }

// A value that is not plain ASCII comes as =?base64?…?=; nothing when that is damaged.
std::optional<std::string> decoded(std::string_view value) {
  if (!value.starts_with(rpc::kEncodedHeaderStart) || !value.ends_with(rpc::kEncodedHeaderEnd) ||
      value.size() < rpc::kEncodedHeaderStart.size() + rpc::kEncodedHeaderEnd.size())
    return std::string(value);
  value.remove_prefix(rpc::kEncodedHeaderStart.size());
  value.remove_suffix(rpc::kEncodedHeaderEnd.size());
  return from_base64(value);
}

bool is_plain(std::string_view value) {
  for (const char c : value)
    if (c < 0x20 || c > 0x7E) return false;
  return true;
}

std::optional<rpc::Failure> compare(const http::Headers& headers, const std::string& name,
                                    const std::string& expected) {
  const std::string* value = headers.find(name);
  if (value == nullptr) return mismatch(concat("The header ", name, " is missing."));
  if (headers.count(name) != 1) return mismatch(concat("The header ", name, " is there more than once."));
  const std::string_view trimmed = trim(*value);
  if (!is_plain(trimmed))
    return mismatch(concat("The header ", name, " has characters that need the =?base64?…?= form."));
  const auto said = decoded(trimmed);
  if (!said) return mismatch(concat("The header ", name, " is not valid base64."));
  if (*said != expected) return mismatch(concat("The header ", name, " does not agree with the message."));
  return {};
}

// The member of the parameters that Mcp-Name repeats.
std::string_view named_member(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel") return "taskId";
  return {};
}

std::string value_text(const Json& value) { return value.is_string() ? value.as_string() : to_text(value); }

std::optional<rpc::Failure> check_params(const http::Headers& headers, const rpc::Request& request,
                                         const Json& schema) {
  const Json* properties = schema.find("properties");
  if (properties == nullptr || !properties->is_object()) return {};
  const Json* arguments = request.params.find("arguments");
  for (const auto& [name, property] : properties->as_object()) {
    const Json* header = property.find(rpc::kHeaderKeyword);
    if (header == nullptr || !header->is_string()) continue;
    const std::string field = concat(rpc::kParamHeaderPrefix, header->as_string());
    const Json* value = arguments != nullptr ? arguments->find(name) : nullptr;
    if (value == nullptr || value->is_null()) {
      if (headers.find(field) != nullptr) return mismatch(concat("The header ", field, " repeats nothing."));
      continue;
    }
    if (auto wrong = compare(headers, field, value_text(*value))) return wrong;
  }
  return {};
}

bool accepts(std::string_view accept, std::string_view type) {
  for (std::string_view range : split(accept, ',')) {
    range = trim(range.substr(0, range.find(';')));
    const std::string lower = to_lower(range);
    if (lower == "*/*" || lower == type || lower == concat(type.substr(0, type.find('/')), "/*")) return true;
  }
  return false;
}

}  // namespace

std::optional<http::Response> check_content_headers(const http::Request& request) {
  const std::string* accept = request.headers.find("Accept");
  const bool stream_only = request.method == "GET";
  const bool acceptable = accept == nullptr || accepts(*accept, "text/event-stream") ||
                          (!stream_only && accepts(*accept, "application/json"));
  if (!acceptable) return http::error_response(406, "Answers come as application/json or text/event-stream.");
  if (request.method != "POST") return {};
  const std::string* type = request.headers.find("Content-Type");
  if (type == nullptr || to_lower(trim(type->substr(0, type->find(';')))) != "application/json")
    return http::error_response(415, "Send messages as application/json.");
  return {};
}

std::optional<rpc::Failure> check_modern_headers(const http::Headers& headers, const rpc::Request& request,
                                                 Tools* tools) {
  const Json* meta = request.params.find("_meta");
  const Json* revision = meta != nullptr ? meta->find(rpc::kMetaRevision) : nullptr;
  if (revision != nullptr && revision->is_string())
    if (auto wrong = compare(headers, std::string(rpc::kRevisionHeader), revision->as_string())) return wrong;
  if (auto wrong = compare(headers, std::string(rpc::kMethodHeader), request.method)) return wrong;
  const std::string_view member = named_member(request.method);
  const Json* name = member.empty() ? nullptr : request.params.find(member);
  if (name == nullptr || !name->is_string()) return {};
  if (auto wrong = compare(headers, std::string(rpc::kNameHeader), name->as_string())) return wrong;
  if (request.method != "tools/call" || tools == nullptr) return {};
  return check_params(headers, request, tools->header_schema(name->as_string()));
}

}  // namespace helve::mcp
