#include "cli/call_hints.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/ascii.h"
#include "base/file_io.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "changes/history_store.h"
#include "cli/flags.h"

namespace helve::cli {
namespace {

// Replaces whole words only, not parts of file names or code.
std::string replace_word(std::string_view text, std::string_view word, std::string_view with) {
  const auto goes_on = [](char c) {
    return is_letter_or_digit(c) || std::string_view("_-/.\\([{\"'`").contains(c);
  };
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, from)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !goes_on(text[at - 1]);
    const std::string_view rest = text.substr(end);
    const bool ends = rest.empty() || !goes_on(rest.front()) || rest == "." || rest.starts_with(". ");
    out.append(text.substr(from, at - from)).append(begins && ends ? with : word);
    from = end;
  }
  return out.append(text.substr(from));
}

std::string file_given_as_text(const ParamType& params, const Json& arguments) {
  for (const Param& param : params.members) {
    const Json* text = param.type.whole_text ? arguments.find(param.name) : nullptr;
    if (text != nullptr && text->is_string() && !text->as_string().contains('\n') &&
        ::access(text->as_string().c_str(), R_OK) == 0)
      return text->as_string();
  }
  return {};
}

// Phrases of tool hints and the shell commands that replace them.
constexpr auto kShellPhrases = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"history with the action redo and the path ", "helve history --action redo "},
    {"history with the action redo", "helve history --action redo"},
    {"history shows ", "helve history shows "},
    {"history lists ", "helve history lists "},
    {"with history clear", "with helve history --action clear"},
    {"undo with the path ", "helve undo "},
});

std::string as_sentence(std::string_view words) {
  std::string sentence(words);
  if (!sentence.empty()) sentence.front() = to_upper(sentence.substr(0, 1)).front();
  return sentence;
}

// A hint about the arguments of a failed call.
std::string hint_on_arguments(const ToolDefinition& tool, const Json& arguments) {
  if (const std::string file = file_given_as_text(tool.params, arguments); !file.empty())
    return concat("For the text in a file: helve ", tool.name, " - <", shell_quoted(file));
  const Json* path = tool.name == "undo" ? arguments.find("path") : nullptr;
  if (path == nullptr || !path->is_string()) return {};
  const std::string& steps = path->as_string();
  if (steps.empty() || steps.size() > 4 || !std::ranges::all_of(steps, is_digit)) return {};
  return concat("To undo ", steps == "1" ? "one change" : concat(steps, " changes"), ": helve undo --steps ",
                steps);
}

std::string explain_command(const ToolDefinition& tool, const Json& arguments) {
  constexpr std::size_t kLongest = 200;
  const std::string text = to_text(arguments);
  return concat("helve explain ", tool.name, " ", text.size() > kLongest ? "JSON" : shell_quoted(text));
}

// Replaces parameter names by flags.
std::string hint_with_flags(std::string hint, const ToolDefinition& tool) {
  for (const Param& param : tool.params.members) {
    // Required parameters are positional.
    if (param.required || std::ranges::none_of(param.name, [](char c) { return c >= 'A' && c <= 'Z'; }))
      continue;
    hint = replace_word(hint, param.name, flag_name(param.name));
  }
  return hint;
}

// The hint for a user; some errors need another one than models get.
std::string hint_for_user(const Error& error, const ToolDefinition& tool, const std::string& explain) {
  const std::string& hint = error.hint;
  if (error.kind == ErrorKind::kProtectedPath) return "Make this change yourself, without Helve.";
  if (error.kind == ErrorKind::kOutsideBaseDir || error.kind == ErrorKind::kSymlinkNotAllowed)
    return "Name a path inside the workspace, or make another directory the workspace with --workspace.";
  if (error.kind == ErrorKind::kDeniedByUser) return {};
  if (error.kind == ErrorKind::kDeniedByMode || error.kind == ErrorKind::kDeniedByRule) {
    // --mode comes before the tool's name, because a tool may have its own --mode.
    const std::string other_mode = concat("helve --mode full ", tool.name, " … runs it");
    if (const JsonArray* rules = array_in(error.details, "rules")) {
      std::vector<std::string> names;
      for (const Json& rule : *rules)
        if (rule.is_string()) names.push_back(rule.as_string());
      return concat(other_mode, "; to allow it always, add ", enumerate(names),
                    " to the setting permissions.allow.");
    }
    if (error.kind == ErrorKind::kDeniedByMode) return concat(other_mode, ".");
    return concat(explain,
                  " tells what decides; helve config get permissions shows the rules and where they are.");
  }
  constexpr std::string_view kBegin = "Ask the user to ";
  if (hint.starts_with(kBegin)) return as_sentence(std::string_view(hint).substr(kBegin.size()));
  std::string own = replace_all(hint, "ask the user to ", "");
  for (const auto& [of_model, of_person] : kShellPhrases) own = replace_all(own, of_model, of_person);
  return own;
}

}  // namespace

CallHints::CallHints(const ToolDefinition& tool, const Json& arguments, CallForm form)
    : tool_(tool),
      form_(form),
      on_arguments_(form == CallForm::kTool ? hint_on_arguments(tool, arguments) : std::string()),
      explain_(explain_command(tool, arguments)) {}

void CallHints::reword(Error& error) const {
  error.hint = hint_for_user(error, tool_, explain_);
  if (form_ == CallForm::kCall) return;
  error.hint = hint_with_flags(std::move(error.hint), tool_);
  if (!on_arguments_.empty()) error.hint += concat(error.hint.empty() ? "" : " ", on_arguments_);
}

std::string CallHints::parent_directory_hint(const Result& result, const Runtime& runtime) const {
  if (tool_.name != "undo" && tool_.name != "history") return {};
  const Json* total = result ? result->data.find("total") : nullptr;
  const bool has_nothing =
      result ? total != nullptr && *total == Json(0) : result.error().code == ErrorCode::kNotFound;
  if (!has_nothing || path_exists(changes::history_path(runtime.state_directory(), runtime.workspace())))
    return {};
  std::filesystem::path folder = runtime.workspace();
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    if (path_exists(changes::history_path(runtime.state_directory(), folder.string())))
      return concat("Helve changed files in ", folder.string(),
                    ", a folder above. Look there first: helve --workspace ", shell_quoted(folder.string()),
                    " history");
  }
  return {};
}

}  // namespace helve::cli
