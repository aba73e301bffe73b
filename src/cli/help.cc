#include "cli/help.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/tool_page.h"

namespace helve::cli {

namespace {

struct Group {
  std::string_view title;
  std::vector<std::string_view> commands;
};

// What is in none of them comes last, so that nothing is left out.
std::vector<Group> command_groups() {
  return {{"Use the tools", {"tools", "call", "explain", "prompt"}},
          {"In agents and editors", {"init", "mcp", "serve"}},
          {"Let a model work", {"agent", "sessions", "skills", "snippets", "plugin"}},
          {"Set up and look into it", {"config", "doctor", "lsp", "audit", "completion", "man"}}};
}

constexpr std::string_view kUsageExamples =
    "  helve init                            set up this folder, add Helve to the agents on this machine\n"
    "  helve read README.md                  every tool is a command\n"
    "  helve grep 'TODO' src --context-lines 1\n"
    "  helve edit a.txt --old-text 'teh' --new-text 'the'\n"
    "  helve undo                            take back the last change\n"
    "  helve exec 'make test'                a command, in the sandbox\n"
    "  helve call read '{\"path\": \"a.txt\"}'   the same as a program calls it: JSON in, JSON out\n"
    "  helve agent \"fix the failing test\"    let a model work, with your approval\n"
    "  helve mcp                             serve the tools to an agent\n";

}  // namespace

std::string program_help(const Terminal& terminal, const std::vector<std::unique_ptr<Command>>& commands) {
  const auto heading = [&](std::string_view text) {
    return concat("\n", terminal.paint(Colour::kBold, text), "\n");
  };
  std::string out = concat(
      terminal.paint(Colour::kBold, "helve"), " ", version(),
      ": the tool runtime for AI agents. It reads, edits, searches and runs for a model, or for you.\n",
      heading("Usage"),
      "  helve TOOL [ARGUMENTS] [flags]   call a tool\n"
      "  helve COMMAND [flags]            one of those below\n",
      heading("For instance"), kUsageExamples);
  std::size_t width = 0;
  for (const auto& command : commands) width = std::max(width, command->name().size());
  const auto line = [&](const Command& command) {
    return concat("  ", terminal.paint(Colour::kBold, command.name()),
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
  out += concat(
      heading("Flags of every command"), flag_list(terminal, params_of<GlobalOptions>()),
      heading("Exit codes"),
      "  0 ok   1 the tool answered with an error   2 wrong usage   3 wrong set-up   130 interrupted\n\n"
      "A call prints text on a terminal and the JSON envelope into a pipe.\n"
      "helve COMMAND --help and helve TOOL --help say more, and so do man helve and man helve-COMMAND.\n"
      "Something does not work? helve doctor.\n");
  return out;
}

std::string command_help(const Terminal& terminal, const Command& command) {
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
    arguments +=
        concat("  ", terminal.paint(Colour::kBold, to_upper(name)), std::string(width - name.size() + 2, ' '),
               found->description, constraints.empty() ? "" : concat(" (", constraints, ")"), "\n");
    named.members.erase(found);
  }
  std::string out = concat("helve ", terminal.paint(Colour::kBold, command.name()), usage, "\n\n",
                           command.summary(), ".\n");
  if (!command.details().empty()) {
    out += "\n";
    for (const std::string_view line : split(command.details(), '\n')) out += concat("  ", line, "\n");
  }
  if (!arguments.empty()) out += concat("\n", terminal.paint(Colour::kBold, "Arguments"), "\n", arguments);
  if (!named.members.empty())
    out += concat("\n", terminal.paint(Colour::kBold, "Flags"), "\n", flag_list(terminal, named));
  return out;
}

}  // namespace helve::cli
