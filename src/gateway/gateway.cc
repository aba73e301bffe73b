#include "gateway/gateway.h"

#include <algorithm>

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

// Longest time that a call waits for a server whose tools are not known yet.
constexpr auto kLongestWait = std::chrono::seconds(30);

bool is_same(const ServerConfig& left, const ServerConfig& right) {
  const bool same_programs = left.programs == nullptr || right.programs == nullptr
                                 ? left.programs == right.programs
                                 : *left.programs == *right.programs;
  return same_programs && left.origin == right.origin &&
         left.plugin.has_value() == right.plugin.has_value() &&
         show_params(left.settings) == show_params(right.settings);
}

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
      cache_(options_.state_directory.empty() ? "" : concat(options_.state_directory, "/mcp/tools")),
      source_(registry.add_source([links = links_](std::string_view tool, const std::stop_token& stop) {
        std::shared_ptr<ServerLink> link;
        {
          const std::lock_guard lock(links->mutex);
          for (const auto& [label, each] : links->by_label)
            if (tool.starts_with(concat("mcp__", label, "__"))) link = each;
        }
        if (link) link->wait_while_starting({.stop = stop, .deadline = Clock::now() + kLongestWait});
      })) {
  set_servers(options_.servers);
}

Gateway::~Gateway() { close(entries()); }

void Gateway::close(const Entries& entries) {
  // In parallel, so that it takes as long as the slowest server.
  {
    std::vector<std::jthread> closing;
    for (const auto& entry : entries) {
      const auto end = [&entry] { entry->link->close(); };
      if (std::jthread thread; try_start_thread(thread, end))
        closing.push_back(std::move(thread));
      else
        end();
    }
  }
  for (const auto& entry : entries) {
    const std::lock_guard lock(entry->mutex);
    entry->closed = true;
    for (const auto& [name, description] : entry->offered) registry_.remove(name);
    entry->offered.clear();
  }
}

void Gateway::set_servers(std::vector<ServerConfig> servers) {
  const std::lock_guard changing(changing_);
  std::vector<Problem> problems;
  std::erase_if(servers, [&](const ServerConfig& config) {
    if (!config.settings.enabled) return true;
    const auto checked = check(config);
    if (checked) return false;
    logger_.error(checked.error().message);
    problems.push_back({config.name, checked.error()});
    return true;
  });
  std::vector<std::string> names;
  for (const ServerConfig& config : servers) names.push_back(config.name);
  const std::vector<std::string> labels = server_labels(names);
  const Entries before = entries();
  Entries after;
  Entries added;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const auto kept = std::ranges::find_if(before, [&](const auto& entry) {
      return entry->config.name == servers[i].name && entry->label == labels[i] &&
             is_same(entry->config, servers[i]);
    });
    if (kept == before.end()) added.push_back(make_entry(servers[i], labels[i]));
    after.push_back(kept == before.end() ? added.back() : *kept);
  }
  Entries gone;
  for (const auto& entry : before)
    if (std::ranges::find(after, entry) == after.end()) gone.push_back(entry);
  close(gone);  // first, to free the names of the tools
  bool started = false;
  {
    const std::lock_guard lock(mutex_);
    entries_ = std::move(after);
    problems_ = std::move(problems);
    started = started_;
  }
  {
    const std::lock_guard lock(links_->mutex);
    links_->by_label.clear();
    for (const auto& entry : entries()) links_->by_label.emplace(entry->label, entry->link);
  }
  if (!started) return;
  for (const auto& entry : added) start_entry(*entry);
}

std::shared_ptr<Gateway::Entry> Gateway::make_entry(const ServerConfig& config, const std::string& label) {
  auto made = std::make_shared<Entry>(config, label);
  Entry& entry = *made;
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
  // The entry closes its link before it goes.
  parts.on_tools = [this, &entry](const ServerStatus& status) {
    offer(entry, status.tools);
    if (auto kept = cache_.keep(entry.config, status); !kept)
      logger_.warning("MCP tools could not be cached", {{"problem", kept.error().message}});
  };
  if (auto cached = cache_.find(config)) {
    parts.options.protocol = cached->protocol;
    parts.capabilities = std::move(cached->capabilities);
  }
  entry.link = std::make_shared<ServerLink>(std::move(parts), logger_);
  return made;
}

Gateway::Entries Gateway::entries() const {
  const std::lock_guard lock(mutex_);
  return entries_;
}

std::vector<Gateway::Problem> Gateway::problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}

std::map<std::string, std::shared_ptr<ServerLink>> Gateway::links() const {
  const std::lock_guard lock(links_->mutex);
  return links_->by_label;
}

void Gateway::start_entry(Entry& entry) {
  const auto cached = cache_.find(entry.config);
  if (cached && cached->age < kExpired) offer(entry, cached->tools);
  // The tools of a plugin change only with its files.
  const bool fresh = cached && (entry.config.plugin || cached->age < kFresh);
  if (!fresh) entry.link->start();
}

void Gateway::start() {
  {
    const std::lock_guard lock(mutex_);
    started_ = true;
  }
  for (const auto& entry : entries()) start_entry(*entry);
}

void Gateway::offer_saved(const std::optional<Terms>& start_others) {
  Entries unknown;
  for (const auto& entry : entries()) {
    const auto cached = cache_.find(entry->config);
    if (cached && cached->age < kExpired)
      offer(*entry, cached->tools);
    else
      unknown.push_back(entry);
  }
  if (!start_others) return;
  for (const auto& entry : unknown) entry->link->start();
  for (const auto& entry : unknown) static_cast<void>(entry->link->wait_until_settled(*start_others));
}

void Gateway::start_all(const Terms& terms) {
  const Entries all = entries();
  for (const auto& entry : all) entry->link->start();
  for (const auto& entry : all) static_cast<void>(entry->link->wait_until_settled(terms));
}

std::vector<ServerStatus> Gateway::status() const {
  std::vector<ServerStatus> all;
  for (const auto& entry : entries()) all.push_back(entry->link->status());
  return all;
}

std::vector<std::string> Gateway::offered() const {
  std::vector<std::string> names;
  for (const auto& entry : entries()) {
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
