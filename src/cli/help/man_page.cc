#include "cli/help/man_page.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/help/tool_page.h"

namespace helve::cli {
namespace {

// Escapes text for roff.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool at_line_start = i == 0 || text[i - 1] == '\n';
    if (at_line_start && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    switch (text[i]) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      case '`': out += "\\(ga"; break;
      default: out += text[i];
    }
  }
  return out;
}

std::string bold(std::string_view text) { return concat("\\fB", plain(text), "\\fR"); }
std::string italic(std::string_view text) { return concat("\\fI", plain(text), "\\fR"); }

class Page {
 public:
  Page(std::string name, int section, std::string_view summary) : page_{std::move(name), section, {}} {
    page_.text = concat(".\\\" Made by helve man; do not edit.\n.TH ", plain(to_upper(page_.name)), " ",
                        section, " \"\" \"helve ", version(), "\" \"Helve\"\n.SH NAME\n", plain(page_.name),
                        " \\- ", plain(summary), "\n");
  }

  void heading(std::string_view title) { page_.text += concat(".SH ", title, "\n"); }
  // Adds roff unchanged.
  void line(std::string_view text) { page_.text += concat(text, "\n"); }
  void paragraph(std::string_view text) {
    page_.text += ".PP\n";
    for (const std::string_view part : split(text, '\n')) page_.text += concat(plain(part), "\n");
  }
  // Adds preformatted text.
  void example(std::string_view text) {
    page_.text += ".PP\n.nf\n.RS 2\n";
    for (const std::string_view part : split(text, '\n')) page_.text += concat(plain(part), "\n");
    page_.text += ".RE\n.fi\n";
  }
  void item(std::string_view ready_term, std::string_view text) {
    page_.text += concat(".TP\n", ready_term, "\n", text.empty() ? "\\&" : plain(text), "\n");
  }
  void flags(const ParamType& options) {
    for (const Param& param : options.members) {
      const std::string word = value_word(param.type);
      const std::string constraints = constraints_of(param, Choices::kLeftOut);
      std::string flag = flag_name(param.name);
      if (word.empty() && param.default_value == Json(true)) flag = concat("--[no-]", flag.substr(2));
      item(word.empty() ? bold(flag) : concat(bold(flag), " ", italic(word)),
           concat(param.description, param.required ? " Required." : "",
                  constraints.empty() ? "" : concat(" (", constraints, ")")));
    }
  }
  void see_also(const std::vector<std::pair<std::string, int>>& pages) {
    heading("SEE ALSO");
    std::string all;
    for (const auto& [name, section] : pages)
      if (name != page_.name || section != page_.section)
        all += concat(all.empty() ? "" : ",\n", bold(name), "(", section, ")");
    line(all);
  }

  ManPage done() { return std::move(page_); }

 private:
  ManPage page_;
};

std::vector<std::pair<std::string, int>> neighbours() {
  return {{"helve", 1}, {"helve-tools", 1}, {"helve-init", 1}, {"helve-doctor", 1}, {"helve-config", 5}};
}

ManPage program_page(const std::vector<std::unique_ptr<Command>>& commands,
                     const std::vector<std::shared_ptr<const RegisteredTool>>& tools) {
  Page page("helve", 1, "the tool runtime for AI agents");
  page.heading("SYNOPSIS");
  page.line(concat(bold("helve"), " ", italic("TOOL"), " [", italic("ARGUMENTS"), "] [", italic("flags"),
                   "]\n.br\n", bold("helve"), " ", italic("COMMAND"), " [", italic("flags"), "]"));
  page.heading("DESCRIPTION");
  page.line(plain(
      "Helve gives AI agents sandboxed, permission-checked, undoable file, search, code and shell tools: "
      "over "
      "MCP, in its own agent, or at the shell. Every call is validated, authorised, bounded and recorded."
      ""));
  page.paragraph("A call prints text on a terminal and the JSON envelope into a pipe.");
  page.heading("COMMANDS");
  for (const auto& command : commands)
    page.item(concat(bold(concat("helve-", command->name())), "(1)"), concat(command->summary(), "."));
  page.heading("TOOLS");
  page.line(plain("Every tool is also a command."));
  for (const auto& tool : tools)
    page.item(concat(bold(concat("helve-", tool->definition.name)), "(1)"), tool->definition.summary());
  page.heading("OPTIONS");
  page.line(plain("Accepted before or after the name of every command and tool."));
  page.flags(params_of<app::GlobalOptions>());
  page.item(concat(bold("--help"), ", ", bold("-h")), "Show help.");
  page.item(bold("--version"), "Print the version.");
  page.heading("EXIT STATUS");
  for (const auto& [code, meaning] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"0", "Success."},
           {"1", "The tool failed."},
           {"2", "Usage error."},
           {"3", "Setup error: configuration, workspace or machine. Run helve doctor."},
           {"130", "Interrupted."}})
    page.item(bold(code), meaning);
  page.paragraph(
      "helve exec exits with the exit code of its command: 124 after a timeout, 128 plus the signal's number "
      "after a signal, 1 if the command waited for input.");
  page.heading("ENVIRONMENT");
  page.item(bold("HELVE_…"), "Any setting: results.limit is HELVE_RESULTS_LIMIT.");
  page.item(concat(bold("XDG_CONFIG_HOME"), ", ", bold("XDG_STATE_HOME"), ", ", bold("XDG_DATA_HOME")),
            "Directories of Helve's files.");
  page.item(bold("NO_COLOR"), "Print without colours.");
  page.item(concat(bold("VISUAL"), ", ", bold("EDITOR")), "Editor for helve snippets edit.");
  page.heading("FILES");
  page.item(italic("~/.config/helve/config.toml"), "Your settings; see helve-config(5).");
  page.item(italic(".helve/config.toml"), "Settings of a directory; used after helve config trust.");
  page.item(italic("~/.local/state/helve"),
            "Journal, history, long results and audit log, readable only by you.");
  page.item(italic("~/.local/share/helve"), "Snippets and plugins.");
  std::vector<std::pair<std::string, int>> all;
  for (const auto& command : commands) all.emplace_back(concat("helve-", command->name()), 1);
  all.emplace_back("helve-config", 5);
  page.see_also(all);
  return page.done();
}

ManPage command_page(const Command& command) {
  Page page(concat("helve-", command.name()), 1, command.summary());
  const FlagSet flags = command.flags();
  ParamType named = flags.options;
  std::vector<Param> positional;
  std::string synopsis = concat(bold("helve"), " ", bold(command.name()));
  for (const std::string& name : flags.positionals) {
    const auto found = std::ranges::find(named.members, name, &Param::name);
    if (found == named.members.end()) continue;
    const std::string word = italic(to_upper(name));
    synopsis += found->required ? concat(" ", word) : concat(" [", word, "]");
    positional.push_back(*found);
    named.members.erase(found);
  }
  if (!named.members.empty()) synopsis += concat(" [", italic("flags"), "]");
  page.heading("SYNOPSIS");
  page.line(synopsis);
  page.heading("DESCRIPTION");
  page.line(plain(concat(command.summary(), ".")));
  if (!command.details().empty()) page.example(command.details());
  if (!positional.empty()) {
    page.heading("ARGUMENTS");
    for (const Param& param : positional) {
      const std::string constraints = constraints_of(param);
      page.item(italic(to_upper(param.name)),
                concat(param.description, constraints.empty() ? "" : concat(" (", constraints, ")")));
    }
  }
  page.heading("OPTIONS");
  page.flags(named);
  page.line(concat(".PP\nThe flags of every command are in ", bold("helve"), "(1)."));
  page.see_also(neighbours());
  return page.done();
}

ManPage tool_manual(const ToolDefinition& tool) {
  Page page(concat("helve-", tool.name), 1, tool.summary());
  page.heading("SYNOPSIS");
  std::string synopsis = concat(bold("helve"), " ", bold(tool.name));
  for (const std::string& name : flags_of_tool(tool.params).positionals) {
    const bool required = std::ranges::any_of(
        tool.params.members, [&](const Param& param) { return param.name == name && param.required; });
    const std::string word = italic(to_upper(name));
    synopsis += required ? concat(" ", word) : concat(" [", word, "]");
  }
  page.line(concat(synopsis, " [", italic("flags"), "]\n.br\n", bold("helve call"), " ", bold(tool.name), " ",
                   italic("JSON")));
  page.heading("DESCRIPTION");
  page.line(
      plain(concat("A tool of the group ", tool.group, ", with the effect ", name_of(tool.effect), ".")));
  page.paragraph(tool.description);
  page.heading("OPTIONS");
  page.line(plain("In JSON the parameters are spelled like oldText instead of --old-text."));
  page.flags(tool.params);
  page.see_also(neighbours());
  return page.done();
}

ManPage settings_page(const settings::Config& defaults) {
  Page page("helve-config", 5, "the settings of Helve");
  page.heading("DESCRIPTION");
  page.line(plain(
      "Settings are TOML in ~/.config/helve/config.toml, in .helve/config.toml of a trusted "
      "directory (helve config trust), variables like HELVE_RESULTS_LIMIT, and --set results.limit=1000; "
      "later sources win. helve config show lists every setting with its value and origin."));
  page.example("mode = \"accept-edits\"\n\n[permissions]\nallow = [\"exec(git diff:*)\"]");
  page.heading("SETTINGS");
  for (const settings::Config::Entry& entry : defaults.entries)
    page.item(bold(entry.key), concat(entry.description, " (default ", to_text(entry.value), ")"));
  page.see_also({{"helve", 1}, {"helve-config", 1}});
  return page.done();
}

}  // namespace

std::vector<ManPage> manual_pages(const std::vector<std::unique_ptr<Command>>& commands,
                                  const std::vector<std::shared_ptr<const RegisteredTool>>& tools,
                                  const settings::Config& defaults) {
  std::vector<ManPage> pages{program_page(commands, tools)};
  for (const auto& command : commands) pages.push_back(command_page(*command));
  for (const auto& tool : tools) pages.push_back(tool_manual(tool->definition));
  pages.push_back(settings_page(defaults));
  return pages;
}

}  // namespace helve::cli
