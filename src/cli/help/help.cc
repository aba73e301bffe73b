#include "cli/help/help.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/help/tool_page.h"

namespace helve::cli {

namespace {

struct Group {
  std::string_view title;
  std::vector<std::string_view> commands;
};

// Commands in no group are listed last.
std::vector<Group> command_groups() {
  return {{"Use the tools", {"tools", "call", "explain", "prompt"}},
          {"Agents and editors", {"init", "mcp", "serve"}},
          {"Run a model", {"agent", "approvals", "sessions", "skills", "snippets", "plugin"}},
          {"Set up and inspect", {"config", "doctor", "lsp", "audit", "completion", "man"}}};
}

constexpr std::string_view kUsageExamples =
    "  helve init                            set up this directory and the agents on this machine\n"
    "  helve read README.md                  every tool is a command\n"
    "  helve grep 'TODO' src --context-lines 1\n"
    "  helve edit a.txt --old-text 'teh' --new-text 'the'\n"
    "  helve undo                            undo the last change\n"
    "  helve exec 'make test'                run a command in the sandbox\n"
    "  helve call read '{\"path\": \"a.txt\"}'   JSON in, JSON out, for programs\n"
    "  helve agent \"fix the failing test\"    run a model, with your approval\n"
    "  helve mcp                             serve the tools to an agent\n";

}  // namespace

std::string program_help(const app::Printer& terminal,
                         const std::vector<std::unique_ptr<Command>>& commands) {
  const auto heading = [&](std::string_view text) {
    return concat("\n", terminal.paint(terminal::Colour::kBold, text), "\n");
  };
  std::string out = concat(
      terminal.paint(terminal::Colour::kBold, "helve"), " ", version(),
      ": the tool runtime for AI agents. Reads, edits, searches and runs commands for a model or for you.\n",
      heading("Usage"),
      "  helve TOOL [ARGUMENTS] [flags]   call a tool\n"
      "  helve COMMAND [flags]            run a command\n",
      heading("For instance"), kUsageExamples);
  std::size_t width = 0;
  for (const auto& command : commands) width = std::max(width, command->name().size());
  const auto line = [&](const Command& command) {
    return concat("  ", terminal.paint(terminal::Colour::kBold, command.name()),
                  std::string(width - command.name().size() + 2, ' '), command.summary(), "\n");
  };
  std::vector<std::string_view> shown;
  for (const Group& group : command_groups()) {
    out += heading(group.title);
    for (const std::string_view name : group.commands)
      for (const auto& command : commands)
        if (command->name() == name) {
          out += line(*command);
          shown.push_back(name);
        }
  }
  std::string rest;
  for (const auto& command : commands)
    if (std::ranges::find(shown, command->name()) == shown.end()) rest += line(*command);
  if (!rest.empty()) out += concat(heading("More"), rest);
  out += concat(heading("Flags of every command"), flag_list(terminal, params_of<app::GlobalOptions>()),
                heading("Exit codes"),
                "  0 ok   1 tool error   2 usage error   3 setup error   130 interrupted\n\n"
                "A call prints text on a terminal and the JSON envelope into a pipe.\n"
                "More: helve COMMAND --help, helve TOOL --help, man helve, man helve-COMMAND.\n"
                "Problems? Run helve doctor.\n");
  return out;
}

std::string command_help(const app::Printer& terminal, const Command& command) {
  const FlagSet flags = command.flags();
  std::string usage;
  ParamType named = flags.options;
  std::string arguments;
  std::size_t width = 0;
  for (const std::string& name : flags.positionals) width = std::max(width, name.size());
  for (const std::string& name : flags.positionals) {
    const auto found = std::ranges::find(named.members, name, &Param::name);
    if (found == named.members.end()) continue;
    const std::string constraints = constraints_of(*found);
    usage += found->required ? concat(" ", to_upper(name)) : concat(" [", to_upper(name), "]");
    arguments += concat("  ", terminal.paint(terminal::Colour::kBold, to_upper(name)),
                        std::string(width - name.size() + 2, ' '), found->description,
                        constraints.empty() ? "" : concat(" (", constraints, ")"), "\n");
    named.members.erase(found);
  }
  std::string out = concat("helve ", terminal.paint(terminal::Colour::kBold, command.name()), usage, "\n\n",
                           command.summary(), ".\n");
  if (!command.details().empty()) {
    out += "\n";
    for (const std::string_view line : split(command.details(), '\n')) out += concat("  ", line, "\n");
  }
  if (!arguments.empty())
    out += concat("\n", terminal.paint(terminal::Colour::kBold, "Arguments"), "\n", arguments);
  if (!named.members.empty())
    out += concat("\n", terminal.paint(terminal::Colour::kBold, "Flags"), "\n", flag_list(terminal, named));
  return out;
}

}  // namespace helve::cli
