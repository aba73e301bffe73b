#include "cli/program.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/call.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/tool_page.h"

namespace helve::cli {
namespace {

using Words = std::span<const std::string>;

bool asks_for_help(Words words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

// Where the command or tool stands after the global flags.
std::size_t find_command(Words words, const ParamType& globals) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with("-")) {
    const Param* flag = find_flag(globals, words[at]);
    at += flag != nullptr && flag->type.kind != ParamType::Kind::kBoolean ? 2 : 1;
  }
  return std::min(at, words.size());
}

int usage_error(const Terminal& terminal, std::string_view subject,
                const std::vector<Complaint>& complaints) {
  for (const Complaint& complaint : complaints)
    terminal.err(
        concat(terminal.paint_err(Colour::kRed, "error: "), complaint.path, " ", complaint.problem, "\n"));
  terminal.err(
      concat(terminal.paint_err(Colour::kCyan, "hint: "), subject, " --help shows how it is used.\n"));
  return kUsage;
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
  explicit Program(const std::vector<std::string>& words) {
    for (const std::string& word : words)
      words_.push_back(word == "-v" ? "--verbose" : word == "-q" ? "--quiet" : word);
  }

  int run() {
    const std::size_t at = find_command(words_, globals_type_);
    const Words before = Words(words_).first(at);
    if (std::ranges::find(before, "--version") != before.end()) {
      terminal_.out(concat("helve ", version(), "\n"));
      return kOk;
    }
    if (at == words_.size() || asks_for_help(before) || words_[at] == "help")
      return help(Words(words_).subspan(std::min(at + 1, words_.size())));
    const ParsedFlags leading = parse_flags({globals_type_, {}}, globals_type_, before);
    if (!leading.complaints.empty()) return usage_error(terminal_, "helve", leading.complaints);
    globals_ = leading.values;
    const Words arguments = Words(words_).subspan(at + 1);
    for (const auto& command : commands_)
      if (command->name() == words_[at]) return run_command(*command, arguments);
    return run_tool(words_[at], arguments);
  }

 private:
  int help(Words about) {
    if (!about.empty())
      for (const auto& command : commands_)
        if (command->name() == about.front()) {
          terminal_.out(command_help(terminal_, *command));
          return kOk;
        }
    terminal_.out(program_help(terminal_, commands_));
    return kOk;
  }

  int run_command(const Command& command, Words arguments) {
    if (asks_for_help(arguments)) {
      terminal_.out(command_help(terminal_, command));
      return kOk;
    }
    const ParsedFlags parsed = parse_flags(command.flags(), globals_type_, arguments);
    if (!parsed.complaints.empty())
      return usage_error(terminal_, concat("helve ", command.name()), parsed.complaints);
    merge(globals_, parsed.globals);
    return command.run(Shell(fill_params<GlobalOptions>(globals_)), parsed.values);
  }

  // helve TOOL --flags…
  int run_tool(const std::string& name, Words arguments) {
    // Which words are the tool's flags depends on the tool, and which tools there are on the global flags. So
    // those that can change the tools are looked for first; no tool has flags of these names.
    Json first_globals = globals_;
    const Json found =
        parse_flags({ParamType{.kind = ParamType::Kind::kObject}, {}}, globals_type_, arguments).globals;
    for (const char* const flag : {"workspace", "config", "set"})
      if (const Json* value = found.find(flag)) merge(first_globals, JsonObject{{flag, *value}});
    const Shell first(fill_params<GlobalOptions>(first_globals));
    auto runtime = first.runtime();
    if (!runtime) return first.report(runtime.error(), kSetup);
    const auto tool = (*runtime)->tools().find(name);
    if (!tool) return unknown_word(name, (*runtime)->tools().names(), tool.error());
    if (asks_for_help(arguments)) {
      terminal_.out(tool_page(terminal_, (*tool)->definition));
      return kOk;
    }
    const ParsedFlags parsed =
        parse_flags(flags_of_tool((*tool)->definition.params), globals_type_, arguments);
    if (!parsed.complaints.empty()) return usage_error(terminal_, concat("helve ", name), parsed.complaints);
    merge(globals_, parsed.globals);
    return make_call(Shell(fill_params<GlobalOptions>(globals_)), name, parsed.values);
  }

  int unknown_word(const std::string& name, std::vector<std::string> known, const Error& unknown_tool) {
    for (const auto& command : commands_) known.emplace_back(command->name());
    const auto near = nearest(name, known);
    terminal_.err(concat(terminal_.paint_err(Colour::kRed, "error: "), "there is no command or tool \"",
                         printable(name), "\".\n"));
    const std::string hint = !near.empty() ? concat("Did you mean ", near.front(), "?") : unknown_tool.hint;
    terminal_.err(
        concat(terminal_.paint_err(Colour::kCyan, "hint: "), hint, " helve --help lists the commands.\n"));
    return kUsage;
  }

  std::vector<std::string> words_;
  Terminal terminal_;
  std::vector<std::unique_ptr<Command>> commands_ = all_commands();
  ParamType globals_type_ = params_of<GlobalOptions>();
  Json globals_ = JsonObject();
};

}  // namespace

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_tools_command());
  commands.push_back(make_call_command());
  commands.push_back(make_prompt_command());
  commands.push_back(make_config_command());
  commands.push_back(make_audit_command());
  commands.push_back(make_doctor_command());
  commands.push_back(make_completion_command());
  return commands;
}

int run_program(const std::vector<std::string>& words) { return Program(words).run(); }

}  // namespace helve::cli
