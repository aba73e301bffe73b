#include "cli/help/tool_page.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "cli/exec_at_shell.h"

namespace helve::cli {
namespace {

using Kind = ParamType::Kind;

std::string type_text(const ParamType& type) {
  switch (type.kind) {
    case Kind::kString: return "string";
    case Kind::kBoolean: return "boolean";
    case Kind::kInteger: return "integer";
    case Kind::kNumber: return "number";
    case Kind::kArray: return concat("array of ", type_text(type.element.front()));
    case Kind::kObject: return "object";
    case Kind::kMap: return concat("object of ", type_text(type.element.front()));
    case Kind::kAny: break;
  }
  return "any";
}

void append_rows(std::string& out, const std::vector<Param>& params, const std::string& prefix) {
  for (const Param& param : params) {
    const std::string constraints = constraints_of(param);
    out += concat("| `", prefix, param.name, "`", param.required ? " (required)" : "", " | ",
                  type_text(param.type), " | ", replace_all(param.description, "|", "\\|"),
                  constraints.empty() ? "" : concat(" (", constraints, ")"), " |\n");
    const ParamType& inner = param.type.element.empty() ? param.type : param.type.element.front();
    append_rows(out, inner.members,
                concat(prefix, param.name, param.type.kind == Kind::kArray ? "[]." : "."));
  }
}

}  // namespace

std::string value_word(const ParamType& type) {
  switch (type.kind) {
    case Kind::kString: return type.choices.empty() ? "TEXT" : join(type.choices, "|");
    case Kind::kInteger:
    case Kind::kNumber: return "N";
    case Kind::kArray:
      return type.element.front().members.empty() ? value_word(type.element.front()) : "JSON";
    case Kind::kObject:
    case Kind::kMap:
    case Kind::kAny: return "JSON";
    case Kind::kBoolean: break;
  }
  return "";
}

namespace {

// "[{oldText, newText, replaceAll?}]" for what is given as JSON.
std::string members_of(const ParamType& type) {
  const bool is_list = type.kind == Kind::kArray;
  const ParamType& inner = is_list ? type.element.front() : type;
  if (inner.members.empty()) return {};
  std::vector<std::string> names;
  for (const Param& member : inner.members) names.push_back(concat(member.name, member.required ? "" : "?"));
  return concat(is_list ? "[{" : "{", join(names, ", "), is_list ? "}]" : "}");
}

}  // namespace

std::string constraints_of(const Param& param, Choices choices) {
  std::vector<std::string> parts;
  const ParamType& type = param.type;
  if (choices == Choices::kNamed && !type.choices.empty())
    parts.push_back(concat("one of ", join(type.choices, ", ")));
  // Not separated by commas: an element may contain one.
  if (choices == Choices::kLeftOut && splits_at_commas(param))
    parts.emplace_back("separated by commas");
  else if (choices == Choices::kLeftOut && type.kind == Kind::kArray &&
           type.element.front().members.empty() && param.description.find("repeated") == std::string::npos)
    parts.emplace_back("may be repeated");
  if (choices == Choices::kLeftOut && type.whole_text) parts.emplace_back("- is stdin");
  if (choices == Choices::kLeftOut)
    if (const std::string members = members_of(type); !members.empty()) parts.push_back(members);
  if (choices == Choices::kLeftOut && is_structured(type)) parts.emplace_back("- reads stdin, @FILE a file");
  // A switch is off by default; do not say so.
  if (param.default_value && *param.default_value != Json(false))
    parts.push_back(concat("default ", param.default_value->is_string() ? param.default_value->as_string()
                                                                        : to_text(*param.default_value)));
  if (type.min) parts.push_back(concat("at least ", to_text(Json(*type.min))));
  // Skipped if the description gives its own limit.
  if (type.max && param.description.find("at most") == std::string::npos)
    parts.push_back(concat("at most ", to_text(Json(*type.max))));
  return join(parts, "; ");
}

std::string flag_list(const app::Printer& terminal, const ParamType& options) {
  std::vector<std::pair<std::string, const Param*>> rows;
  std::size_t width = 0;
  for (const Param& param : options.members) {
    const std::string word = value_word(param.type);
    std::string left = word.empty() ? flag_name(param.name) : concat(flag_name(param.name), " ", word);
    // A switch that is on by default is shown as --no-….
    if (word.empty() && param.default_value == Json(true)) left = concat("--[no-]", left.substr(2));
    width = std::max(width, std::min<std::size_t>(count_characters(left), 28));
    rows.emplace_back(std::move(left), &param);
  }
  std::string out;
  const auto columns = static_cast<std::size_t>(std::max(terminal.columns(), 50));
  for (const auto& [left, param] : rows) {
    const std::string constraints = constraints_of(*param, Choices::kLeftOut);
    const std::size_t left_width = count_characters(left);
    std::string right = param->description;
    if (param->required) right += " (required)";
    if (!constraints.empty()) right += concat(" (", constraints, ")");
    const std::string gap = left_width > width ? concat("\n", std::string(width + 4, ' '))
                                               : std::string(width + 2 - left_width, ' ');
    out += concat("  ", terminal.paint(terminal::Colour::kBold, terminal::printable_line(left)), gap,
                  app::wrap(terminal::printable(right), columns, width + 4), "\n");
  }
  return out;
}

std::string tool_page(const app::Printer& terminal, const ToolDefinition& tool) {
  std::string positionals;
  for (const std::string& name : flags_of_tool(tool.params).positionals) {
    const bool required = std::ranges::any_of(tool.params.members,
                                              [&](const Param& p) { return p.name == name && p.required; });
    positionals += required ? concat(" ", to_upper(name)) : concat(" [", to_upper(name), "]");
  }
  return concat(
      terminal.paint(terminal::Colour::kBold, tool.name),
      terminal.paint(terminal::Colour::kDim, concat("  ", tool.group, ", ", name_of(tool.effect))), "\n\n",
      terminal::printable(tool.description), "\n\n", terminal.paint(terminal::Colour::kBold, "Usage"),
      "\n  helve ", tool.name, positionals, " [flags]\n  helve call ", tool.name, " JSON\n\n",
      terminal.paint(terminal::Colour::kBold, "Flags"), "\n", flag_list(terminal, params_at_shell(tool)));
}

std::string tools_as_markdown(const std::vector<std::shared_ptr<const RegisteredTool>>& tools) {
  std::string out =
      "# Tool reference\n\nMade by `helve tools --markdown` from the tools' own descriptions. Every tool is "
      "also a command "
      "(`helve read README.md`;\n`oldText` is `--old-text` there), and takes JSON through `helve call` and "
      "MCP.\n\n"
      "| tool | effect | what it does |\n|---|---|---|\n";
  for (const auto& entry : tools) {
    const ToolDefinition& tool = entry->definition;
    out += concat("| [`", tool.name, "`](#", tool.name, ") | ", name_of(tool.effect), " | ",
                  replace_all(tool.summary(), "|", "\\|"), tool.opt_in ? " Off by default." : "", " |\n");
  }
  for (const auto& entry : tools) {
    const ToolDefinition& tool = entry->definition;
    out += concat("\n## ", tool.name, "\n\n", tool.description, "\n\nGroup ", tool.group, ", effect ",
                  name_of(tool.effect), tool.opt_in ? "; off until `tools.enabled` names it" : "",
                  ".\n\n| parameter | type | meaning |\n|---|---|---|\n");
    append_rows(out, tool.params.members, "");
  }
  return out;
}

Json tool_summary_json(const ToolDefinition& tool) {
  return JsonObject{{"name", tool.name},
                    {"title", tool.title},
                    {"description", tool.description},
                    {"group", tool.group},
                    {"effect", name_of(tool.effect)},
                    {"annotations", JsonObject{{"readOnly", tool.read_only()},
                                               {"destructive", !tool.read_only() && tool.destructive},
                                               {"idempotent", tool.read_only() || tool.idempotent},
                                               {"openWorld", tool.effect == Effect::kNetwork ||
                                                                 tool.effect == Effect::kExecute}}},
                    {"inputSchema", tool.input_schema()},
                    {"outputSchema", tool.data_schema()}};
}

}  // namespace helve::cli
