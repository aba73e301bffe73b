// helve serve: serves the tools over MCP on HTTP, to many clients.
#include <csignal>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/command.h"
#include "cli/mcp_house.h"
#include "cli/serve_token.h"
#include "core/directories.h"
#include "http/guard.h"
#include "http/server.h"
#include "mcp/http_endpoint.h"

namespace helve::cli {
namespace {

constexpr int kUsualPort = 7171;

struct ServeOptions {
  ServingOptions serving;
  std::string address = "127.0.0.1";
  int port = kUsualPort;
  std::string socket;
  std::vector<std::string> host;
  std::vector<std::string> origin;
  bool no_token = false;

  void describe(ParamSpec& p) {
    serving.describe(p);
    p.optional("address", address, "Address to listen at.");
    p.optional("port", port, "Port to listen at; 0 takes a free one.", {.min = 0, .max = 65'535});
    p.optional("socket", socket, "Unix socket to listen at instead.");
    p.optional("host", host,
               "A name by which clients may call the server, besides localhost; may be repeated.");
    p.optional("origin", origin, "A web origin whose pages may call the server; may be repeated.");
    p.optional("noToken", no_token, "Ask for no token; on loopback only.");
  }
};

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
std::string greeting(const std::string& url, const ServeToken& token) {
  std::string text = concat("Helve serves at ", url, "\n");
  if (token.is_new)
    text +=
        concat("A token was made; it is shown this once and kept in ", token.path, ":\n  ", token.text, "\n");
  const bool open = token.text.empty();
  const std::string secret = concat("$(cat ", token.path, ")");
  const std::string header = open ? "" : concat(" --header \"Authorization: Bearer ", secret, "\"");
  text +=
      concat("Add it to\n", "  Claude Code   claude mcp add --transport http helve ", url, header, "\n",
             "  Gemini CLI    gemini mcp add --transport http helve ", url, header, "\n", "  Codex         ",
             open ? "" : concat("HELVE_TOKEN=", secret, " "), "codex mcp add helve --url ", url,
             open ? "" : " --bearer-token-env-var HELVE_TOKEN", "\n",
             R"(  VS Code       code --add-mcp "{\"name\":\"helve\",\"type\":\"http\",\"url\":\")", url,
             R"(\")", open ? "" : concat(R"(,\"headers\":{\"Authorization\":\"Bearer )", secret, R"(\"})"),
             "}\"\n", "Or without a server: claude mcp add helve -- helve mcp\n", "Ctrl-C ends it.\n");
  return text;
}

struct Serve {
  static constexpr std::string_view kName = "serve";
  static constexpr std::string_view kSummary = "Serve the tools over MCP on HTTP";
  static constexpr std::string_view kDetails =
      "Clients need the token that is made at the first start, unless --no-token is given.";

  using Options = ServeOptions;

  int run(const Shell& shell, const Options& options) const {
    const bool local = !options.socket.empty() || http::is_loopback_name(options.address);
    if (options.no_token && !local)
      return shell.report({.code = ErrorCode::kInvalidArgument,
                           .message = concat("Listening at ", options.address, " needs a token."),
                           .hint = "Leave --no-token out, or listen at 127.0.0.1."},
                          kUsage);
    const sigset_t signals = block_end_signals();
    auto token = options.no_token ? Expected<ServeToken>(ServeToken()) : serve_token();
    if (!token) return shell.report(token.error(), kSetup);
    auto house = McpHouse::build(shell, options.serving);
    if (!house) return shell.report(house.error(), kSetup);

    mcp::HttpEndpoint endpoint((*house)->server(), {});
    http::Guard guard{.hosts = options.host, .origins = options.origin, .token = token->text};
    if (!local) guard.hosts.push_back(options.address);
    Logger logger;
    auto server = http::Server::start(
        {.address = options.address,
         .port = static_cast<std::uint16_t>(options.port),
         .unix_path = options.socket,
         .admit = [&guard](const http::Request& request) { return guard.refusal(request); }},
        [&](http::Exchange& exchange) { answer(exchange, endpoint); }, logger);
    if (!server) return shell.report(server.error(), kSetup);
    if (!shell.options().quiet) shell.terminal().out(greeting(url_of(options, **server), *token));
    int signal = 0;
    ::sigwait(&signals, &signal);
    (*house)->server().stop();
    return kOk;
  }

 private:
  static std::string url_of(const Options& options, const http::Server& server) {
    if (!options.socket.empty()) return concat("unix:", options.socket);
    const bool six = options.address.find(':') != std::string::npos;
    return concat("http://", six ? "[" : "", options.address, six ? "]" : "", ":",
                  std::to_string(server.port()), "/mcp");
  }

  static void answer(http::Exchange& exchange, mcp::HttpEndpoint& endpoint) {
    if (exchange.request().path == "/mcp") return endpoint.handle(exchange);
    exchange.respond({.status = 404, .body = "The endpoint is /mcp.\n"});
  }
};

}  // namespace

std::unique_ptr<Command> make_serve_command() { return std::make_unique<TypedCommand<Serve>>(); }

}  // namespace helve::cli
