#include "cli/plugin_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/file_io.h"
#include "base/strings.h"
#include "gateway/foreign_tool.h"
#include "helve/runtime_class.h"
#include "mcp/server.h"
#include "mcp/stdio.h"
#include "mcp/tool_json.h"
#include "plugins/library.h"
#include "plugins/served_plugin.h"
#include "rpc/mcp_protocol.h"

namespace helve::cli {
namespace {

constexpr auto kGrace = std::chrono::seconds(2);  // for a library to react to a stop

void say(const std::string& text) {
  static_cast<void>(write_all(STDERR_FILENO, concat(plugins::kPluginErrorPrefix, text, "\n")));
}

// Ends the process if a call ignores a stop request: nothing else can end a thread that hangs in a library.
// The next call starts a new process.
class Watchdog {
 public:
  Watchdog(const std::string& tool, const std::stop_token& stop)
      : thread_([this, tool, stop](const std::stop_token& through) {
          std::unique_lock lock(mutex_);
          const std::stop_callback wake(stop, [this] { changed_.notify_all(); });
          changed_.wait(lock, through, [&] { return stop.stop_requested(); });
          if (through.stop_requested()) return;
          changed_.wait_for(lock, through, kGrace, [] { return false; });
          if (through.stop_requested()) return;
          say(concat(tool, " ignored the stop request, so its process is ended."));
          ::_exit(1);
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  // last: it uses the others
};

class LibraryTools final : public mcp::Tools {
 public:
  LibraryTools(const plugins::Library& library, std::string workspace)
      : library_(library), workspace_(std::move(workspace)) {}

  JsonArray list(mcp::ActiveRequest& call) override {
    JsonArray tools;
    for (const ToolDefinition& tool : library_.tools()) {
      Json described = mcp::describe_tool(tool, call.info());
      if (tool.dry_runs) described["_meta"] = JsonObject{{std::string(gateway::kDryRunsMeta), true}};
      tools.push_back(std::move(described));
    }
    return tools;
  }
  std::optional<mcp::OfferedTool> find(const std::string& name) override {
    const auto& tools = library_.tools();
    if (std::ranges::find(tools, name, &ToolDefinition::name) == tools.end()) return {};
    return mcp::OfferedTool{.call = [this, name](mcp::ActiveRequest& request, Json arguments) {
      return call(request, name, std::move(arguments));
    }};
  }
  mcp::Subscription on_change(std::function<void()> /*callback*/) override { return {}; }

 private:
  mcp::Outcome call(mcp::ActiveRequest& call, const std::string& name, Json arguments) {
    plugins::Library::Call made{.tool = name,
                                .workspace = workspace_,
                                .should_stop = [&call] { return call.stop().stop_requested(); },
                                .on_progress = [&call](const Progress& report) { call.progress(report); }};
    if (arguments.is_object() && arguments.find("dryRun") != nullptr) {
      made.dry_run = *arguments.find("dryRun") == Json(true);
      arguments.as_object().erase("dryRun");
    }
    made.arguments = std::move(arguments);
    const Watchdog watchdog(name, call.stop());
    return answer(library_.call(made));
  }

  static Json answer(const Result& result) {
    if (!result)
      return JsonObject{
          {"content", JsonArray{JsonObject{{"type", "text"}, {"text", result.error().message}}}},
          {"_meta", JsonObject{{std::string(rpc::kMetaError), result.error().to_json()}}},
          {"isError", true}};
    JsonArray paths(result->affected_paths.begin(), result->affected_paths.end());
    Json json =
        JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", result->content}}}},
                   {"_meta", JsonObject{{std::string(gateway::kSummaryMeta), result->summary},
                                        {std::string(gateway::kAffectedPathsMeta), std::move(paths)}}}};
    if (result->data.is_object()) json["structuredContent"] = result->data;
    return json;
  }

  const plugins::Library& library_;
  const std::string workspace_;
};

int serve(const std::string& file) {
  // Output of the library goes to stderr; the pipe is for messages.
  const UniqueFd messages(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10));
  if (!messages || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  const auto library = plugins::Library::open(file);
  if (!library) {
    say(concat(library.error().message, library.error().hint.empty() ? "" : " ", library.error().hint));
    return 1;
  }
  LibraryTools tools(**library, real_path(".").value_or("."));
  mcp::Server server({.name = "helve-plugin", .title = "Helve plugin", .version = std::string(version())},
                     {.tools = &tools});
  mcp::serve_stdio(server, std::make_shared<mcp::Client>(), {.out = messages.get()});
  return 0;
}

}  // namespace

std::optional<int> be_plugin_process_if_asked(int argc, char** argv) {
  if (argc != 3 || std::strcmp(argv[1], kPluginProcess) != 0) return {};
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_IGN);
  return serve(argv[2]);
}

}  // namespace helve::cli
