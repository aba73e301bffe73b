#include "cli/help.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/tool_page.h"

namespace helve::cli {

std::string program_help(const Terminal& terminal, const std::vector<std::unique_ptr<Command>>& commands) {
  const auto heading = [&](std::string_view text) {
    return concat("\n", terminal.paint(Colour::kBold, text), "\n");
  };
  std::string out =
      concat(terminal.paint(Colour::kBold, "helve"), " ", version(), ": the tool runtime for AI agents\n",
             heading("Usage"),
             "  helve TOOL [ARGUMENTS] [flags]   call a tool, for instance: helve read README.md\n"
             "  helve COMMAND [flags]\n",
             heading("Commands"));
  std::size_t width = 0;
  for (const auto& command : commands) width = std::max(width, command->name().size());
  for (const auto& command : commands)
    out += concat("  ", terminal.paint(Colour::kBold, command->name()),
                  std::string(width - command->name().size() + 2, ' '), command->summary(), "\n");
  out += concat(
      heading("Flags of every command"), flag_list(terminal, params_of<GlobalOptions>()),
      heading("Exit codes"),
      "  0 ok   1 the tool answered with an error   2 wrong usage   3 wrong set-up   130 interrupted\n\n"
      "A call prints text on a terminal and the JSON envelope into a pipe.\n"
      "helve COMMAND --help and helve TOOL --help say more; helve tools lists the tools.\n");
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
