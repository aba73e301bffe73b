// Prompt text and function-calling JSON from the tools' definitions.
#include "helve/prompt.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "core/tool_guide.h"

namespace helve {
namespace {

std::string_view type_word(const ParamType& type) {
  using enum ParamType::Kind;
  switch (type.kind) {
    case kString: return "string";
    case kBoolean: return "boolean";
    case kInteger: return "integer";
    case kNumber: return "number";
    case kArray: return "array";
    case kObject:
    case kMap: return "object";
    case kAny: break;
  }
  return "any";
}

void append_params(std::string& out, const std::vector<Param>& params, std::size_t indent);

void append_param(std::string& out, const Param& param, std::size_t indent) {
  const std::string pad(indent, ' ');
  out += concat(pad, "<parameter name=\"", escape_xml(param.name), "\" type=\"", type_word(param.type), "\"");
  if (param.required) out += " required=\"true\"";
  if (param.default_value)
    out += concat(" default=\"",
                  escape_xml(param.default_value->is_string() ? param.default_value->as_string()
                                                              : to_text(*param.default_value)),
                  "\"");
  if (!param.type.choices.empty())
    out += concat(" choices=\"", escape_xml(join(param.type.choices, " ")), "\"");
  if (param.type.min) out += concat(" min=\"", to_text(Json(*param.type.min)), "\"");
  if (param.type.max) out += concat(" max=\"", to_text(Json(*param.type.max)), "\"");
  out += concat(">", escape_xml(param.description));
  const ParamType& inner = param.type.element.empty() ? param.type : param.type.element.front();
  if (!inner.members.empty()) {
    out += '\n';
    append_params(out, inner.members, indent + 2);
    out += pad;
  }
  out += "</parameter>\n";
}

void append_params(std::string& out, const std::vector<Param>& params, std::size_t indent) {
  for (const Param& param : params) append_param(out, param, indent);
}

struct Missing {
  std::string_view tool;
  std::string_view deed;
};
// Tools of other agents that models look for and Helve does not have.
constexpr auto kMissing = std::to_array<Missing>({
    {"write", "creating or changing files"},
    {"exec", "running commands"},
    {"ask_user", "asking the user"},
    {"use_browser", "opening web pages"},
});

}  // namespace

std::string tool_to_xml(const ToolDefinition& tool) {
  std::string out = concat("<tool name=\"", escape_xml(tool.name), "\" effect=\"", name_of(tool.effect),
                           "\">\n", "  <description>", escape_xml(tool.description), "</description>\n");
  append_params(out, tool.params.members, 2);
  return out + "</tool>";
}

Json tool_to_json(const ToolDefinition& tool) {
  return JsonObject{{"name", tool.name},
                    {"description", tool.description},
                    {"effect", name_of(tool.effect)},
                    {"parameters", tool.input_schema()}};
}

Json tool_to_openai(const ToolDefinition& tool) {
  return JsonObject{{"type", "function"},
                    {"function", JsonObject{{"name", tool.name},
                                            {"description", tool.description},
                                            {"parameters", tool.input_schema()}}}};
}

Json tool_to_anthropic(const ToolDefinition& tool) {
  return JsonObject{
      {"name", tool.name}, {"description", tool.description}, {"input_schema", tool.input_schema()}};
}

std::string ToolPromptGenerator::generate(Format format) const {
  JsonArray list;
  std::string xml;
  for (const auto& entry : tools_) {
    const ToolDefinition& tool = entry->definition;
    switch (format) {
      case Format::kXml: xml += tool_to_xml(tool) + "\n"; break;
      case Format::kJson: list.push_back(tool_to_json(tool)); break;
      case Format::kOpenai: list.push_back(tool_to_openai(tool)); break;
      case Format::kAnthropic: list.push_back(tool_to_anthropic(tool)); break;
    }
  }
  if (format == Format::kXml) return system_prompt(concat("<tools>\n", xml, "</tools>"));
  if (format == Format::kJson) return system_prompt(to_pretty_text(list));
  return to_pretty_text(list) + "\n";
}

std::string ToolPromptGenerator::system_prompt(std::string_view tools) const {
  std::string out =
      "You act on the user's machine through the tools below, and through nothing else. Use their names "
      "exactly as "
      "written.\n\n";
  out += concat(tools, "\n\n", guide());
  out +=
      "\nEvery call is answered with {\"ok\", \"summary\", \"content\", \"data\", \"meta\", \"tool\"}. A "
      "call "
      "that failed has \"error\" instead of a result:\n"
      "{\"ok\": false, \"error\": {\"code\": \"UNKNOWN_TOOL\", \"message\": \"Unknown Agent tool: "
      "read_file\", "
      "\"hint\": \"Did you mean read?\"}}\n"
      "The hint says what to do next: correct the call instead of repeating it. A long result is kept in a "
      "file "
      "that its stub names; read the parts you need.\n";
  return out;
}

std::string ToolPromptGenerator::guide() const {
  const std::vector<std::string> names = this->names();
  std::string out;
  if (const std::string order = core::order_of_work(names); !order.empty())
    out += concat("Order of work: ", order, "\n\n");
  out += "Which tool for what:\n";
  for (const std::string& line : core::intent_lines(guide_, names)) out += concat("- ", line, "\n");
  if (const auto lines = core::fallback_lines(guide_, names); !lines.empty()) {
    out += "\nIf a tool fails, try:\n";
    for (const std::string& line : lines) out += concat("- ", line, "\n");
  }
  std::vector<std::string> missing;
  for (const Missing& each : kMissing)
    if (!offers(each.tool)) missing.emplace_back(each.deed);
  if (!missing.empty()) out += concat("\nNot available here: ", enumerate(missing, " and "), ".\n");
  return out;
}

std::string ToolPromptGenerator::instructions() const {
  std::vector<std::string> names;
  for (const auto& entry : tools_)
    if (entry->definition.effect != Effect::kAsk) names.push_back(entry->definition.name);
  std::string out = "Tools for working on one directory, the workspace; paths are relative to it.";
  if (const std::string order = core::order_of_work(names); !order.empty())
    out += concat(" Order of work: ", order, ".");
  if (const auto lines = core::intent_lines(guide_, names); !lines.empty())
    out += concat("\n", join(lines, "; "), ".");
  return out +
         "\nLong results are kept in a file whose path you get. Errors say what to do next; a wrong name is "
         "answered with \"Unknown Agent tool: read_file. Did you mean read?\"";
}

std::vector<std::string> ToolPromptGenerator::names() const {
  std::vector<std::string> names;
  for (const auto& entry : tools_) names.push_back(entry->definition.name);
  return names;
}

bool ToolPromptGenerator::offers(std::string_view name) const {
  return std::ranges::any_of(tools_, [&](const auto& entry) { return entry->definition.name == name; });
}

}  // namespace helve
