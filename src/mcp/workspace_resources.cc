#include "mcp/workspace_resources.h"

#include <algorithm>

#include "base/base64.h"
#include "base/file_io.h"
#include "base/file_uri.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "mcp/tool_json.h"
#include "text/file_kind.h"

namespace helve::mcp {
namespace {

constexpr std::size_t kPage = 250;
constexpr std::size_t kLargest = std::size_t{16} << 20;

std::vector<std::string> output_names(const Session& session) {
  std::vector<std::string> names;
  const DirectoryStream directory(::opendir(session.output_directory().c_str()));
  while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr)
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  std::ranges::sort(names);
  return names;
}

std::string_view mime_type(std::string_view bytes, bool is_text) {
  if (is_text) return "text/plain";
  const auto kind = text::kind_of(bytes);
  return kind ? kind->mime : "application/octet-stream";
}

// The path of a resource. Nothing if the URI is neither a file nor a saved result.
std::optional<std::string> path_of(const ClientSession& client, const std::string& uri) {
  if (!uri.starts_with(kOutputScheme)) return path_of_uri(uri);
  const std::string name = uri.substr(kOutputScheme.size());
  if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.')) return {};
  return concat(client.session->output_directory(), "/", name);
}

Json described_template(std::string_view name, const std::string& uri_template,
                        std::string_view description) {
  return JsonObject{{"uriTemplate", uri_template}, {"name", name}, {"description", description}};
}

}  // namespace

std::expected<Resources::Page, rpc::Failure> WorkspaceResources::list(ActiveRequest& request,
                                                                      const std::string& after) {
  const auto found_session = sessions_.session_of(request);
  if (!found_session) return std::unexpected(failure_of(found_session.error()));
  const ClientSession& client = **found_session;
  Page page;
  if (after.empty())
    for (const std::string& name : output_names(*client.session))
      page.resources.push_back(JsonObject{{"uri", concat(kOutputScheme, name)},
                                          {"name", name},
                                          {"description", "A saved result of this session."},
                                          {"mimeType", "text/plain"}});
  const Answer found =
      client.runtime->call(client.session, {.tool = "find",
                                            .arguments = JsonObject{{"pattern", "*"}, {"maxResults", 10'000}},
                                            .stop = request.stop()});
  if (!found.ok()) return std::unexpected(failure_of(found.result.error()));
  const Json* entries = found.result->data.find("entries");
  std::string last;
  for (const Json& entry : entries != nullptr ? entries->as_array() : JsonArray()) {
    const std::string& path = entry.find("path")->as_string();
    if (path <= after) continue;
    if (page.resources.size() >= kPage) {
      page.next = last;
      break;
    }
    page.resources.push_back(
        JsonObject{{"uri", file_uri(concat(client.runtime->workspace(), "/", path))},
                   {"name", path},
                   {"size", *entry.find("size")},
                   {"annotations", JsonObject{{"lastModified", *entry.find("modified")}}}});
    last = path;
  }
  return page;
}

JsonArray WorkspaceResources::templates() {
  return {described_template("file", concat(file_uri(sessions_.runtime()->workspace()), "/{+path}"),
                             "Any file in the workspace."),
          described_template("output", concat(kOutputScheme, "{name}"),
                             "A result that was too long to show in full.")};
}

std::expected<std::optional<JsonArray>, rpc::Failure> WorkspaceResources::read(ActiveRequest& request,
                                                                               const std::string& uri) {
  const auto found_session = sessions_.session_of(request);
  if (!found_session) return std::unexpected(failure_of(found_session.error()));
  const ClientSession& client = **found_session;
  const auto path = path_of(client, uri);
  if (!path) return std::optional<JsonArray>();
  auto bytes = client.runtime->read_bytes(client.session, *path, kLargest);
  if (!bytes && bytes.error().code == ErrorCode::kNotFound) return std::optional<JsonArray>();
  if (!bytes) return std::unexpected(failure_of(bytes.error()));
  const bool is_text = is_valid_utf8(*bytes) && bytes->find('\0') == std::string::npos;
  Json content = JsonObject{{"uri", uri}, {"mimeType", mime_type(*bytes, is_text)}};
  if (is_text)
    content["text"] = *std::move(bytes);
  else
    content["blob"] = to_base64(*bytes);
  return JsonArray{std::move(content)};
}

std::expected<Subscription, rpc::Failure> WorkspaceResources::watch(ActiveRequest& request,
                                                                    const std::string& uri,
                                                                    std::function<void()> callback) {
  const auto client = sessions_.session_of(request).value_or(nullptr);
  const auto path = client ? path_of(*client, uri) : std::nullopt;
  const auto parent =
      path ? real_path(path->substr(0, path->rfind('/'))) : Expected<std::string>(fail(Error()));
  const std::string workspace = client ? client->runtime->workspace() : std::string();
  const bool inside = parent && (*parent == workspace || parent->starts_with(concat(workspace, "/")) ||
                                 *parent == client->session->output_directory());
  if (!inside)
    return failure(rpc::kInvalidParams,
                   concat("Cannot watch ", uri, ". Only workspace files and saved results can be watched."));
  auto watched = watcher_.watch(concat(*parent, path->substr(path->rfind('/'))), std::move(callback));
  if (!watched) return std::unexpected(failure_of(watched.error()));
  return *std::move(watched);
}

std::vector<std::string> WorkspaceResources::complete(ActiveRequest& request,
                                                      const std::string& /*uri_template*/,
                                                      const std::string& argument, const std::string& value) {
  const auto client = sessions_.session_of(request).value_or(nullptr);
  if (!client) return {};
  std::vector<std::string> matching;
  if (argument == "name") {
    for (std::string& name : output_names(*client->session))
      if (name.starts_with(value)) matching.push_back(std::move(name));
    return matching;
  }
  const std::size_t slash = value.rfind('/');
  const std::string directory = slash == std::string::npos ? std::string() : value.substr(0, slash + 1);
  const Answer listed = client->runtime->call(
      client->session, {.tool = "ls",
                        .arguments = JsonObject{{"path", directory.empty() ? std::string(".") : directory}},
                        .stop = request.stop()});
  if (!listed.ok()) return {};
  const Json* entries = listed.result->data.find("entries");
  for (const Json& entry : entries != nullptr && entries->is_array() ? entries->as_array() : JsonArray()) {
    const Json* name = entry.find("name");
    const Json* type = entry.find("type");
    if (name == nullptr || !name->is_string()) continue;
    std::string path = concat(directory, name->as_string());
    if (type != nullptr && *type == Json("directory")) path += '/';
    if (path.starts_with(value)) matching.push_back(std::move(path));
  }
  return matching;
}

}  // namespace helve::mcp
