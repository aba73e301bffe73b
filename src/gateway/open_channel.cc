#include "gateway/open_channel.h"

#include "base/environment.h"
#include "base/strings.h"
#include "gateway/http_channel.h"
#include "gateway/oauth.h"
#include "gateway/stdio_channel.h"

namespace helve::gateway {
namespace {

Expected<std::unique_ptr<Channel>> open_http(const ServerConfig& config, const ChannelOptions& options,
                                             Listener& listener, Logger& logger) {
  const auto plain = expanded(config);
  if (!plain) return fail(plain.error());
  const Settings::McpServer& settings = plain->settings;
  HttpTraffic::Parts parts{.server = config.name, .url = settings.url};
  bool has_leave = false;
  for (const auto& [name, value] : settings.headers) {
    parts.headers.add(name, value);
    has_leave = has_leave || to_lower(name) == "authorization";
  }
  if (!settings.bearer_token_variable.empty()) {
    const std::string token = environment_variable(settings.bearer_token_variable.c_str());
    if (token.empty())
      return fail(ErrorCode::kInvalidArgument,
                  concat(config.origin, ": mcp_servers.", config.name, ".bearer_token_variable names ",
                         settings.bearer_token_variable, ", which is not set."),
                  concat("Set ", settings.bearer_token_variable, " to the token that the server wants."));
    parts.headers.add("Authorization", concat("Bearer ", token));
    has_leave = true;
  }
  // Somebody who brings leave along does not want to log in as somebody else.
  if (!has_leave) {
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

}  // namespace

Expected<std::unique_ptr<Channel>> open_channel(const ServerConfig& config, const ChannelOptions& options,
                                                Listener& listener, Logger& logger) {
  if (config.is_http()) return open_http(config, options, listener, logger);
  auto start = process_start(config, options.workspace, options.launcher);
  if (!start) return fail(start.error());
  return StdioChannel::open(*std::move(start), config.name, listener, logger);
}

}  // namespace helve::gateway
