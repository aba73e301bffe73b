#include "gateway/tool_cache.h"

#include <sys/stat.h>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "rpc/message.h"

namespace helve::gateway {

std::string ToolCache::path_for(const ServerConfig& config) const {
  return concat(directory_, "/", config.fingerprint(), ".json");
}

std::optional<CachedServer> ToolCache::find(const ServerConfig& config) const {
  if (directory_.empty()) return {};
  const std::string path = path_for(config);
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};
  const auto text = read_file(path);
  const auto json = text ? parse_json(*text, rpc::kServerLimits) : fail(text.error());
  if (!json || text_member(*json, "name") != config.name) return {};
  const std::string revision = text_member(*json, "revision", 100);
  const Json* tools = json->find("tools");
  if (!rpc::is_known_revision(revision) || tools == nullptr || !tools->is_array()) return {};
  CachedServer cached{.protocol = rpc::protocol_of(revision)};
  for (const Json& description : tools->as_array()) {
    auto tool = read_tool(description);
    if (tool && config.offers(tool->name)) cached.tools.push_back(*std::move(tool));
  }
  if (const Json* capabilities = json->find("capabilities")) cached.capabilities = *capabilities;
  const auto written = std::chrono::system_clock::from_time_t(status.st_mtime);
  cached.age = std::chrono::system_clock::now() - written;
  return cached;
}

Expected<void> ToolCache::keep(const ServerConfig& config, const ServerStatus& status) const {
  if (directory_.empty() || !status.facts) return {};
  JsonArray tools;
  for (const RemoteTool& tool : status.tools) tools.push_back(tool.source);
  if (auto made = make_private_directories(directory_); !made) return made;
  return replace_private_file(path_for(config),
                              to_text(JsonObject{{"name", config.name},
                                                 {"revision", status.facts->revision},
                                                 {"capabilities", status.facts->capabilities},
                                                 {"tools", std::move(tools)}}));
}

}  // namespace helve::gateway
