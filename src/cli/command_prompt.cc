// helve prompt: prints the tool descriptions for a model.
#include <array>

#include "cli/command.h"
#include "helve/prompt.h"
#include "settings/groups.h"

namespace helve::cli {
namespace {

struct Prompt {
  static constexpr std::string_view kName = "prompt";
  static constexpr std::string_view kSummary = "Print the tools as a prompt or as function-calling JSON";

  struct Options {
    ToolPromptGenerator::Format format = ToolPromptGenerator::Format::kXml;

    void describe(ParamSpec& p) {
      p.optional("format", format, "System prompt (xml, json) or function list (openai, anthropic).");
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    auto runtime = shell.runtime();
    if (!runtime) return shell.report(runtime.error(), app::kSetup);
    const ToolPromptGenerator generator((*runtime)->tools(), settings::Groups((*runtime)->settings()).guide);
    shell.terminal().out(generator.generate(options.format));
    return app::kOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_prompt_command() { return std::make_unique<TypedCommand<Prompt>>(); }

}  // namespace helve::cli
