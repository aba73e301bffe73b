#include "mcp/metrics_page.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "base/test_directory.h"
#include "core/metrics.h"
#include "helve/runtime.h"
#include "http/guard.h"
#include "http/testing.h"
#include "mcp/client_sessions.h"
#include "mcp/http_endpoint.h"
#include "mcp/runtime_tools.h"

namespace helve::mcp {
namespace {

MetricsFacts facts_of(const core::Metrics& metrics) {
  return {.version = "1.2",
          .sessions = 3,
          .connections = 4,
          .refused = {{401, 5}},
          .runtime = JsonObject{{"tools", metrics.to_json()}, {"callsRunning", 1}, {"commandsRunning", 2}}};
}

// The value of a sample, by its name and labels as they are written.
std::string sample(std::string_view page, std::string_view name) {
  const std::size_t at = page.find(concat("\n", name, " "));
  if (at == std::string_view::npos) return "(none)";
  const std::size_t from = at + name.size() + 2;
  return std::string(page.substr(from, page.find('\n', from) - from));
}

TEST(MetricsPage, CountsCallsAndTheirDurations) {
  core::Metrics metrics;
  metrics.count("read", {}, std::chrono::milliseconds(2));
  metrics.count("read", {}, std::chrono::milliseconds(200));
  metrics.count("read", ErrorCode::kNotFound, std::chrono::milliseconds(0));
  const std::string page = metrics_page(facts_of(metrics));
  EXPECT_EQ(sample(page, R"(helve_build_info{version="1.2"})"), "1");
  EXPECT_EQ(sample(page, "helve_mcp_sessions"), "3");
  EXPECT_EQ(sample(page, "helve_http_connections"), "4");
  EXPECT_EQ(sample(page, "helve_http_refused_total{status=\"401\"}"), "5");
  EXPECT_EQ(sample(page, "helve_tool_calls_running"), "1");
  EXPECT_EQ(sample(page, "helve_commands_running"), "2");
  EXPECT_EQ(sample(page, R"(helve_tool_calls_total{tool="read",outcome="ok"})"), "2");
  EXPECT_EQ(sample(page, R"(helve_tool_calls_total{tool="read",outcome="NOT_FOUND"})"), "1");
  constexpr std::string_view kDuration = "helve_tool_call_duration_seconds";
  EXPECT_EQ(sample(page, concat(kDuration, R"(_bucket{tool="read",le="0.001"})")), "1");
  EXPECT_EQ(sample(page, concat(kDuration, R"(_bucket{tool="read",le="0.005"})")), "2");
  EXPECT_EQ(sample(page, concat(kDuration, R"(_bucket{tool="read",le="0.5"})")), "3");
  EXPECT_EQ(sample(page, concat(kDuration, R"(_bucket{tool="read",le="+Inf"})")), "3");
  EXPECT_EQ(sample(page, concat(kDuration, R"(_sum{tool="read"})")), "0.202");
  EXPECT_EQ(sample(page, concat(kDuration, R"(_count{tool="read"})")), "3");
}

TEST(MetricsPage, ReportsTheResourcesOfTheProcess) {
  const std::string page = metrics_page(facts_of(core::Metrics()));
  for (const std::string_view name :
       {"process_resident_memory_bytes", "process_virtual_memory_bytes", "process_open_fds",
        "process_max_fds", "process_threads", "process_start_time_seconds", "helve_uptime_seconds"})
    EXPECT_GT(std::stod(sample(page, name)), 0) << name;
  EXPECT_GE(std::stod(sample(page, "process_cpu_seconds_total")), 0);
  const UniqueFd more(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::string later = metrics_page(facts_of(core::Metrics()));
  EXPECT_EQ(std::stoi(sample(later, "process_open_fds")), std::stoi(sample(page, "process_open_fds")) + 1);
}

// Each line has a valid form, and the help and type of a metric precede its samples.
TEST(MetricsPage, IsValidTextFormat) {
  core::Metrics metrics;
  metrics.count("odd\"name\\of\na tool", {}, {});
  metrics.count("edit", ErrorCode::kConflict, std::chrono::seconds(100));
  const std::string page = metrics_page(facts_of(metrics));
  ASSERT_TRUE(page.ends_with('\n'));
  const std::regex described("# (HELP|TYPE) ([a-z_]+) ([^\\\\]+)");
  const std::regex sampled(
      R"(([a-z_]+?)(_bucket|_sum|_count)?(\{([a-z]+="([^"\\]|\\["n\\])*",?)+\})? (-?[0-9.]+(e[-+]?[0-9]+)?))");
  std::set<std::string> known;
  for (const std::string_view line : split(std::string_view(page).substr(0, page.size() - 1), '\n')) {
    std::cmatch match;
    if (std::regex_match(line.data(), line.data() + line.size(), match, described)) {
      EXPECT_EQ(known.insert(concat(match.str(1), match.str(2))).second, true) << line;
    } else {
      ASSERT_TRUE(std::regex_match(line.data(), line.data() + line.size(), match, sampled)) << line;
      EXPECT_TRUE(known.contains(concat("HELP", match.str(1))) &&
                  known.contains(concat("TYPE", match.str(1))))
          << line;
    }
  }
}

// Uses the same guard for the page and the endpoint, as `helve serve` does.
class MetricsOverHttpTest : public ::testing::Test {
 public:
  MetricsOverHttpTest() {
    workspace_.write("a.txt", "text\n");
    RuntimeOptions options{.workspace = workspace_.path(), .state_directory = state_.path()};
    options.launcher = "/proc/self/exe";
    options.settings.mode = Mode::kFull;
    sessions_.emplace(std::shared_ptr<Runtime>(Runtime::create(std::move(options)).value()));
    tools_.emplace(*sessions_);
    server_ = std::make_unique<Server>(ServerOptions{.version = "1"}, Server::Offers{.tools = &*tools_});
    endpoint_ = std::make_unique<HttpEndpoint>(*server_, HttpSessions::Limits{});
    http_ = http::Server::start(
                {.admit = [this](const http::Request& request) { return guard_.refusal(request); }},
                [this](http::Exchange& exchange) {
                  if (exchange.request().path == "/mcp") return endpoint_->handle(exchange);
                  exchange.respond(metrics_response(
                      exchange.request(),
                      {.sessions = endpoint_->open_sessions(), .runtime = sessions_->runtime()->metrics()}));
                },
                logger_)
                .value();
  }
  ~MetricsOverHttpTest() override {
    http_.reset();
    endpoint_.reset();
    server_.reset();
  }

  std::string send(std::string_view method, std::string_view path, std::string_view headers,
                   std::string_view body = {}) const {
    http::RawClient raw(http_->port());
    raw.send(concat(method, " ", path, " HTTP/1.1\r\n", headers, "Content-Length: ", body.size(),
                    "\r\nConnection: close\r\n\r\n", body));
    return raw.read_all();
  }
  [[nodiscard]] std::string page() const { return send("GET", "/metrics", kAuthorized); }
  std::string call(std::string_view tool, std::string_view arguments, const std::string& session) const {
    return send("POST", "/mcp",
                concat(kAuthorized, "Content-Type: application/json\r\nAccept: application/json, ",
                       "text/event-stream\r\nMcp-Session-Id: ", session, "\r\n"),
                concat(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")", tool,
                       R"(","arguments":)", arguments, "}}"));
  }
  [[nodiscard]] std::string open_session() const {
    const std::string text =
        send("POST", "/mcp",
             concat(kAuthorized,
                    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"),
             R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
    const std::size_t from = text.find("Mcp-Session-Id: ") + 16;
    return text.substr(from, text.find('\r', from) - from);
  }

  static constexpr std::string_view kAuthorized =
      "Host: localhost\r\nAuthorization: Bearer secret-of-the-test\r\n";
  TestDirectory workspace_;
  TestDirectory state_;
  Logger logger_{LogLevel::kError};
  http::Guard guard_{.token = "secret-of-the-test"};
  std::optional<ClientSessions> sessions_;
  std::optional<RuntimeTools> tools_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<HttpEndpoint> endpoint_;
  std::unique_ptr<http::Server> http_;
};

TEST_F(MetricsOverHttpTest, NeedsTheTokenAndAKnownHost) {
  EXPECT_TRUE(send("GET", "/metrics", "Host: localhost\r\n").starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(send("GET", "/metrics", "Host: localhost\r\nAuthorization: Bearer guess\r\n")
                  .starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(send("GET", "/metrics", "Host: evil.example\r\nAuthorization: Bearer secret-of-the-test\r\n")
                  .starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(send("POST", "/metrics", kAuthorized).starts_with("HTTP/1.1 405"));
  const std::string given = page();
  EXPECT_TRUE(given.starts_with("HTTP/1.1 200"));
  EXPECT_THAT(given, ::testing::HasSubstr("Content-Type: text/plain; version=0.0.4"));
}

TEST_F(MetricsOverHttpTest, CountsWhatSessionsDo) {
  EXPECT_EQ(sample(page(), "helve_mcp_sessions"), "0");
  const std::string session = open_session();
  call("read", R"({"path": "a.txt"})", session);
  call("read", R"({"path": "none.txt"})", session);
  call("nobody-knows-this-one", "{}", session);
  call("exec", R"({"command": "sleep 600", "background": true})", session);
  const std::string now = page();
  EXPECT_EQ(sample(now, "helve_mcp_sessions"), "1");
  EXPECT_EQ(sample(now, R"(helve_tool_calls_total{tool="read",outcome="ok"})"), "1");
  EXPECT_EQ(sample(now, R"(helve_tool_calls_total{tool="read",outcome="NOT_FOUND"})"), "1");
  EXPECT_EQ(sample(now, R"(helve_tool_calls_total{tool="exec",outcome="ok"})"), "1");
  EXPECT_EQ(sample(now, R"(helve_tool_call_duration_seconds_count{tool="read"})"), "2");
  EXPECT_THAT(now, ::testing::Not(::testing::HasSubstr("nobody-knows-this-one")))
      << "clients cannot create labels";
  EXPECT_EQ(sample(now, "helve_commands_running"), "1");
  EXPECT_EQ(sample(now, "helve_tool_calls_running"), "0");

  send("DELETE", "/mcp", concat(kAuthorized, "Mcp-Session-Id: ", session, "\r\n"));
  const std::string end = page();
  EXPECT_EQ(sample(end, "helve_mcp_sessions"), "0");
  EXPECT_TRUE(http::comes_true([&] { return sample(page(), "helve_commands_running") == "0"; }))
      << "the session's commands end with it";
}

}  // namespace
}  // namespace helve::mcp
