#include "mcp/metrics_page.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "base/strings.h"
#include "http/response_text.h"
#include "process/process_info.h"

namespace helve::mcp {
namespace {

// Builds Prometheus text: the help and type of each metric, then its samples.
class Page {
 public:
  void begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += concat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
  }
  void sample(const Json& value, std::string_view labels = {}, std::string_view suffix = {}) {
    text_ += concat(name_, suffix, labels.empty() ? "" : concat("{", labels, "}"), " ", to_text(value), "\n");
  }
  void one(std::string_view name, std::string_view type, std::string_view help, const Json& value) {
    begin(name, type, help);
    sample(value);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string_view name_;
  std::string text_;
};

std::string label(std::string_view name, std::string_view value) {
  std::string escaped = replace_all(value, "\\", "\\\\");
  escaped = replace_all(escaped, "\"", "\\\"");
  return concat(name, "=\"", replace_all(escaped, "\n", "\\n"), "\"");
}

double to_double(std::uint64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// "VmRSS:	  1234 kB", without the unit.
std::uint64_t status_field(std::string_view status, std::string_view name) {
  const std::size_t at = status.find(concat("\n", name, ":"));
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = trim(status.substr(at + name.size() + 2, 32));
  std::uint64_t value = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return value;
}

std::size_t open_descriptors() {
  std::error_code error;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
       entry.increment(error))
    ++count;
  return count == 0 ? 0 : count - 1;  // one belongs to the iterator
}

void add_process(Page& page) {
  const std::string status = process::read_proc_file("/proc/self/status");
  rlimit descriptors{};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  page.one("process_resident_memory_bytes", "gauge", "Memory in use, in bytes.",
           status_field(status, "VmRSS") * 1024);
  page.one("process_virtual_memory_bytes", "gauge", "Address space, in bytes.",
           status_field(status, "VmSize") * 1024);
  page.one("process_open_fds", "gauge", "Open file descriptors.", open_descriptors());
  page.one("process_max_fds", "gauge", "Limit of open file descriptors.",
           std::uint64_t{descriptors.rlim_cur});
  page.one("process_threads", "gauge", "Threads.", status_field(status, "Threads"));
  const auto own = process::read_proc_stat(::getpid());
  if (!own) return;
  page.one("process_cpu_seconds_total", "counter", "CPU time used, in seconds.", to_double(own->cpu_ticks));
  timespec since_boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &since_boot);
  const double uptime = static_cast<double>(since_boot.tv_sec) +
                        static_cast<double>(since_boot.tv_nsec) / 1e9 - to_double(own->start_ticks);
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  page.one("process_start_time_seconds", "gauge", "When the process started, in seconds since 1970.",
           now.count() - uptime);
  page.one("helve_uptime_seconds", "gauge", "How long the process has run, in seconds.", uptime);
}

void add_tools(Page& page, const JsonObject& tools) {
  page.begin("helve_tool_calls_total", "counter", "Calls by tool and outcome: ok or an error code.");
  for (const auto& [tool, entry] : tools)
    for (const auto& [outcome, count] : entry.find("outcomes")->as_object())
      page.sample(count, concat(label("tool", tool), ",", label("outcome", outcome)));

  page.begin("helve_tool_call_duration_seconds", "histogram", "How long tools ran, in seconds.");
  for (const auto& [tool, entry] : tools) {
    const std::string of_tool = label("tool", tool);
    for (const Json& duration : entry.find("durations")->as_array()) {
      const double bound = duration.find("upToMs")->as_double() / 1000;
      page.sample(*duration.find("calls"), concat(of_tool, ",", label("le", to_text(bound))), "_bucket");
    }
    page.sample(*entry.find("calls"), concat(of_tool, ",", label("le", "+Inf")), "_bucket");
    page.sample(entry.find("totalMs")->as_double() / 1000, of_tool, "_sum");
    page.sample(*entry.find("calls"), of_tool, "_count");
  }
}

}  // namespace

std::string metrics_page(const MetricsFacts& facts) {
  Page page;
  page.begin("helve_build_info", "gauge", "The version that runs.");
  page.sample(1, label("version", facts.version));
  add_process(page);
  page.one("helve_http_connections", "gauge", "Open HTTP connections.", facts.connections);
  page.begin("helve_http_refused_total", "counter",
             "Requests refused before they were handled, by HTTP status.");
  for (const auto& [status, count] : facts.refused)
    page.sample(count, label("status", std::to_string(status)));
  page.one("helve_mcp_sessions", "gauge", "Open MCP sessions.", facts.sessions);
  page.one("helve_tool_calls_running", "gauge", "Running tool calls.", *facts.runtime.find("callsRunning"));
  page.one("helve_commands_running", "gauge", "Running exec commands.",
           *facts.runtime.find("commandsRunning"));
  add_tools(page, facts.runtime.find("tools")->as_object());
  return page.take();
}

http::Response metrics_response(const http::Request& request, const MetricsFacts& facts) {
  if (request.method != "GET" && request.method != "HEAD") return http::method_not_allowed("GET, HEAD");
  return {.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}},
          .body = metrics_page(facts)};
}

}  // namespace helve::mcp
