// helve call: one call with its arguments as JSON.
#include "base/json_parse.h"
#include "cli/call.h"
#include "cli/command.h"

namespace helve::cli {
namespace {

struct CallCommand {
  static constexpr std::string_view kName = "call";
  static constexpr std::string_view kSummary = "Call a tool with JSON arguments";
  static constexpr std::string_view kDetails =
      "helve call read '{\"path\": \"README.md\"}'\n"
      "helve call edit @change.json      arguments from a file\n"
      "echo '{…}' | helve call edit -    arguments from stdin";
  static constexpr auto kPositionals = kCallPositionals;

  using Options = CallOptions;

  int run(const Shell& shell, const Options& options) const {
    auto text = text_of_arguments(options.arguments);
    if (!text) return shell.report(text.error(), kUsage);
    auto arguments = parse_json(*text);
    if (!arguments) return print_answer(shell, {.result = fail(arguments.error())});
    return make_call(shell, options.tool, *std::move(arguments), CallForm::kCall);
  }
};

}  // namespace

std::unique_ptr<Command> make_call_command() { return std::make_unique<TypedCommand<CallCommand>>(); }

}  // namespace helve::cli
