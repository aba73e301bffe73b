#include "plugins/command_template.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::plugins {
namespace {

std::unexpected<Error> wrong(std::string problem) {
  return fail(ErrorCode::kInvalidArgument, std::move(problem));
}

std::string text_of(const Json& value) { return value.is_string() ? value.as_string() : to_text(value); }

// Null if the call does not set it and it has no default.
Json value_of(const PluginParameter& parameter, const Json& arguments) {
  if (const Json* given = arguments.find(parameter.name)) return *given;
  return parameter.default_value.value_or(Json());
}

bool is_free_text(const PluginParameter& parameter) {
  const ParameterType type = parameter.type == ParameterType::kArray ? parameter.items : parameter.type;
  return type == ParameterType::kString || type == ParameterType::kPath;
}

// A path such as -rf gets ./ in front. For other text the intent is unknown, so it is refused.
Expected<std::string> guarded(const PluginParameter& parameter, std::string value) {
  const ParameterType type = parameter.type == ParameterType::kArray ? parameter.items : parameter.type;
  if (!value.starts_with('-') || !is_free_text(parameter) || parameter.allow_dash) return value;
  if (type == ParameterType::kPath) return concat("./", value);
  return fail(
      ErrorCode::kInvalidArgument,
      concat(parameter.name, " begins with - and would be read as an option: ", shortened(value, 100)),
      "Pass a value that does not begin with -.");
}

}  // namespace

Expected<CommandTemplate::Element> CommandTemplate::parse_element(std::string_view text) const {
  Element element;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) element.push_back({std::exchange(literal, {})});
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      literal += c;
      continue;
    }
    if (at + 1 < text.size() && text[at + 1] == c) {
      literal += c;
      ++at;
      continue;
    }
    const std::size_t end = c == '{' ? text.find('}', at) : std::string_view::npos;
    if (end == std::string_view::npos)
      return wrong(concat("has an unmatched brace in \"", text, "\"; write {{ and }} for literal braces"));
    const std::string_view name = text.substr(at + 1, end - at - 1);
    const auto found = std::ranges::find(*parameters_, name, &PluginParameter::name);
    if (found == parameters_->end())
      return wrong(concat("uses {", name, "} in \"", text, "\", which is not one of its parameters"));
    flush();
    element.push_back({{}, &*found});
    at = end;
  }
  flush();
  const bool lists = std::ranges::any_of(element, [](const Piece& piece) {
    return piece.parameter != nullptr &&
           (piece.parameter->type == ParameterType::kArray || !piece.parameter->flag.empty());
  });
  if (lists && element.size() > 1)
    return wrong(
        concat("uses an array or a flag inside of \"", text, "\"; it must be an element of its own"));
  return element;
}

Expected<CommandTemplate> CommandTemplate::parse(const PluginTool& tool) {
  CommandTemplate made;
  made.parameters_ = std::make_shared<const std::vector<PluginParameter>>(tool.parameters);
  for (std::size_t i = 0; i < tool.command.size(); ++i) {
    const Json& given = tool.command[i];
    std::vector<Json> elements{given};
    if (given.is_array()) elements = given.as_array();
    Group group;
    for (const Json& text : elements) {
      if (!text.is_string()) return wrong("has a command with an element that is not a string");
      auto element = made.parse_element(text.as_string());
      if (!element) return fail(std::move(element).error());
      group.push_back(*std::move(element));
    }
    if (i > 0) {
      made.groups_.push_back(std::move(group));
      continue;
    }
    const bool fixed =
        !given.is_array() && group.front().size() == 1 && group.front().front().parameter == nullptr;
    if (!fixed) return wrong("has a command whose program is not a plain name or path");
    made.program_ = group.front().front().text;
  }
  if (tool.input) {
    auto element = made.parse_element(*tool.input);
    if (!element) return fail(std::move(element).error());
    made.input_ = *std::move(element);
  }
  return made;
}

Expected<void> CommandTemplate::fill_element(const Element& element, const Json& arguments,
                                             std::vector<std::string>& out) const {
  if (element.size() == 1 && element.front().parameter != nullptr) {
    const PluginParameter& parameter = *element.front().parameter;
    const Json value = value_of(parameter, arguments);
    if (!parameter.flag.empty()) {
      if (value == Json(true)) out.push_back(parameter.flag);
      return {};
    }
    if (value.is_array()) {
      for (const Json& item : value.as_array()) {
        auto text = guarded(parameter, text_of(item));
        if (!text) return fail(std::move(text).error());
        out.push_back(*std::move(text));
      }
      return {};
    }
  }
  std::string text;
  for (const Piece& piece : element) {
    std::string part = piece.text;
    if (piece.parameter != nullptr) {
      part = text_of(value_of(*piece.parameter, arguments));
      if (text.empty()) {
        auto safe = guarded(*piece.parameter, std::move(part));
        if (!safe) return fail(std::move(safe).error());
        part = *std::move(safe);
      }
    }
    text += part;
  }
  out.push_back(std::move(text));
  return {};
}

Expected<CommandTemplate::Filled> CommandTemplate::fill(const Json& arguments) const {
  Filled filled{{program_}, {}};
  const auto is_given = [&](const Element& element) {
    return std::ranges::none_of(element, [&](const Piece& piece) {
      return piece.parameter != nullptr && piece.parameter->flag.empty() &&
             value_of(*piece.parameter, arguments).is_null();
    });
  };
  for (const Group& group : groups_) {
    if (!std::ranges::all_of(group, is_given)) continue;
    for (const Element& element : group)
      if (auto done = fill_element(element, arguments, filled.arguments); !done)
        return fail(std::move(done).error());
  }
  for (const std::string& argument : filled.arguments)
    if (argument.find('\0') != std::string::npos)
      return fail(ErrorCode::kInvalidArgument,
                  "An argument contains a zero byte, which command lines do not allow.", "Remove it.");
  if (is_given(input_))
    for (const Piece& piece : input_) {
      if (piece.parameter == nullptr) {
        filled.input += piece.text;
        continue;
      }
      const Json value = value_of(*piece.parameter, arguments);
      if (value.is_array())
        for (const Json& item : value.as_array()) filled.input += concat(text_of(item), "\n");
      else
        filled.input += text_of(value);
    }
  return filled;
}

}  // namespace helve::plugins
