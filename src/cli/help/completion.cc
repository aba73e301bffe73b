#include "cli/help/completion.h"

#include <algorithm>

#include "base/strings.h"

namespace helve::cli {
namespace {

using Kind = ParamType::Kind;

// The facts that completion needs about a command or tool.
struct Target {
  std::string name;
  FlagSet flags;
  bool takes_tool_name = false;     // as its first argument
  bool takes_command_name = false;  // the same, or a command's
};

class Completer {
 public:
  Completer(const std::vector<std::unique_ptr<Command>>& commands, const Registry& tools,
            const CompletionNames& names)
      : commands_(commands), tools_(tools), names_(names) {}

  Suggestions complete(std::span<const std::string> words) {
    const std::string& current = words.back();
    std::span<const std::string> before = words.first(words.size() - 1);
    const ParamType globals = params_of<app::GlobalOptions>();

    // Skip global flags to find the command or tool.
    std::size_t at = 0;
    while (at < before.size() && before[at].starts_with("-"))
      at += takes_separate_value(globals, before[at]) ? 2 : 1;
    if (at >= before.size()) {
      const Param* waiting = flag_waiting_for_value(globals, before);
      if (waiting != nullptr) {
        suggest_global_values(*waiting, current);
      } else if (current.starts_with("-")) {
        suggest_flags(globals, current);
      } else {
        suggest_commands(current);
        suggest_tools(current);
      }
      return std::move(found_);
    }

    const Target target = target_named(before[at]);
    const std::span<const std::string> arguments = before.subspan(at + 1);
    const Param* waiting = flag_waiting_for_value(target.flags.options, arguments);
    const Param* global = waiting == nullptr ? flag_waiting_for_value(globals, arguments) : nullptr;
    if (waiting != nullptr) {
      if (!suggest_names(target, *waiting, arguments, current)) suggest_values(*waiting, current);
    } else if (global != nullptr) {
      suggest_global_values(*global, current);
    } else if (current.starts_with("-")) {
      suggest_flags(target.flags.options, current);
      suggest_flags(globals, current);
    } else {
      suggest_positional(target, arguments, current);
    }
    return std::move(found_);
  }

 private:
  Target target_named(const std::string& name) const {
    for (const auto& command : commands_)
      if (command->name() == name)
        return {name, command->flags(),
                name == "call" || name == "tools" || name == "explain" || name == "man", name == "man"};
    if (const auto tool = tools_.find(name)) return {name, flags_of_tool((*tool)->definition.params), false};
    const bool is_help = name == "help";
    return {name, {ParamType{.kind = Kind::kObject}, {}}, is_help, is_help};
  }

  static bool takes_separate_value(const ParamType& options, const std::string& flag) {
    const Param* param = find_flag(options, flag);
    return param != nullptr && param->type.kind != Kind::kBoolean;
  }

  static const Param* flag_waiting_for_value(const ParamType& options, std::span<const std::string> words) {
    if (words.empty() || !words.back().starts_with("--")) return nullptr;
    return takes_separate_value(options, words.back()) ? find_flag(options, words.back()) : nullptr;
  }

  void suggest(std::string_view text, std::string_view description, std::string_view current) {
    if (text.starts_with(current)) found_.entries.push_back({std::string(text), std::string(description)});
  }

  void suggest_commands(std::string_view current) {
    for (const auto& command : commands_) suggest(command->name(), command->summary(), current);
  }

  void suggest_tools(std::string_view current) {
    for (const auto& tool : tools_.list())
      suggest(tool->definition.name, tool->definition.summary(), current);
  }

  void suggest_flags(const ParamType& options, std::string_view current) {
    for (const Param& param : options.members) suggest(flag_name(param.name), param.description, current);
  }

  void suggest_global_values(const Param& param, std::string_view current) {
    if (param.name != "set") return suggest_values(param, current);
    if (!names_.settings) return;
    for (const Suggestion& setting : names_.settings())
      suggest(concat(setting.text, "="), setting.description, current);
  }

  // Whether the next word is the name of a setting or snippet.
  bool suggest_names(const Target& target, const Param& param, std::span<const std::string> arguments,
                     std::string_view current) {
    const auto first_is = [&](std::initializer_list<std::string_view> actions) {
      return !arguments.empty() && std::ranges::find(actions, arguments.front()) != actions.end();
    };
    const bool is_list = param.name == "names";
    const bool a_snippet =
        (param.name == "name" && (target.name == "snippet_load" || target.name == "snippet_delete")) ||
        (is_list && target.name == "snippets" && first_is({"show", "edit", "export", "delete"}));
    if (is_list && target.name == "config" && first_is({"paths", "trust", "untrust"})) return true;
    const bool a_setting = is_list && target.name == "config";
    const auto& source = a_snippet ? names_.snippets : names_.settings;
    if ((!a_snippet && !a_setting) || !source) return false;
    for (const Suggestion& name : source()) suggest(name.text, name.description, current);
    return true;
  }

  void suggest_values(const Param& param, std::string_view current) {
    const ParamType& type = param.type.kind == Kind::kArray ? param.type.element.front() : param.type;
    for (const std::string& choice : type.choices) suggest(choice, "", current);
    found_.files = type.kind == Kind::kString && type.choices.empty();
  }

  void suggest_positional(const Target& target, std::span<const std::string> arguments,
                          std::string_view current) {
    std::size_t position = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].starts_with("-"))
        ++position;
      else if (takes_separate_value(target.flags.options, arguments[i]))
        ++i;
    }
    if (target.takes_command_name && position == 0) suggest_commands(current);
    if (target.takes_tool_name && position == 0) return suggest_tools(current);
    if (target.flags.positionals.empty()) return;
    // A list takes all remaining positionals.
    const std::size_t last = target.flags.positionals.size() - 1;
    const Param* param =
        find_flag(target.flags.options, flag_name(target.flags.positionals[std::min(position, last)]));
    if (param == nullptr || (position > last && param->type.kind != Kind::kArray)) return;
    if (!suggest_names(target, *param, arguments, current)) suggest_values(*param, current);
  }

  const std::vector<std::unique_ptr<Command>>& commands_;
  const Registry& tools_;
  const CompletionNames& names_;
  Suggestions found_;
};

}  // namespace

Suggestions complete(const std::vector<std::unique_ptr<Command>>& commands, const Registry& tools,
                     std::span<const std::string> words, const CompletionNames& names) {
  static const std::vector<std::string> kNothing{""};
  return Completer(commands, tools, names).complete(words.empty() ? std::span(kNothing) : words);
}

}  // namespace helve::cli
