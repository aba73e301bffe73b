// helve explain: shows whether a call would be allowed, and which rule decides.
#include "base/json_read.h"
#include "base/strings.h"
#include "cli/call.h"
#include "cli/command.h"
#include "cli/mcp_servers.h"

namespace helve::cli {
namespace {

struct Explain {
  static constexpr std::string_view kName = "explain";
  static constexpr std::string_view kSummary = "Show whether a call would be allowed, and why";
  static constexpr std::string_view kDetails =
      "helve explain exec '{\"command\": \"git push\"}'\n"
      "Nothing runs. Uses the mode of agent sessions (ask) unless --mode is given.";
  static constexpr auto kPositionals = kCallPositionals;

  using Options = CallOptions;

  int run(const app::Invocation& shell, const Options& options) const {
    auto arguments = json_arguments(options.arguments, R"(helve explain exec '{"command": "git push"}')");
    if (!arguments) return shell.report(arguments.error(), app::kUsage);
    auto runtime = shell.runtime(Mode::kAsk);
    if (!runtime) return shell.report(runtime.error(), app::kSetup);
    const auto servers =
        (*runtime)->tools().find(options.tool)
            ? nullptr
            : show_server_tools(shell, (*runtime)->tools(), ServerStart::kMayStart, options.tool);
    const auto explained = (*runtime)->explain({.tool = options.tool, .arguments = *std::move(arguments)});
    if (!explained) return shell.report(explained.error(), app::kToolError);
    if (shell.options().json)
      shell.print_json(*explained);
    else
      print(shell.terminal(), *explained);
    return app::kOk;
  }

 private:
  static void print(const app::Printer& terminal, const Json& explained) {
    const std::string_view verdict = string_in(explained, "verdict");
    const terminal::Colour colour = verdict == "allow" ? terminal::Colour::kGreen
                                    : verdict == "ask" ? terminal::Colour::kYellow
                                                       : terminal::Colour::kRed;
    terminal.out(concat(terminal.paint(terminal::Colour::kBold, terminal.paint(colour, std::string(verdict))),
                        ": ", terminal::printable_line(string_in(explained, "reason")), "\n"));
    if (const Json* steps = explained.find("steps"); steps != nullptr && steps->is_array())
      for (const Json& step : steps->as_array()) {
        const std::string_view outcome = string_in(step, "outcome");
        const bool is_left = verdict == "allow" && outcome == "asked";  // the mode does not ask
        terminal.out(concat("  ", terminal::printable_line(string_in(step, "subject")), " is ",
                            is_left ? "left to the mode" : outcome, ": ",
                            terminal::printable_line(string_in(step, "reason")), "\n"));
      }
    if (const Json* rules = explained.find("alwaysWouldAllow"); rules != nullptr && rules->is_array())
      for (const Json& rule : rules->as_array())
        terminal.out(
            concat("  always would add the rule ", terminal::printable_line(rule.as_string()), "\n"));
  }
};

}  // namespace

std::unique_ptr<Command> make_explain_command() { return std::make_unique<TypedCommand<Explain>>(); }

}  // namespace helve::cli
