// helve serve: serves the tools over MCP on HTTP, to many clients.
#include <atomic>
#include <csignal>
#include <cstdlib>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/command.h"
#include "cli/mcp_house.h"
#include "cli/serve_token.h"
#include "core/directories.h"
#include "http/guard.h"
#include "http/refusals.h"
#include "http/response_text.h"
#include "http/server.h"
#include "http/url.h"
#include "mcp/http_endpoint.h"
#include "mcp/metrics_page.h"
#include "mcp/token_check.h"

namespace helve::cli {
namespace {

constexpr int kUsualPort = 7171;
constexpr std::string_view kSocketScheme = "unix:";

struct ServeOptions {
  ServingOptions serving;
  std::string address = "127.0.0.1";
  int port = kUsualPort;
  std::string socket;
  std::vector<std::string> host;
  std::vector<std::string> origin;
  bool no_token = false;
  int idle_seconds = 1800;
  std::string authorization_server;
  std::string resource;
  std::string client_id;
  std::string client_secret_variable;
  std::vector<std::string> scope;

  void describe(ParamSpec& p) {
    serving.describe(p);
    p.optional("address", address, "Address to listen at.");
    p.optional("port", port, "Port to listen at; 0 takes a free one.", {.min = 0, .max = 65'535});
    p.optional("socket", socket, "Unix socket to listen at instead.");
    p.optional("host", host,
               "A name by which clients may call the server, besides localhost; may be repeated.");
    p.optional("origin", origin, "A web origin whose pages may call the server; may be repeated.");
    p.optional("noToken", no_token, "Ask for no token of our own; on loopback only.");
    p.optional("idleSeconds", idle_seconds,
               "Time without use after which a session ends, and what runs in it.",
               {.min = 1, .max = 31'536'000});
    p.optional("authorizationServer", authorization_server,
               "Issuer URL of an OAuth server whose tokens are taken as well.");
    p.optional("resource", resource,
               "URL by which clients reach this server, for which tokens have to be made.");
    p.optional("clientId", client_id, "Who this server is when it asks the OAuth server about tokens.");
    p.optional("clientSecretVariable", client_secret_variable,
               "Environment variable with the secret that goes with it.");
    p.optional("scope", scope, "What a token has to allow; may be repeated.");
  }
};

constexpr std::string_view kHealthPath = "/health";

// Blocked before any thread starts, so that the main thread alone gets them.
sigset_t block_end_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// The lines work as they are; the secret itself is in them by the name of its file only.
std::string ways_to_add(const std::string& url, const ServeToken& token) {
  const bool open = token.text.empty();
  const std::string secret = concat("$(cat ", token.path, ")");
  const std::string header = open ? "" : concat(" --header \"Authorization: Bearer ", secret, "\"");
  // No agent takes a socket.
  if (url.starts_with(kSocketScheme))
    return concat("Reach it with\n  curl --unix-socket ", url.substr(kSocketScheme.size()), header,
                  " http://localhost/mcp\n");
  return concat(
      "Add it to\n", "  Claude Code   claude mcp add --transport http helve ", url, header, "\n",
      "  Gemini CLI    gemini mcp add --transport http helve ", url, header, "\n", "  Codex         ",
      open ? "" : concat("export MCP_HELVE_TOKEN=", secret, "; "), "codex mcp add helve --url ", url,
      open ? "" : " --bearer-token-env-var MCP_HELVE_TOKEN", "\n",
      R"(  VS Code       code --add-mcp "{\"name\":\"helve\",\"type\":\"http\",\"url\":\")", url, R"(\")",
      open ? "" : concat(R"(,\"headers\":{\"Authorization\":\"Bearer )", secret, R"(\"})"), "}\"\n");
}

// `resource` is how clients reach it when something stands in front.
std::string greeting(const std::string& url, const std::string& resource, const ServeToken& token,
                     const Runtime& runtime) {
  std::string text = concat("Helve serves at ", url, "\nFolder ", printable_line(runtime.workspace()),
                            ", mode ", name_of(runtime.settings().mode), "\n");
  if (token.is_new)
    text +=
        concat("A token was made; it is shown this once and kept in ", token.path, ":\n  ", token.text, "\n");
  text += ways_to_add(resource.empty() ? url : resource, token);
  return text + "Or without a server: claude mcp add helve -- helve mcp\nCtrl-C ends it.\n";
}

struct Serve {
  static constexpr std::string_view kName = "serve";
  static constexpr std::string_view kSummary = "Serve the tools over MCP on HTTP";
  static constexpr std::string_view kDetails =
      "Clients need the token that is made at the first start, unless --no-token is given.";

  using Options = ServeOptions;

  int run(const Shell& shell, const Options& options) const {
    const bool local = !options.socket.empty() || http::is_loopback_name(options.address);
    if (options.no_token && !local && options.authorization_server.empty())
      return shell.report({.code = ErrorCode::kInvalidArgument,
                           .message = concat("Listening at ", options.address, " needs a token."),
                           .hint = "Leave --no-token out, or listen at 127.0.0.1."},
                          kUsage);
    auto check = token_check(options);
    if (!check) return shell.report(check.error(), kUsage);
    const sigset_t signals = block_end_signals();
    auto token = options.no_token ? Expected<ServeToken>(ServeToken()) : serve_token();
    if (!token) return shell.report(token.error(), kSetup);
    auto house = McpHouse::build(shell, options.serving, McpHouse::Clients::kMany);
    if (!house) return shell.report(house.error(), kSetup);

    mcp::HttpEndpoint endpoint((*house)->server(), {.idle = std::chrono::seconds(options.idle_seconds)});
    http::Guard guard{.hosts = options.host,
                      .origins = options.origin,
                      .token = token->text,
                      .open_paths = {std::string(kHealthPath)}};
    if (!local) guard.hosts.push_back(options.address);
    mcp::TokenCheck* const foreign = check->get();
    if (foreign != nullptr) {
      guard.check_token = [foreign](std::string_view text) { return foreign->check(text); };
      guard.resource_metadata = foreign->metadata_url();
      guard.open_paths.push_back(foreign->metadata_path());
      guard.hosts.push_back(http::Url::parse(options.resource)->authority);
    }
    const Settings& settings = (*house)->runtime()->settings();
    Logger logger(settings.log.level, settings.log.format);
    http::Refusals refusals(logger);
    std::atomic<const http::Server*> running = nullptr;  // requests may come before start() is back
    const auto facts = [&] {
      const http::Server* const known = running;
      return mcp::MetricsFacts{.version = std::string(version()),
                               .sessions = endpoint.open_sessions(),
                               .connections = known != nullptr ? known->open_connections() : 1,
                               .refused = refusals.counts(),
                               .runtime = (*house)->runtime()->metrics()};
    };
    auto server = http::Server::start(
        {.address = options.address,
         .port = static_cast<std::uint16_t>(options.port),
         .unix_path = options.socket,
         .admit = [&guard](const http::Request& request) { return guard.refusal(request); },
         .on_refusal = [&refusals](const http::Response& answer,
                                   const http::Refused& refused) { refusals.add(answer, refused); }},
        [&](http::Exchange& exchange) {
          if (exchange.request().path == "/metrics")
            return exchange.respond(mcp::metrics_response(exchange.request(), facts()));
          answer(exchange, endpoint, foreign);
        },
        logger);
    if (!server) return shell.report(server.error(), kSetup);
    running = server->get();
    if (!shell.options().quiet)
      shell.terminal().out(
          greeting(url_of(options, **server), options.resource, *token, *(*house)->runtime()));
    int signal = 0;
    ::sigwait(&signals, &signal);
    server->reset();  // first: a call may still become a task, or wait for an answer, while it is answered
    (*house)->server().stop();
    return kOk;
  }

 private:
  static std::string url_of(const Options& options, const http::Server& server) {
    if (!options.socket.empty()) return concat(kSocketScheme, options.socket);
    const bool six = options.address.find(':') != std::string::npos;
    return concat("http://", six ? "[" : "", options.address, six ? "]" : "", ":",
                  std::to_string(server.port()), "/mcp");
  }

  // Null when no authorisation server is named.
  static Expected<std::unique_ptr<mcp::TokenCheck>> token_check(const Options& options) {
    if (options.authorization_server.empty()) return std::unique_ptr<mcp::TokenCheck>();
    const char* secret = options.client_secret_variable.empty()
                             ? nullptr
                             : ::secure_getenv(options.client_secret_variable.c_str());
    if (secret == nullptr && !options.client_secret_variable.empty())
      return fail(ErrorCode::kInvalidArgument,
                  concat("The variable ", options.client_secret_variable, " is not set."),
                  "Put the secret of --client-id into it.");
    return mcp::TokenCheck::create({.server = options.authorization_server,
                                    .resource = options.resource,
                                    .client_id = options.client_id,
                                    .client_secret = secret != nullptr ? secret : "",
                                    .scopes = options.scope});
  }

  static void answer(http::Exchange& exchange, mcp::HttpEndpoint& endpoint, const mcp::TokenCheck* foreign) {
    const std::string& path = exchange.request().path;
    if (path == "/mcp") return endpoint.handle(exchange);
    const auto respond = [&](const Json& body) {
      exchange.respond({.headers = {{"Content-Type", "application/json"}}, .body = to_text(body)});
    };
    if (foreign != nullptr && path == foreign->metadata_path()) return respond(foreign->metadata());
    // Whoever asks without a token learns nothing else.
    if (path == kHealthPath) return respond(JsonObject{{"status", "ok"}});
    exchange.respond(http::error_response(
        404, "The endpoint is /mcp; figures are at /metrics, a sign of life at /health."));
  }
};

}  // namespace

std::unique_ptr<Command> make_serve_command() { return std::make_unique<TypedCommand<Serve>>(); }

}  // namespace helve::cli
