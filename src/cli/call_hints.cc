#include "cli/call_hints.h"

#include <unistd.h>

#include <algorithm>

#include "base/strings.h"
#include "cli/flags.h"

namespace helve::cli {
namespace {

// Each place where the word stands for itself: a name of a file or a piece of code is none.
std::string replace_word(std::string_view text, std::string_view word, std::string_view with) {
  const auto goes_on = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-/.\\([{\"'`").contains(c);
  };
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, from)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !goes_on(text[at - 1]);
    const bool ends = end == text.size() || !goes_on(text[end]) || text.substr(end, 2) == ". ";
    out.append(text.substr(from, at - from)).append(begins && ends ? with : word);
    from = end;
  }
  return out.append(text.substr(from));
}

}  // namespace

std::string file_given_as_text(const ParamType& params, const Json& arguments) {
  for (const Param& param : params.members) {
    const Json* text = param.type.whole_text ? arguments.find(param.name) : nullptr;
    if (text != nullptr && text->is_string() && !text->as_string().contains('\n') &&
        ::access(text->as_string().c_str(), R_OK) == 0)
      return text->as_string();
  }
  return {};
}

std::string hint_for_people(std::string hint, const ToolDefinition& tool, const std::string& file_given) {
  for (const Param& param : tool.params.members) {
    // What is required needs no flag.
    if (param.required || std::ranges::none_of(param.name, [](char c) { return c >= 'A' && c <= 'Z'; }))
      continue;
    hint = replace_word(hint, param.name, flag_name(param.name));
  }
  if (!file_given.empty())
    hint += concat(" For the text in a file: helve ", tool.name, " - <", shell_quoted(file_given));
  return hint;
}

}  // namespace helve::cli
