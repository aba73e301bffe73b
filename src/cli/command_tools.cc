// helve tools: lists tools or shows one.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "cli/all_tools.h"
#include "cli/command.h"
#include "cli/help/tool_page.h"
#include "cli/mcp_servers.h"
#include "helve/prompt.h"

namespace helve::cli {
namespace {

struct Tools {
  static constexpr std::string_view kName = "tools";
  static constexpr std::string_view kSummary = "List the tools, or show one";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"name"});

  struct Options {
    std::string name;
    bool schema = false;
    bool markdown = false;
    bool all = false;

    void describe(ParamSpec& p) {
      p.optional("name", name, "The tool to show.");
      p.optional("schema", schema, "Print the JSON Schema of the parameters.");
      p.optional("markdown", markdown, "Print the reference documentation.");
      p.optional("all", all, "All built-in tools, including disabled ones, without plugins.");
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    if (options.all) {
      const auto registry = all_builtin_tools();
      if (!registry) return shell.report(registry.error(), app::kSetup);
      return show(shell, options, **registry);
    }
    const auto runtime = shell.runtime();
    if (!runtime) return shell.report(runtime.error(), app::kSetup);
    Registry& tools = (*runtime)->tools();
    const bool is_known = !options.name.empty() && tools.find(options.name).has_value();
    const auto servers =
        is_known ? nullptr : show_server_tools(shell, tools, ServerStart::kMayStart, options.name);
    return show(shell, options, tools);
  }

 private:
  static int show(const app::Invocation& shell, const Options& options, const Registry& registry) {
    std::vector<std::shared_ptr<const RegisteredTool>> tools = registry.list();
    if (!options.name.empty()) {
      auto found = registry.find(options.name);
      if (!found) return shell.report(found.error(), app::kToolError);
      tools = {*found};
    }
    print(shell, options, tools);
    return app::kOk;
  }

  static void print(const app::Invocation& shell, const Options& options,
                    const std::vector<std::shared_ptr<const RegisteredTool>>& tools) {
    const app::Printer& terminal = shell.terminal();
    const bool one = !options.name.empty();
    if (options.schema)
      return print_list(shell, tools, one, [](const ToolDefinition& tool) { return tool.input_schema(); });
    if (shell.options().json) return print_list(shell, tools, one, tool_summary_json);
    if (options.markdown) return terminal.out(tools_as_markdown(tools));
    if (one) return terminal.out(tool_page(terminal, tools.front()->definition));
    print_table(terminal, tools);
  }

  template <class ToJson>
  static void print_list(const app::Invocation& shell,
                         const std::vector<std::shared_ptr<const RegisteredTool>>& tools, bool one,
                         ToJson to_json) {
    if (one) return shell.print_json(to_json(tools.front()->definition));
    JsonArray list;
    for (const auto& tool : tools) list.push_back(to_json(tool->definition));
    shell.print_json(list);
  }

  static void print_table(const app::Printer& terminal,
                          const std::vector<std::shared_ptr<const RegisteredTool>>& tools) {
    std::size_t width = 0;
    for (const auto& tool : tools) width = std::max(width, tool->definition.name.size());
    std::string group;
    for (const auto& entry : tools) {
      const ToolDefinition& tool = entry->definition;
      if (tool.group != group) {
        terminal.out(
            concat(group.empty() ? "" : "\n", terminal.paint(terminal::Colour::kDim, tool.group), "\n"));
        group = tool.group;
      }
      const std::string pad(width - tool.name.size() + 2, ' ');
      const std::string effect(name_of(tool.effect));
      const std::string effect_pad(9 - effect.size(), ' ');
      const terminal::Colour colour = tool.read_only() ? terminal::Colour::kGreen : terminal::Colour::kYellow;
      terminal.out(concat("  ", terminal.paint(terminal::Colour::kBold, tool.name), pad,
                          terminal.paint(colour, effect), effect_pad,
                          terminal::printable_line(tool.summary()), "\n"));
    }
  }
};

}  // namespace

std::unique_ptr<Command> make_tools_command() { return std::make_unique<TypedCommand<Tools>>(); }

}  // namespace helve::cli
