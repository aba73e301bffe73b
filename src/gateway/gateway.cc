#include "gateway/gateway.h"

#include "base/strings.h"
#include "gateway/foreign_tool.h"
#include "gateway/open_channel.h"
#include "gateway/tool_names.h"

namespace helve::gateway {
namespace {

// Beyond this, what a server offered the last time is looked up again in the background.
constexpr auto kFresh = std::chrono::hours(24);
constexpr auto kForgotten = std::chrono::hours(24 * 30);

}  // namespace

// One server and what of it is in the registry.
struct Gateway::Entry {
  ServerConfig config;
  std::string label;
  std::shared_ptr<ServerLink> link;
  std::mutex mutex = {};
  std::map<std::string, Json> offered = {};  // by our name: the description as it came
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
      problems_.push_back(checked.error());
      continue;
    }
    names.push_back(config.name);
    usable.push_back(&config);
  }
  const std::vector<std::string> labels = server_labels(names);
  for (std::size_t i = 0; i < usable.size(); ++i) add_server(*usable[i], labels[i]);
}

Gateway::~Gateway() {
  // All at once, so that the slowest server and not their sum is the time that it takes.
  {
    std::vector<std::jthread> closing;
    for (const auto& entry : entries_) closing.emplace_back([&entry] { entry->link->close(); });
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
      return open_channel(config,
                          {.workspace = options_.workspace,
                           .state_directory = options_.state_directory,
                           .launcher = options_.launcher,
                           .open_url = options_.open_url},
                          listener, logger_);
    };
    return Connection::open(std::move(options), logger_, terms);
  };
  parts.on_tools = [this, &entry](const ServerStatus& status) {
    offer(entry, status.tools);
    if (auto kept = cache_.keep(entry.config, status); !kept)
      logger_.warning("What an MCP server offers could not be kept", {{"problem", kept.error().message}});
  };
  if (const auto remembered = cache_.find(config)) parts.options.era = remembered->era;
  entry.link = std::make_shared<ServerLink>(std::move(parts), logger_);
}

void Gateway::start() {
  for (const auto& entry : entries_) {
    const auto remembered = cache_.find(entry->config);
    if (remembered && remembered->age < kForgotten) offer(*entry, remembered->tools);
    // What a plugin offers changes with its files only.
    const bool fresh = remembered && (entry->config.plugin || remembered->age < kFresh);
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

// Makes the registry have exactly these of the server. What did not change stays as it is.
void Gateway::offer(Entry& entry, const std::vector<RemoteTool>& tools) {
  const std::lock_guard lock(entry.mutex);
  if (entry.closed) return;
  std::vector<std::string> remote_names;
  for (const RemoteTool& tool : tools) remote_names.push_back(tool.name);
  // A library's tools were named by its author as ours were, and the person who added it agreed.
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
      logger_.warning("A tool of an MCP server is left out",
                      {{"server", entry.config.name}, {"problem", added.error().message}});
    entry.offered.erase(names[i]);
  }
  for (const auto& [name, description] : entry.offered) registry_.remove(name);
  entry.offered = std::move(offered);
}

}  // namespace helve::gateway
