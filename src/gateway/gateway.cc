#include "gateway/gateway.h"

#include "base/environment.h"
#include "base/strings.h"
#include "base/threads.h"
#include "gateway/foreign_tool.h"
#include "gateway/http_channel.h"
#include "gateway/oauth.h"
#include "gateway/stdio_channel.h"

namespace helve::gateway {
namespace {

Expected<std::unique_ptr<Channel>> open_http(const ServerConfig& config, const GatewayOptions& options,
                                             Listener& listener, Logger& logger) {
  const auto plain = expanded(config);
  if (!plain) return fail(plain.error());
  const McpServerSettings& settings = plain->settings;
  HttpTraffic::Parts parts{.server = config.name, .url = settings.url};
  bool is_authorized = false;
  for (const auto& [name, value] : settings.headers) {
    parts.headers.add(name, value);
    is_authorized = is_authorized || to_lower(name) == "authorization";
  }
  if (!settings.bearer_token_variable.empty()) {
    const std::string token = environment_variable(settings.bearer_token_variable.c_str());
    if (token.empty())
      return fail(ErrorCode::kInvalidArgument,
                  concat(config.origin, ": mcp_servers.", config.name, ".bearer_token_variable names ",
                         settings.bearer_token_variable, ", which is not set."),
                  concat("Set ", settings.bearer_token_variable, " to the server's token."));
    parts.headers.add("Authorization", concat("Bearer ", token));
    is_authorized = true;
  }
  // A configured token takes precedence over a login.
  if (!is_authorized) {
    auto oauth = OAuth::create(
        {.server = config.name,
         .server_url = settings.url,
         .settings = settings.oauth,
         .client_secret = environment_variable(settings.oauth.client_secret_variable.c_str()),
         .store_directory =
             options.state_directory.empty() ? "" : concat(options.state_directory, "/mcp/tokens"),
         .open_url = options.open_url},
        logger);
    if (!oauth) return fail(oauth.error());
    parts.authoriser = *std::move(oauth);
  }
  return std::make_unique<HttpChannel>(std::move(parts), listener, logger);
}

Expected<std::unique_ptr<Channel>> open_channel(const ServerConfig& config, const GatewayOptions& options,
                                                Listener& listener, Logger& logger) {
  if (config.is_http()) return open_http(config, options, listener, logger);
  auto start = process_start(config, options.workspace, options.launcher);
  if (!start) return fail(start.error());
  return StdioChannel::open(*std::move(start), config.name, listener, logger);
}

// Older cache entries are still used, but refreshed in the background.
constexpr auto kFresh = std::chrono::hours(24);
constexpr auto kExpired = std::chrono::hours(24 * 30);

}  // namespace

// One server and its tools in the registry.
struct Gateway::Entry {
  ServerConfig config;
  std::string label;
  std::shared_ptr<ServerLink> link;
  std::mutex mutex = {};
  std::map<std::string, Json> offered = {};  // the server's description by our tool name
  bool closed = false;
};

Gateway::Gateway(GatewayOptions options, Registry& registry, LogLevel log_level, Logger::Format log_format)
    : options_(std::move(options)),
      registry_(registry),
      logger_(log_level, log_format),
      cache_(options_.state_directory.empty() ? "" : concat(options_.state_directory, "/mcp/tools")) {
  std::vector<std::string> names;
  std::vector<const ServerConfig*> usable;
  for (const ServerConfig& config : options_.servers) {
    if (!config.settings.enabled) continue;
    if (auto checked = check(config); !checked) {
      logger_.error(checked.error().message);
      problems_.push_back({config.name, checked.error()});
      continue;
    }
    names.push_back(config.name);
    usable.push_back(&config);
  }
  const std::vector<std::string> labels = server_labels(names);
  for (std::size_t i = 0; i < usable.size(); ++i) add_server(*usable[i], labels[i]);
}

Gateway::~Gateway() {
  // In parallel, so that it takes as long as the slowest server.
  {
    std::vector<std::jthread> closing;
    for (const auto& entry : entries_) {
      const auto close = [&entry] { entry->link->close(); };
      if (std::jthread thread; try_start_thread(thread, close))
        closing.push_back(std::move(thread));
      else
        close();
    }
  }
  for (const auto& entry : entries_) {
    const std::lock_guard lock(entry->mutex);
    entry->closed = true;
    for (const auto& [name, description] : entry->offered) registry_.remove(name);
  }
}

void Gateway::add_server(const ServerConfig& config, const std::string& label) {
  entries_.push_back(std::make_unique<Entry>(config, label));
  Entry& entry = *entries_.back();
  ServerLink::Parts parts{.config = config};
  parts.options.server = config.name;
  parts.options.workspace = options_.workspace;
  parts.options.offers = options_.offers;
  parts.open = [this, config](ConnectionOptions options, const Terms& terms) {
    options.open_channel = [this, config](Listener& listener) {
      return open_channel(config, options_, listener, logger_);
    };
    return Connection::open(std::move(options), logger_, terms);
  };
  parts.on_tools = [this, &entry](const ServerStatus& status) {
    offer(entry, status.tools);
    if (auto kept = cache_.keep(entry.config, status); !kept)
      logger_.warning("MCP tools could not be cached", {{"problem", kept.error().message}});
  };
  if (const auto cached = cache_.find(config)) parts.options.protocol = cached->protocol;
  entry.link = std::make_shared<ServerLink>(std::move(parts), logger_);
}

void Gateway::start() {
  for (const auto& entry : entries_) {
    const auto cached = cache_.find(entry->config);
    if (cached && cached->age < kExpired) offer(*entry, cached->tools);
    // The tools of a plugin change only with its files.
    const bool fresh = cached && (entry->config.plugin || cached->age < kFresh);
    if (!fresh) entry->link->start();
  }
}

void Gateway::start_all(const Terms& terms) {
  for (const auto& entry : entries_) entry->link->start();
  for (const auto& entry : entries_) static_cast<void>(entry->link->wait_until_settled(terms));
}

std::vector<ServerStatus> Gateway::status() const {
  std::vector<ServerStatus> all;
  for (const auto& entry : entries_) all.push_back(entry->link->status());
  return all;
}

std::vector<std::string> Gateway::offered() const {
  std::vector<std::string> names;
  for (const auto& entry : entries_) {
    const std::lock_guard lock(entry->mutex);
    for (const auto& [name, description] : entry->offered) names.push_back(name);
  }
  return names;
}

// Replaces the server's tools in the registry by these; unchanged tools stay.
void Gateway::offer(Entry& entry, const std::vector<RemoteTool>& tools) {
  const std::lock_guard lock(entry.mutex);
  if (entry.closed) return;
  std::vector<std::string> remote_names;
  for (const RemoteTool& tool : tools) remote_names.push_back(tool.name);
  // Tools of a library keep their names: the user accepted them by adding the plugin.
  const std::vector<std::string> names =
      entry.config.is_library() ? remote_names : tool_names(entry.label, remote_names);
  std::map<std::string, Json> offered;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    if (offered.contains(names[i])) continue;  // the server lists it twice
    const auto known = entry.offered.find(names[i]);
    if (known != entry.offered.end() && known->second == tools[i].source) {
      offered.insert(entry.offered.extract(known));
      continue;
    }
    if (known != entry.offered.end()) registry_.remove(names[i]);
    auto added =
        registry_.add(std::make_unique<ForeignTool>(names[i], entry.label, tools[i], entry.link, logger_));
    if (added)
      offered.emplace(names[i], tools[i].source);
    else
      logger_.warning("MCP tool skipped",
                      {{"server", entry.config.name}, {"problem", added.error().message}});
    entry.offered.erase(names[i]);
  }
  for (const auto& [name, description] : entry.offered) registry_.remove(name);
  entry.offered = std::move(offered);
}

}  // namespace helve::gateway
