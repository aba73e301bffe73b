// helve serve: serves the tools over MCP on HTTP, to many clients.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/file_trust.h"
#include "base/strings.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/mcp_host.h"
#include "helve/settings/log.h"
#include "http/guard.h"
#include "http/response_text.h"
#include "http/server.h"
#include "http/url.h"
#include "mcp/http_endpoint.h"
#include "mcp/metrics_page.h"
#include "mcp/token_check.h"
#include "settings/directories.h"
#include "settings/groups.h"

namespace helve::cli {
namespace {

constexpr int kUsualPort = 7171;
constexpr std::string_view kSocketScheme = "unix:";

struct ServeToken {
  std::string text = {};
  std::string path = {};
  bool is_new = false;
};

// Loads the token that clients must send from the state directory, or creates it.
Expected<ServeToken> serve_token() {
  const auto state = settings::default_state_directory();
  if (!state) return fail(state.error());
  if (auto made = make_private_directories(*state); !made) return fail(made.error());
  if (auto own = check_own_directory(*state); !own) return fail(own.error());
  // If two processes start at once, the second finds the complete token of the first.
  const auto lock = lock_directory(*state);
  if (!lock) return fail(lock.error());
  ServeToken token{.path = concat(*state, "/serve-token")};
  const UniqueFd made(::open(token.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (made) {
    token.text = random_id("helve", 32);
    token.is_new = true;
    if (auto written = write_all(made.get(), concat(token.text, "\n")); !written) {
      ::unlink(token.path.c_str());
      return fail(written.error());
    }
    return token;
  }
  if (errno != EEXIST) return fail(system_error(concat("Cannot create ", token.path), errno));
  const UniqueFd kept(::open(token.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!kept || ::fstat(kept.get(), &status) != 0)
    return fail(system_error(concat("Cannot read ", token.path), errno));
  if ((status.st_mode & 077) != 0 || status.st_uid != ::geteuid())
    return fail(ErrorCode::kSecurity, concat(token.path, " is readable by others, so it is not secret."),
                "Delete it; the next start creates a new token.");
  auto text = read_all(kept.get(), 1024);
  if (!text) return fail(text.error());
  token.text = trim(*text);
  constexpr std::size_t kShortest = 20;
  if (token.text.size() < kShortest)
    return fail(ErrorCode::kInvalidArgument, concat(token.path, " does not contain a token."),
                "Delete it; the next start creates one.");
  return token;
}

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
    p.optional("address", address, "Address to listen on.");
    p.optional("port", port, "Port to listen on; 0 picks a free one.", {.min = 0, .max = 65'535});
    p.optional("socket", socket, "Unix socket to listen on instead.");
    p.optional("host", host, "Host name that clients may use besides localhost; may be repeated.");
    p.optional("origin", origin, "Web origin whose pages may call the server; may be repeated.");
    p.optional("noToken", no_token, "Require no token; only on loopback.");
    p.optional("idleSeconds", idle_seconds, "Idle time after which a session and its commands end.",
               {.min = 1, .max = 31'536'000});
    p.optional("authorizationServer", authorization_server,
               "Issuer URL of an OAuth server whose tokens are accepted too.");
    p.optional("resource", resource, "URL of this server for clients, and the audience of their tokens.");
    p.optional("clientId", client_id, "Client id for asking the OAuth server about tokens.");
    p.optional("clientSecretVariable", client_secret_variable,
               "Environment variable with the client secret.");
    p.optional("scope", scope, "Scope that a token must have; may be repeated.");
  }
};

constexpr std::string_view kHealthPath = "/health";

// Blocked before any thread starts, so that only the main thread receives them.
sigset_t block_end_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Commands to paste. They read the secret from its file instead of containing it.
std::string ways_to_add(const std::string& url, const ServeToken& token) {
  const bool open = token.text.empty();
  const std::string secret = concat("$(cat ", token.path, ")");
  const std::string header = open ? "" : concat(" --header \"Authorization: Bearer ", secret, "\"");
  // No agent supports Unix sockets.
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

// `resource` is the public URL behind a proxy.
std::string greeting(const std::string& url, const std::string& resource, const ServeToken& token,
                     const Runtime& runtime) {
  std::string text =
      concat("Helve is serving at ", url, "\nFolder ", terminal::printable_line(runtime.workspace()),
             ", mode ", name_of(settings::Groups(runtime.settings()).mode), "\n");
  // A file or a pipe can be a log that others read.
  if (token.is_new && ::isatty(STDOUT_FILENO) == 0)
    text += concat("New token, shown only at a terminal: it is in ", token.path, "\n");
  else if (token.is_new)
    text += concat("New token, shown only once and stored in ", token.path, ":\n  ", token.text, "\n");
  text += ways_to_add(resource.empty() ? url : resource, token);
  return text + "Or without a server: claude mcp add helve -- helve mcp\nPress Ctrl-C to stop.\n";
}

struct Serve {
  static constexpr std::string_view kName = "serve";
  static constexpr std::string_view kSummary = "Serve the tools over MCP on HTTP";
  static constexpr std::string_view kDetails =
      "Clients need the token that the first start creates, unless --no-token is given.";

  using Options = ServeOptions;

  int run(const app::Invocation& shell, const Options& options) const {
    const bool local = !options.socket.empty() || http::is_loopback_name(options.address);
    if (options.no_token && !local && options.authorization_server.empty())
      return shell.report({.code = ErrorCode::kInvalidArgument,
                           .message = concat("Listening on ", options.address, " needs a token."),
                           .hint = "Remove --no-token, or listen on 127.0.0.1."},
                          app::kUsage);
    auto check = token_check(options);
    if (!check) return shell.report(check.error(), app::kUsage);
    const sigset_t signals = block_end_signals();
    auto token = options.no_token ? Expected<ServeToken>(ServeToken()) : serve_token();
    if (!token) return shell.report(token.error(), app::kSetup);
    auto host = McpHost::build(shell, options.serving, McpHost::Clients::kMany);
    if (!host) return shell.report(host.error(), app::kSetup);

    mcp::HttpEndpoint endpoint((*host)->server(), {.idle = std::chrono::seconds(options.idle_seconds)},
                               !options.resource.empty());
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
    const LogSettings& log = settings::Groups((*host)->runtime()->settings()).log;
    Logger logger(log.level, log.format);
    http::Refusals refusals(logger);
    std::atomic<const http::Server*> running = nullptr;  // requests may arrive before start() returns
    const auto facts = [&] {
      const http::Server* const known = running;
      return mcp::MetricsFacts{.version = std::string(version()),
                               .sessions = endpoint.open_sessions(),
                               .connections = known != nullptr ? known->open_connections() : 1,
                               .refused = refusals.counts(),
                               .runtime = (*host)->runtime()->metrics()};
    };
    auto server = http::Server::start(
        {.address = options.address,
         .port = static_cast<std::uint16_t>(options.port),
         .unix_path = options.socket,
         // A stateless client's session ends with its connection, and a model may think for minutes.
         .limits = {.idle_time = std::chrono::minutes(10)},
         .admit = [&guard](const http::Request& request) { return guard.refusal(request); },
         .is_open = [&guard](const http::Request& request) { return guard.is_open(request); },
         .on_refusal = [&refusals](const http::Response& answer,
                                   const http::Refused& refused) { refusals.add(answer, refused); }},
        [&](http::Exchange& exchange) {
          if (exchange.request().path == "/metrics")
            return exchange.respond(mcp::metrics_response(exchange.request(), facts()));
          answer(exchange, endpoint, foreign);
        },
        logger);
    if (!server) return shell.report(server.error(), app::kSetup);
    running = server->get();
    if (!shell.options().quiet)
      shell.terminal().out(
          greeting(url_of(options, **server), options.resource, *token, *(*host)->runtime()));
    std::jthread asking;  // the authorization server, which may be slow
    if (foreign != nullptr)
      static_cast<void>(try_start_thread(
          asking, [&](const std::stop_token& stop) { warn_of_issuer(shell.terminal(), *foreign, stop); }));
    int signal = 0;
    ::sigwait(&signals, &signal);
    asking.request_stop();
    server->reset();  // first: running requests may still use the host
    (*host)->server().stop();
    return app::kOk;
  }

 private:
  // Tokens that cannot be checked would only show as refusals.
  static void warn_of_issuer(const app::Printer& terminal, mcp::TokenCheck& issuer,
                             const std::stop_token& stop) {
    const auto found = issuer.discover(stop);
    if (found || stop.stop_requested()) return;
    terminal.err(concat(terminal.paint_err(terminal::Colour::kYellow, "warning: "),
                        terminal::printable_line(found.error().message), " ",
                        terminal::printable_line(found.error().hint), "\n"));
  }

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
                  "Set it to the secret of --client-id.");
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
    // The only information without a token.
    if (path == kHealthPath) return respond(JsonObject{{"status", "ok"}});
    exchange.respond(
        http::error_response(404, "Use /mcp for MCP, /metrics for metrics, /health for a health check."));
  }
};

}  // namespace

std::unique_ptr<Command> make_serve_command() { return std::make_unique<TypedCommand<Serve>>(); }

}  // namespace helve::cli
