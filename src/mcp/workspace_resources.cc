#include "mcp/workspace_resources.h"

#include <algorithm>

#include "base/base64.h"
#include "base/directory_stream.h"
#include "base/file_uri.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "mcp/tool_json.h"
#include "workspace/file_kind.h"

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
  const auto kind = kind_of(bytes);
  return kind ? kind->mime : "application/octet-stream";
}

// The path in the file system that a URI stands for, as far as it is one of ours.
std::optional<std::string> path_in(const Seat& seat, const std::string& uri) {
  if (!uri.starts_with(kOutputScheme)) return path_of_uri(uri);
  const std::string name = uri.substr(kOutputScheme.size());
  if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.')) return {};
  return concat(seat.session->output_directory(), "/", name);
}

Json described_template(std::string_view name, const std::string& uri_template,
                        std::string_view description) {
  return JsonObject{{"uriTemplate", uri_template}, {"name", name}, {"description", description}};
}

}  // namespace

std::expected<Resources::Page, rpc::Failure> WorkspaceResources::list(Call& call, const std::string& after) {
  const auto taken = house_.seat(call);
  if (!taken) return std::unexpected(failure_of(taken.error()));
  const std::shared_ptr<Seat>& seat = *taken;
  Page page;
  if (after.empty())
    for (const std::string& name : output_names(*seat->session))
      page.resources.push_back(JsonObject{{"uri", concat(kOutputScheme, name)},
                                          {"name", name},
                                          {"description", "A long result of this session."},
                                          {"mimeType", "text/plain"}});
  const Answer found =
      seat->runtime->call(seat->session, {.tool = "find",
                                          .arguments = JsonObject{{"pattern", "*"}, {"maxResults", 10'000}},
                                          .stop = call.stop()});
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
        JsonObject{{"uri", file_uri(concat(seat->runtime->workspace(), "/", path))},
                   {"name", path},
                   {"size", *entry.find("size")},
                   {"annotations", JsonObject{{"lastModified", *entry.find("modified")}}}});
    last = path;
  }
  return page;
}

JsonArray WorkspaceResources::templates() {
  return {described_template("file", concat(file_uri(house_.runtime()->workspace()), "/{+path}"),
                             "Any file in the workspace."),
          described_template("output", concat(kOutputScheme, "{name}"),
                             "A result that was too long to be shown whole.")};
}

std::expected<std::optional<JsonArray>, rpc::Failure> WorkspaceResources::read(Call& call,
                                                                               const std::string& uri) {
  const auto taken = house_.seat(call);
  if (!taken) return std::unexpected(failure_of(taken.error()));
  const std::shared_ptr<Seat>& seat = *taken;
  const auto path = path_in(*seat, uri);
  if (!path) return std::optional<JsonArray>();
  auto bytes = seat->runtime->read_bytes(seat->session, *path, kLargest);
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

std::expected<Subscription, rpc::Failure> WorkspaceResources::watch(Call& call, const std::string& uri,
                                                                    std::function<void()> callback) {
  const auto seat = house_.seat(call).value_or(nullptr);
  const auto path = seat ? path_in(*seat, uri) : std::nullopt;
  const auto parent =
      path ? real_path(path->substr(0, path->rfind('/'))) : Expected<std::string>(fail(Error()));
  const std::string workspace = seat ? seat->runtime->workspace() : std::string();
  const bool inside = parent && (*parent == workspace || parent->starts_with(concat(workspace, "/")) ||
                                 *parent == seat->session->output_directory());
  if (!inside)
    return failure(rpc::kInvalidParams, concat("There is nothing to watch at ", uri,
                                               "; files of the workspace can be, and long results."));
  auto watched = watcher_.watch(concat(*parent, path->substr(path->rfind('/'))), std::move(callback));
  if (!watched) return std::unexpected(failure_of(watched.error()));
  return *std::move(watched);
}

std::vector<std::string> WorkspaceResources::complete(Call& call, const std::string& /*uri_template*/,
                                                      const std::string& argument, const std::string& value) {
  const auto seat = house_.seat(call).value_or(nullptr);
  if (!seat) return {};
  std::vector<std::string> fitting;
  if (argument == "name") {
    for (std::string& name : output_names(*seat->session))
      if (name.starts_with(value)) fitting.push_back(std::move(name));
    return fitting;
  }
  const std::size_t slash = value.rfind('/');
  const std::string directory = slash == std::string::npos ? std::string() : value.substr(0, slash + 1);
  const Answer listed = seat->runtime->call(
      seat->session, {.tool = "ls",
                      .arguments = JsonObject{{"path", directory.empty() ? std::string(".") : directory}},
                      .stop = call.stop()});
  if (!listed.ok()) return {};
  const Json* entries = listed.result->data.find("entries");
  for (const Json& entry : entries != nullptr && entries->is_array() ? entries->as_array() : JsonArray()) {
    const Json* name = entry.find("name");
    const Json* type = entry.find("type");
    if (name == nullptr || !name->is_string()) continue;
    std::string path = concat(directory, name->as_string());
    if (type != nullptr && *type == Json("directory")) path += '/';
    if (path.starts_with(value)) fitting.push_back(std::move(path));
  }
  return fitting;
}

}  // namespace helve::mcp
