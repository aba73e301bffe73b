#include "gateway/foreign_tool.h"

#include "base/base64.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "gateway/protocol.h"
#include "rpc/mcp_protocol.h"
#include "settings/foreign_schema.h"

namespace helve::gateway {
namespace {

constexpr std::size_t kLongestSummary = 160;
constexpr std::size_t kMostImages = 32;
constexpr std::size_t kAnyLength = std::size_t{1} << 40;

// Converts the parts of a result one by one.
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
    add(concat("[part of unknown type \"", printable_type(type), "\"]"));
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
    if (!bytes) return add(concat("[", kind, ": its data is not valid base64]"));
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

// Members that only the process around a library plugin sends.
Json without_own_members(Json meta) {
  if (meta.is_object())
    for (const std::string_view own : {kSummaryMeta, kAffectedPathsMeta, kDryRunsMeta})
      meta.as_object().erase(own);
  return meta;
}

// The result's members that the other members of Output cannot show exactly; null if there are none.
Json kept_as_sent(const Json& result) {
  const JsonArray* content = array_in(result, "content");
  const bool is_plain_text = content != nullptr && content->size() == 1 && content->front().is_object() &&
                             content->front().as_object().size() == 2 &&
                             text_member(content->front(), "type", 100) == "text";
  Json kept;
  if (content != nullptr && !content->empty() && !is_plain_text) kept["content"] = *content;
  if (const Json* meta = result.find("_meta"); meta != nullptr && meta->is_object()) {
    Json own = without_own_members(*meta);
    own.as_object().erase(rpc::kMetaServerInfo);  // is about the connection
    if (!own.as_object().empty()) kept["_meta"] = std::move(own);
  }
  if (const Json* data = result.find("structuredContent")) kept["structuredContent"] = *data;
  return kept;
}

std::string summary_of(const Output& output, const std::string& tool) {
  const std::string_view text = trim(output.content);
  if (text.empty())
    return output.images.empty() ? concat(tool, " is done")
                                 : concat(tool, " returned ", count_of(output.images.size(), "image"));
  const std::string_view line = trim(text.substr(0, text.find('\n')));
  return line.size() <= kLongestSummary ? std::string(line) : concat(utf8_prefix(line, kLongestSummary), "…");
}

// Whether structured content is what the tool declares.
bool has_declared_structure(const RemoteTool& tool, const std::string& server, const Json& data,
                            Logger& logger) {
  if (tool.output_schema.is_null()) return true;
  const auto complaints = settings::JsonSchema(tool.output_schema).check(data, "member");
  if (complaints.empty()) return true;
  logger.warning("MCP server result does not match its schema", {{"server", server},
                                                                 {"tool", tool.name},
                                                                 {"where", complaints.front().path},
                                                                 {"problem", complaints.front().problem}});
  return false;
}

}  // namespace

Result read_result(const RemoteTool& tool, const std::string& server, const Json& result, Logger& logger) {
  Output output;
  if (const Json* content = result.find("content"); content != nullptr && content->is_array())
    for (const Json& part : content->as_array()) Reader(output).take(part);
  const Json* failed = result.find("isError");
  if (failed != nullptr && failed->is_bool() && failed->as_bool()) {
    const std::string_view text = trim(output.content);
    Error error{ErrorCode::kExecutionFailed, text.empty()
                                                 ? concat("The tool ", tool.name, " of the MCP server ",
                                                          server, " failed without a reason.")
                                                 : std::string(text)};
    if (Json kept = kept_as_sent(result); !kept.is_null())
      error.details = JsonObject{{rpc::kForeignResult, std::move(kept)}};
    return fail(std::move(error));
  }
  bool is_as_declared = true;
  if (const Json* data = result.find("structuredContent"); data != nullptr && data->is_object()) {
    // Some servers send only structured content.
    if (output.content.empty() && output.images.empty()) output.content = to_pretty_text(*data);
    is_as_declared = has_declared_structure(tool, server, *data, logger);
    if (is_as_declared)
      output.data = *data;
    else
      output.content += concat(output.content.ends_with('\n') ? "" : "\n",
                               "(The structured result does not match the tool's schema and is left out.)\n");
  }
  output.summary = summary_of(output, tool.name);
  output.foreign = kept_as_sent(result);
  if (!is_as_declared) output.foreign.as_object().erase("structuredContent");
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

ForeignTool::ForeignTool(std::string name, const std::string& label, RemoteTool remote,
                         std::shared_ptr<ServerLink> link, Logger& logger)
    : remote_(std::move(remote)), link_(std::move(link)), logger_(logger) {
  const ServerConfig& config = link_->config();
  definition_.name = std::move(name);
  definition_.title = remote_.title.empty() ? remote_.name : remote_.title;
  definition_.description =
      trim(remote_.description).empty()
          ? concat("The tool ", remote_.name, " of ", to_lower(config.subject().substr(0, 1)),
                   config.subject().substr(1), ".")
          : remote_.description;
  definition_.group = concat("mcp__", label);
  definition_.server = config.name;
  definition_.foreign_schema = remote_.input_schema;
  definition_.output_schema = remote_.output_schema;
  for (const std::string_view member : {"annotations", "icons", "_meta"})
    if (const Json* value = remote_.source.find(member); value != nullptr && !value->is_null())
      definition_.foreign_extras[member] = member == "_meta" ? without_own_members(*value) : *value;
  // A server's annotations count only if the user trusts them.
  const bool reads = config.settings.trust_annotations && remote_.read_only.value_or(false);
  definition_.effect = reads ? Effect::kRead : Effect::kNetwork;
  definition_.destructive = !reads && remote_.destructive.value_or(true);
  definition_.idempotent = remote_.idempotent.value_or(false);
  definition_.honours_stop = true;
  definition_.time_limit = std::chrono::milliseconds(config.settings.time_limit_ms);
  if (config.plugin) apply_plugin(*config.plugin, config.name);
}

// The manifest is reliable: the user reviewed it, and the sandbox enforces it.
void ForeignTool::apply_plugin(const PluginServer& plugin, const std::string& name) {
  definition_.group = name;
  const auto effect = plugin.effects.find(remote_.name);
  definition_.effect = effect == plugin.effects.end() ? Effect::kExecute : effect->second;
  definition_.destructive = !definition_.read_only() && remote_.destructive.value_or(true);
  if (!plugin.is_library) return;
  definition_.server.clear();
  definition_.foreign_extras = {};
  const Json* meta = remote_.source.find("_meta");
  const Json* dry_runs = meta == nullptr ? nullptr : meta->find(kDryRunsMeta);
  definition_.dry_runs = !definition_.read_only() && dry_runs != nullptr && *dry_runs == Json(true);
  if (definition_.dry_runs)
    definition_.foreign_schema = settings::with_dry_run(std::move(definition_.foreign_schema));
}

// Servers order their calls themselves and do not share resources with builtin tools.
std::vector<Resource> ForeignTool::resources(const Json&) const {
  return {{concat("mcp:", link_->config().name), Resource::Use::kShared}};
}

Result ForeignTool::execute(Context& context, const Json& arguments) const {
  const auto caller = std::make_shared<Caller>(
      Caller{.call_id = context.call_id(),
             .asker = context.session().asker(),
             .sampler = context.session().sampler(),
             .on_progress = [&context](const Progress& progress) { context.report(progress); },
             .stop = context.stop_token(),
             .trace = context.trace(),
             .keeps = context.shared_session()});
  Json sent = arguments;
  if (context.dry_run() && definition_.dry_runs) sent["dryRun"] = true;
  const auto result = link_->call(
      remote_, sent, {.stop = context.stop_token(), .deadline = context.deadline(), .caller = caller});
  if (!result) return fail(result.error());
  link_->note_links(*result);
  Result read = read_result(remote_, link_->config().name, *result, logger_);
  if (link_->config().is_library()) {
    read_library_result(*result, read);
    if (read) read->foreign = {};  // the process is Helve's own
  }
  return read;
}

}  // namespace helve::gateway
