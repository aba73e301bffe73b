// helve call: one call with its arguments as JSON.
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

  int run(const app::Invocation& shell, const Options& options) const {
    auto arguments = json_arguments(options.arguments, R"(helve call read '{"path": "README.md"}')");
    if (!arguments) {
      print_answer(shell, {.result = fail(arguments.error())});  // a program reads the envelope
      return app::kUsage;
    }
    return make_call(shell, options.tool, *std::move(arguments), CallForm::kCall);
  }
};

}  // namespace

std::unique_ptr<Command> make_call_command() { return std::make_unique<TypedCommand<CallCommand>>(); }

}  // namespace helve::cli
