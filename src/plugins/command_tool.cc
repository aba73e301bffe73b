#include "plugins/command_tool.h"

#include <algorithm>

#include "base/file_io.h"
#include "base/find_program.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/command_report.h"
#include "core/engines.h"
#include "core/session_state.h"
#include "helve/session.h"
#include "helve/settings/sandbox.h"
#include "plugins/command_template.h"
#include "process/shell_choice.h"

namespace helve::plugins {
namespace {

using process::Stream;
using std::chrono::milliseconds;

constexpr std::size_t kResultLimit = 50'000;             // characters of output in the answer
constexpr std::size_t kMaxJson = std::size_t{16} << 20;  // bytes of output that are parsed

Effect effect_of(const PluginTool& tool, const settings::Groups& settings) {
  const bool sandboxed = settings.sandbox.level != SandboxLevel::kOff;
  return sandboxed || tool.effect == Effect::kNetwork ? tool.effect : Effect::kExecute;
}

class CommandTool final : public Tool {
 public:
  CommandTool(const PluginTool& tool, CommandTemplate command, const std::string& plugin,
              std::string directory, const settings::Groups& settings)
      : tool_(tool), template_(std::move(command)), directory_(std::move(directory)) {
    definition_.name = tool.name;
    definition_.title = tool.title;
    definition_.description = tool.description;
    definition_.effect = effect_of(tool, settings);
    definition_.group = plugin;
    definition_.params = parameters_of(tool);
    definition_.dry_runs = !definition_.read_only();
    definition_.honours_stop = true;
    // The job's own time limit applies; this one must only be later.
    definition_.time_limit = milliseconds(tool.time_limit_ms) + std::chrono::seconds(30);
    definition_.result_limit = kResultLimit + 10'000;
  }

  const ToolDefinition& definition() const override { return definition_; }
  std::vector<Resource> resources(const Json& /*arguments*/) const override {
    return {{"file:", definition_.read_only() ? Resource::Use::kShared : Resource::Use::kExclusive}};
  }

  Result execute(Context& context, const Json& arguments) const override {
    auto inside = with_paths_inside(context, arguments);
    if (!inside) return fail(std::move(inside).error());
    auto filled = template_.fill(*inside);
    if (!filled) return fail(std::move(filled).error());
    const auto program = find_tool_program(template_.program(), directory_);
    if (!program) return fail(program.error());
    // Only for display; it is never run as a line.
    const std::string line = shortened(process::quoted_line(filled->arguments), 2000);
    if (context.dry_run())
      return Output{
          .summary = concat("Dry run: ", line),
          .content = concat("Would run: ", line, "\n"),
          .data = JsonObject{{"command", JsonArray(filled->arguments.begin(), filled->arguments.end())},
                             {"dryRun", true}}};
    filled->arguments.front() = *program;
    return run(context, *std::move(filled), line);
  }

 private:
  // Makes paths relative to the workspace and refuses those outside of it.
  Expected<Json> with_paths_inside(const Context& context, const Json& arguments) const {
    Json inside = arguments;
    const workspace::Root& root = context.engines().root;
    const auto resolve = [&](Json& value) -> Expected<void> {
      const std::string given = value.as_string();
      const auto status = root.stat(given);
      if (!status && status.error().code == ErrorCode::kNotFound) {
        // The command may create it, but only inside the workspace.
        const auto target = root.open_parent(given);
        if (!target && target.error().code != ErrorCode::kNotFound) return fail(target.error());
        if (definition_.read_only()) return fail(root.not_found(given));
      } else if (!status) {
        return fail(status.error());
      }
      const std::string name = root.relative_name(given);
      value = name.empty() ? std::string(".") : name;
      return {};
    };
    for (const PluginParameter& parameter : tool_.parameters) {
      Json* value = inside.as_object().find(parameter.name);
      if (value == nullptr) continue;
      Expected<void> done;
      if (parameter.type == ParameterType::kPath) done = resolve(*value);
      if (parameter.type == ParameterType::kArray && parameter.items == ParameterType::kPath)
        for (Json& element : value->as_array())
          if (done) done = resolve(element);
      if (!done) return fail(std::move(done).error());
    }
    return inside;
  }

  Result run(Context& context, CommandTemplate::Filled filled, const std::string& line) const {
    core::CommandJobs::Order order{.wish = {.command = line,
                                            .argv = std::move(filled.arguments),
                                            .directory = ".",
                                            .read_only = tool_.effect == Effect::kRead,
                                            .network = tool_.effect == Effect::kNetwork},
                                   .input_text = std::move(filled.input),
                                   .time_limit = milliseconds(tool_.time_limit_ms)};
    if (!order.input_text.empty()) order.input = process::JobRequest::Input::kText;
    core::CommandJobs& commands = session_state(context).commands;
    auto started = commands.start(context, std::move(order));
    if (!started) return fail(std::move(started).error());
    process::Job& command = **started;
    const bool ended = command.wait_for_end(context.stop_token(), context.deadline());
    if (!ended) {
      command.kill(milliseconds(200));
      command.wait_for_end({}, Context::Clock::now() + std::chrono::seconds(5));
    }
    const core::CommandFacts facts = commands.finish(context.engines(), context.session(), command);
    Result result = ended ? report(command, facts) : fail(context.stop_error());
    if (result && result->truncated)
      command.log().keep();
    else
      (void)commands.remove(context.engines(), context.session(), command.id());
    return result;
  }

  Result report(process::Job& command, const core::CommandFacts& facts) const {
    Result result = core::describe_end(command, facts, kResultLimit);
    if (!result) return result;
    JsonObject& data = result->data.as_object();
    if (!result->truncated) data.erase("sessionId");
    const process::JobStatus status = command.status();
    const bool good =
        status.exit_code && std::ranges::find(tool_.exit_codes, *status.exit_code) != tool_.exit_codes.end();
    if (!good)
      return fail(
          status.state == process::JobState::kTimedOut ? ErrorCode::kTimeout : ErrorCode::kExecutionFailed,
          concat(tool_.name, ": ", template_.program(), " failed: ", core::outcome_text(command), "\n",
                 shortened(result->content, 4000)),
          {}, std::move(result->data));
    if (tool_.output != OutputForm::kJson) return result;
    const auto text = command.log().read_stream(Stream::kOutput, 0, kMaxJson + 1);
    if (!text) return fail(text.error());
    auto parsed = parse_json(text->bytes, {.max_bytes = kMaxJson});
    if (!parsed)
      return fail(ErrorCode::kExecutionFailed, concat(tool_.name, ": ", template_.program(),
                                                      " must print JSON: ", parsed.error().message));
    data.erase("stdout");
    data.append("result", *std::move(parsed));
    return result;
  }

  const PluginTool tool_;
  const CommandTemplate template_;
  const std::string directory_;
  ToolDefinition definition_;
};

}  // namespace

Expected<std::string> find_tool_program(const std::string& program, const std::string& directory) {
  const bool own = program.starts_with("./");
  if (const auto found = find_program(own ? concat(directory, program.substr(1)) : program)) return *found;
  return fail(
      ErrorCode::kUnavailable, concat("The program ", program, " was not found."),
      own ? concat("It must be an executable file in ", directory, ".") : "Install it, or put it into PATH.");
}

Expected<std::unique_ptr<Tool>> make_command_tool(const PluginTool& tool, const std::string& plugin,
                                                  const std::string& directory,
                                                  const settings::Groups& settings) {
  auto command = CommandTemplate::parse(tool);
  if (!command) return fail(std::move(command).error());
  return std::make_unique<CommandTool>(tool, *std::move(command), plugin, directory, settings);
}

}  // namespace helve::plugins
