#include "cli/program.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/file_io.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "cli/all_tools.h"
#include "cli/call.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "cli/help/tool_page.h"
#include "cli/mcp_servers.h"
#include "cli/shell_spellings.h"
#include "core/builtin_tools.h"
#include "core/old_names.h"
#include "helve/settings/tools.h"
#include "plugins/plugin_host.h"
#include "settings/directories.h"
#include "settings/groups.h"

namespace helve::cli {
namespace {

using Words = std::span<const std::string>;

// The index of the command or tool after the global flags.
std::size_t find_command(Words words, const ParamType& globals) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with("-")) {
    const Param* flag = find_flag(globals, long_form(words[at]));
    at += flag != nullptr && flag->type.kind != ParamType::Kind::kBoolean ? 2 : 1;
  }
  return std::min(at, words.size());
}

int usage_error(const app::Printer& terminal, std::string_view subject,
                const std::vector<Complaint>& complaints) {
  for (const Complaint& complaint : complaints)
    terminal.err(concat(terminal.paint_err(terminal::Colour::kRed, "error: "), complaint.path, " ",
                        complaint.problem, "\n"));
  terminal.err(concat(terminal.paint_err(terminal::Colour::kCyan, "hint: "), subject,
                      " --help shows how it is used.\n"));
  return app::kUsage;
}

void merge(Json& into, const Json& more) {
  for (const auto& [key, value] : more.as_object()) {
    Json* known = into.as_object().find(key);
    if (known != nullptr && known->is_array() && value.is_array())
      for (const Json& element : value.as_array()) known->push_back(element);
    else
      into[key] = value;
  }
}

class Program {
 public:
  explicit Program(const std::vector<std::string>& words) : words_(words) {}

  int run() {
    const int code = run_words();
    if (!terminal_.out_failed() || code != app::kOk) return code;
    terminal_.err(
        concat(terminal_.paint_err(terminal::Colour::kRed, "error: "), "cannot write the output.\n"));
    return app::kSetup;
  }

 private:
  int run_words() {
    const std::size_t at = find_command(words_, globals_type_);
    const Words before = Words(words_).first(at);
    if (std::ranges::find(before, "--version") != before.end()) {
      terminal_.out(concat("helve ", version(), "\n"));
      return app::kOk;
    }
    const ParsedFlags leading = parse_flags({globals_type_, {}}, globals_type_, before);
    if (!leading.complaints.empty()) return usage_error(terminal_, "helve", leading.complaints);
    globals_ = leading.values;
    if (at == words_.size() || leading.help) return help({});
    const Words arguments = Words(words_).subspan(at + 1);
    if (words_[at] == "help") return help(arguments);
    for (const auto& command : commands_)
      if (command->name() == words_[at]) return run_command(*command, arguments);
    return run_tool(words_[at], arguments);
  }

  int help(Words about) {
    if (about.empty()) {
      terminal_.out(program_help(terminal_, commands_));
      return app::kOk;
    }
    const std::vector<std::string> wants_help{"--help"};
    for (const auto& command : commands_)
      if (command->name() == about.front()) return run_command(*command, wants_help);
    return run_tool(about.front(), wants_help);
  }

  int run_command(const Command& command, Words arguments) {
    const ParsedFlags parsed = parse_flags(command.flags(), globals_type_, arguments);
    if (parsed.help) {
      terminal_.out(command_help(terminal_, command));
      return app::kOk;
    }
    if (!parsed.complaints.empty())
      return usage_error(terminal_, concat("helve ", command.name()), parsed.complaints);
    merge(globals_, parsed.globals);
    return command.run(shell(), parsed.values);
  }

  [[nodiscard]] app::Invocation shell() const {
    app::GlobalOptions options = fill_params<app::GlobalOptions>(globals_);
    options.workspace_is_named = globals_.find("workspace") != nullptr;
    return {terminal_, std::move(options)};
  }

  // helve TOOL --flags…
  int run_tool(const std::string& name, Words arguments) {
    // The flags depend on the tool, so its definition is loaded before the settings.
    const auto all = all_builtin_tools();
    if (!all) return app::kSetup;
    Registry& built_in = **all;
    auto tool = built_in.find(name);
    std::unique_ptr<plugins::PluginHost> host;
    if (!tool) {
      host = plugins_for(name, built_in);
      tool = built_in.find(name);
    }
    std::unique_ptr<gateway::Gateway> servers;
    if (!tool) {
      servers = server_tools_for(name, built_in);
      tool = built_in.find(name);
    }
    if (!tool) return unknown_word(name, built_in.names(), tool.error());
    ParamType params = (*tool)->definition.params;
    // At the shell, ls without a path lists the current directory.
    const auto place = std::ranges::find(params.members, "path", &Param::name);
    const bool here = name == "ls" && place != params.members.end();
    if (here) place->required = false;
    const Spelled spelled = from_shell_spelling(name, params, globals_type_, arguments);
    ParsedFlags parsed = parse_flags(flags_of_tool(params), globals_type_, spelled.words, text_of_arguments);
    if (here && parsed.values.find("path") == nullptr) parsed.values["path"] = ".";
    if (parsed.help) {
      terminal_.out(tool_page(terminal_, (*tool)->definition));
      return app::kOk;
    }
    if (auto problem = name_for_path(name, parsed)) parsed.complaints.push_back(*std::move(problem));
    if (!parsed.complaints.empty()) return usage_error(terminal_, concat("helve ", name), parsed.complaints);
    merge(globals_, parsed.globals);
    return call_for_each_path(name, parsed.values, spelled.more_paths);
  }

  // `helve read a b` is one call for each file. Returns the first code that is not 0.
  int call_for_each_path(const std::string& tool, Json arguments,
                         const std::vector<std::string>& more_paths) {
    const bool titles =
        !more_paths.empty() && tool != "grep" && tool != "find" && shell().prints_for_people();
    const auto call = [&](std::string_view before) {
      if (titles)
        terminal_.out(
            concat(before, "==> ", terminal::printable_line(string_in(arguments, "path")), " <==\n"));
      return make_call(shell(), tool, arguments, CallForm::kTool);
    };
    int code = call("");
    for (const std::string& path : more_paths) {
      arguments["path"] = path;
      const int next = call("\n");
      if (code == app::kOk) code = next;
    }
    return code;
  }

  // helve find_symbols Dispatcher: an argument that is not a path may be a name to search for.
  [[nodiscard]] std::optional<Complaint> name_for_path(std::string_view tool,
                                                       const ParsedFlags& parsed) const {
    const std::string path(string_in(parsed.values, "path"));
    if (tool != "find_symbols" || parsed.values.find("pattern") != nullptr || path.empty() ||
        path.find_first_of("/.") != std::string::npos)
      return {};
    Json globals = globals_;
    merge(globals, parsed.globals);
    const std::string workspace = fill_params<app::GlobalOptions>(globals).workspace;
    if (::access(concat(workspace, "/", path).c_str(), F_OK) == 0) return {};
    return Complaint{"path",
                     concat("\"", terminal::printable_line(path),
                            "\" is not there; to look for a name, write . --pattern ", shell_quoted(path))};
  }

  // Loads only what is needed to parse the flags of one tool.
  std::unique_ptr<plugins::PluginHost> plugins_for(const std::string& tool, Registry& registry) const {
    app::GlobalOptions options = fill_params<app::GlobalOptions>(globals_);
    options.quiet = true;  // the call reports warnings
    const app::Invocation shell(terminal_, std::move(options));
    auto folders = plugins::plugin_folders(shell.options().workspace);
    const auto workspace = real_path(shell.options().workspace);
    const auto config = shell.config();
    if (!folders || !workspace || !config) return {};
    auto host = std::make_unique<plugins::PluginHost>(
        registry, plugins::PluginHost::Options{
                      .folders = *std::move(folders),
                      .settings = config->settings,
                      .places = {.workspace = *workspace,
                                 .state_directory = settings::default_state_directory().value_or("")},
                      .only_tool = tool});
    host->refresh();
    return host;
  }

  // The same for the tools of MCP servers.
  std::unique_ptr<gateway::Gateway> server_tools_for(const std::string& tool, Registry& registry) const {
    app::GlobalOptions options = fill_params<app::GlobalOptions>(globals_);
    options.quiet = true;  // the call reports warnings
    const app::Invocation shell(terminal_, std::move(options));
    return show_server_tools(shell, registry, ServerStart::kMayStart, tool);
  }

  // Tools of plugin processes are registered only when one of them is called.
  [[nodiscard]] std::vector<std::string> plugin_tools() const {
    const auto folders = plugins::plugin_folders(shell().options().workspace);
    std::vector<std::string> names;
    if (folders)
      for (const plugins::Plugin& plugin : plugins::find_plugins(*folders).plugins)
        std::ranges::move(plugins::tool_names_of(plugin), std::back_inserter(names));
    return names;
  }

  // The setting tools.names; without it when the settings have a problem, which is not what was asked about.
  [[nodiscard]] std::map<std::string, std::string> other_names() const {
    app::GlobalOptions options = fill_params<app::GlobalOptions>(globals_);
    options.quiet = true;
    const auto config = app::Invocation(terminal_, std::move(options)).config();
    return config ? settings::Groups(*config->settings).tools.names : std::map<std::string, std::string>();
  }

  int unknown_word(const std::string& name, std::vector<std::string> known, const Error& unknown_tool) {
    std::vector<std::string> of_plugins = plugin_tools();
    for (const std::string& tool : known)
      if (tool.starts_with("mcp__")) of_plugins.push_back(tool);
    const std::string meant = core::tool_with_other_name(name, known, other_names());
    // An MCP server's tools may be named without its prefix.
    const auto ending = std::ranges::find_if(
        of_plugins, [&](const std::string& tool) { return tool.ends_with(concat("__", name)); });
    std::ranges::copy(of_plugins, std::back_inserter(known));
    for (const auto& command : commands_) known.emplace_back(command->name());
    known.insert(known.end(), {"--version", "--help"});
    const auto near = nearest(name, known);
    terminal_.err(concat(terminal_.paint_err(terminal::Colour::kRed, "error: "), "unknown command or tool \"",
                         terminal::printable_line(name), "\".\n"));
    const bool names_a_tool =
        unknown_tool.kind == ErrorKind::kToolNotEnabled || unknown_tool.kind == ErrorKind::kSimilarToolExists;
    const std::string hint = ending != of_plugins.end() ? concat("Did you mean ", *ending, "?")
                             : name == "redo"           ? "Did you mean helve history --action redo?"
                             : !meant.empty()           ? concat("Did you mean ", meant, "?")
                             : !near.empty()            ? concat("Did you mean ", near.front(), "?")
                             : names_a_tool             ? unknown_tool.hint
                                                        : "helve tools lists the tools.";
    terminal_.err(concat(terminal_.paint_err(terminal::Colour::kCyan, "hint: "), hint,
                         " helve --help lists the commands.\n"));
    return app::kUsage;
  }

  const std::vector<std::string>& words_;
  app::Printer terminal_;
  std::vector<std::unique_ptr<Command>> commands_ = all_commands();
  ParamType globals_type_ = params_of<app::GlobalOptions>();
  Json globals_ = JsonObject();
};

}  // namespace

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_tools_command());
  commands.push_back(make_call_command());
  commands.push_back(make_explain_command());
  commands.push_back(make_mcp_command());
  commands.push_back(make_serve_command());
  commands.push_back(make_prompt_command());
  commands.push_back(make_agent_command());
  commands.push_back(make_approvals_command());
  commands.push_back(make_sessions_command());
  commands.push_back(make_skills_command());
  commands.push_back(make_snippets_command());
  commands.push_back(make_plugin_command());
  commands.push_back(make_config_command());
  commands.push_back(make_lsp_command());
  commands.push_back(make_audit_command());
  commands.push_back(make_init_command());
  commands.push_back(make_doctor_command());
  commands.push_back(make_completion_command());
  commands.push_back(make_man_command());
  return commands;
}

int run_program(const std::vector<std::string>& words) { return Program(words).run(); }

}  // namespace helve::cli
