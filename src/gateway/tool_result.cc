#include "gateway/tool_result.h"

#include "base/base64.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/foreign_schema.h"
#include "gateway/protocol.h"
#include "rpc/mcp_protocol.h"

namespace helve::gateway {
namespace {

constexpr std::size_t kLongestSummary = 160;
constexpr std::size_t kMostImages = 32;
constexpr std::size_t kAnyLength = std::size_t{1} << 40;

// Takes the parts of a result one by one.
class Reader {
 public:
  explicit Reader(Output& output) : output_(output) {}

  void take(const Json& part) {
    const std::string type = text_member(part, "type", 100);
    if (type == "text") return add(text_member(part, "text", kAnyLength));
    if (type == "image") return take_binary(part, "data", "image");
    if (type == "audio") return take_binary(part, "data", "audio");
    if (type == "resource_link") return take_link(part);
    if (const Json* resource = part.find("resource"); type == "resource" && resource != nullptr)
      return take_resource(*resource);
    add(concat("[a part of the unknown type \"", printable_type(type), "\"]"));
  }

 private:
  static std::string printable_type(const std::string& type) { return type.empty() ? "?" : type; }

  void add(std::string_view text) {
    if (!output_.content.empty() && !output_.content.ends_with('\n')) output_.content += '\n';
    output_.content += text;
  }

  void take_binary(const Json& part, std::string_view key, std::string_view kind) {
    const std::string mime_type = text_member(part, "mimeType", 200);
    auto bytes = from_base64(text_member(part, key, kAnyLength));
    if (!bytes) return add(concat("[", kind, " that cannot be read: its data is not base64]"));
    if (mime_type.starts_with("image/") && output_.images.size() < kMostImages) {
      output_.images.push_back({mime_type, *std::move(bytes)});
      return;
    }
    add(concat("[", kind, ", ", mime_type.empty() ? "of unknown type" : mime_type, ", ",
               count_of(bytes->size(), "byte"), "]"));
  }

  void take_link(const Json& part) {
    const std::string name = text_member(part, "title", 500);
    const std::string description = text_member(part, "description", 2000);
    add(concat("[", name.empty() ? text_member(part, "name", 500) : name, "](", text_member(part, "uri"), ")",
               description.empty() ? "" : ": ", description));
  }

  void take_resource(const Json& resource) {
    if (resource.find("blob") != nullptr) return take_binary(resource, "blob", "resource");
    const std::string text = text_member(resource, "text", kAnyLength);
    add(concat("<resource uri=\"", text_member(resource, "uri"), "\">\n", text,
               text.ends_with('\n') ? "" : "\n", "</resource>"));
  }

  Output& output_;
};

std::string summary_of(const Output& output, const std::string& tool) {
  const std::string_view text = trim(output.content);
  if (text.empty())
    return output.images.empty() ? concat(tool, " is through")
                                 : concat(tool, " gave ", count_of(output.images.size(), "image"));
  const std::string_view line = trim(text.substr(0, text.find('\n')));
  return line.size() <= kLongestSummary ? std::string(line) : concat(utf8_prefix(line, kLongestSummary), "…");
}

void check_structure(const RemoteTool& tool, const std::string& server, const Json& data, Logger& logger) {
  if (tool.output_schema.is_null()) return;
  const auto complaints = validate(params_from_schema(tool.output_schema), data, "member");
  if (complaints.empty()) return;
  logger.warning("An MCP server's result does not fit the schema that it gave for it",
                 {{"server", server},
                  {"tool", tool.name},
                  {"where", complaints.front().path},
                  {"problem", complaints.front().problem}});
}

}  // namespace

Result read_result(const RemoteTool& tool, const std::string& server, const Json& result, Logger& logger) {
  Output output;
  if (const Json* content = result.find("content"); content != nullptr && content->is_array())
    for (const Json& part : content->as_array()) Reader(output).take(part);
  const Json* failed = result.find("isError");
  if (failed != nullptr && failed->is_bool() && failed->as_bool()) {
    const std::string_view text = trim(output.content);
    return fail(ErrorCode::kExecutionFailed, text.empty()
                                                 ? concat("The tool ", tool.name, " of the MCP server ",
                                                          server, " failed and does not say why.")
                                                 : std::string(text));
  }
  if (const Json* data = result.find("structuredContent"); data != nullptr && data->is_object()) {
    check_structure(tool, server, *data, logger);
    output.data = *data;
    // For servers that give the structure alone.
    if (output.content.empty() && output.images.empty()) output.content = to_pretty_text(*data);
  }
  output.summary = summary_of(output, tool.name);
  return output;
}

void read_library_result(const Json& result, Result& read) {
  if (read) {
    const Json* meta = result.find("_meta");
    if (meta == nullptr) return;
    if (const Json* summary = meta->find(kSummaryMeta); summary != nullptr && summary->is_string())
      if (!summary->as_string().empty()) read->summary = summary->as_string();
    const Json* paths = meta->find(kAffectedPathsMeta);
    if (paths == nullptr || !paths->is_array()) return;
    for (const Json& path : paths->as_array())
      if (path.is_string()) read->affected_paths.push_back(path.as_string());
    return;
  }
  const Json* meta = result.find("_meta");
  const Json* error = meta == nullptr ? nullptr : meta->find(rpc::kMetaError);
  if (error == nullptr) return;
  const std::string code = text_member(*error, "code", 100);
  for (int i = 0; i <= static_cast<int>(ErrorCode::kOutcomeUnknown); ++i)
    if (code == to_string(static_cast<ErrorCode>(i))) read.error().code = static_cast<ErrorCode>(i);
  read.error().message = text_member(*error, "message", kAnyLength);
  read.error().hint = text_member(*error, "hint", kAnyLength);
}

}  // namespace helve::gateway
