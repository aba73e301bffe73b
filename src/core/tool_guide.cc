#include "core/tool_guide.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "base/ascii.h"
#include "base/strings.h"

namespace helve::core {
namespace {

struct Intent {
  std::string_view need;
  std::string_view answer;
  std::string_view tool;  // must exist
};
constexpr auto kIntents = std::to_array<Intent>({
    {"Find files by name", "find", "find"},
    {"Find text in files", "grep", "grep"},
    {"Find a function, class or variable", "code_query", "code_query"},
    {"See what is in a directory", "ls", "ls"},
    {"See a file or part of it", "read", "read"},
    {"Get the outline of a file or directory", "get_code_outline", "get_code_outline"},
    {"Analyse a file: signatures, complexity", "analyze_code", "analyze_code"},
    {"Go to the definition of a symbol", "goto_definition", "goto_definition"},
    {"Find all references to a symbol", "find_references", "find_references"},
    {"See a symbol's type and documentation", "hover_info", "hover_info"},
    {"Change part of a file", "read it first, then edit", "edit"},
    {"Make several changes to one file", "multi_edit", "multi_edit"},
    {"Change several files at once", "apply_patch", "apply_patch"},
    {"Make a new file, or replace all of one", "write", "write"},
    {"Rename a symbol everywhere", "rename_symbol", "rename_symbol"},
    {"Format a file", "format_code", "format_code"},
    {"Lint a file", "lint_code", "lint_code"},
    {"See a file's compile errors", "get_diagnostics", "get_diagnostics"},
    {"Take a change back", "undo", "undo"},
    {"Build, test or run something", "exec", "exec"},
    {"Look after what runs in the background", "process", "process"},
    {"Keep code for later", "snippet_save", "snippet_save"},
    {"Get kept code back", "snippet_list, then snippet_load", "snippet_load"},
    {"Use a web page", "use_browser", "use_browser"},
    {"Need a decision that only the user can make", "ask_user", "ask_user"},
});

struct Fallback {
  std::string_view tool;
  std::array<std::string_view, 2> instead;
};
// Alternatives of another kind: where one tool cannot work, similar ones cannot either.
constexpr auto kFallbacks = std::to_array<Fallback>({
    {"analyze_code", {"grep", "read"}},
    {"apply_patch", {"read", "multi_edit"}},
    {"code_query", {"grep", "read"}},
    {"find_references", {"grep", "read"}},
    {"find_symbols", {"grep", "read"}},
    {"get_code_outline", {"grep", "read"}},
    {"get_diagnostics", {"lint_code", "exec"}},
    {"goto_definition", {"code_query", "grep"}},
    {"hover_info", {"code_query", "read"}},
    {"lsp_format", {"format_code", ""}},
    {"lsp_symbols", {"code_query", "grep"}},
    {"rename_symbol", {"grep", "multi_edit"}},
});

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_character(text[at - 1])) &&
        (end == text.size() || !is_word_character(text[end])))
      return true;
  }
  return false;
}

bool names_one_of(std::string_view text, const std::vector<std::string>& tools) {
  return std::ranges::any_of(tools, [&](const std::string& tool) { return has_word(text, tool); });
}

}  // namespace

std::vector<std::string> intent_lines(const GuideSettings& guide, const std::vector<std::string>& tools) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view need, std::string_view answer) {
    lines.push_back(concat(need, " → ", answer));
  };
  for (const Intent& intent : kIntents) {
    const auto changed = guide.intents.find(std::string(intent.need));
    if (changed == guide.intents.end()) {
      if (std::ranges::find(tools, intent.tool) != tools.end()) add(intent.need, intent.answer);
    } else if (names_one_of(changed->second, tools)) {
      add(intent.need, changed->second);
    }
  }
  for (const auto& [need, answer] : guide.intents)
    if (std::ranges::find(kIntents, need, &Intent::need) == kIntents.end() && names_one_of(answer, tools))
      add(need, answer);
  return lines;
}

std::vector<std::string> fallbacks_of(const GuideSettings& guide, std::string_view tool,
                                      const Offers& offers) {
  std::vector<std::string> all;
  if (const auto changed = guide.fallbacks.find(std::string(tool)); changed != guide.fallbacks.end()) {
    all = changed->second;
  } else if (const auto* known = std::ranges::find(kFallbacks, tool, &Fallback::tool);
             known != kFallbacks.end()) {
    all.assign(known->instead.begin(), known->instead.end());
  }
  std::erase_if(all, [&](const std::string& name) { return name == tool || name.empty() || !offers(name); });
  return all;
}

std::vector<std::string> fallback_lines(const GuideSettings& guide, const std::vector<std::string>& tools) {
  const Offers offers = [&](std::string_view name) { return std::ranges::find(tools, name) != tools.end(); };
  std::vector<std::pair<std::vector<std::string>, std::string>> groups;  // tools with the same alternatives
  for (const std::string& tool : tools) {
    const auto instead = fallbacks_of(guide, tool, offers);
    if (instead.empty()) continue;
    std::string answer = join(instead, ", then ");
    const auto same = std::ranges::find(groups, answer, [](const auto& group) { return group.second; });
    if (same != groups.end())
      same->first.push_back(tool);
    else
      groups.push_back({{tool}, std::move(answer)});
  }
  std::vector<std::string> lines;
  for (const auto& [failed, answer] : groups) lines.push_back(concat(join(failed, ", "), " → ", answer));
  return lines;
}

std::string order_of_work(const std::vector<std::string>& tools) {
  const auto those_of = [&](std::initializer_list<std::string_view> wanted) {
    std::vector<std::string> found;
    for (const std::string_view tool : wanted)
      if (std::ranges::find(tools, tool) != tools.end()) found.emplace_back(tool);
    return join(found, "/");
  };
  std::vector<std::string> steps{those_of({"find", "grep"}), those_of({"read"}), those_of({"edit", "write"})};
  std::erase(steps, "");
  return steps.size() > 1 ? join(steps, " → ") : std::string();
}

void add_fallbacks(const GuideSettings& guide, std::string_view tool, const Offers& offers, Error& error) {
  const bool another_may_help = error.code == ErrorCode::kTimeout ||
                                error.code == ErrorCode::kExecutionFailed ||
                                error.code == ErrorCode::kUnavailable;
  if (!another_may_help) return;
  const auto instead = fallbacks_of(guide, tool, offers);
  if (instead.empty() || names_one_of(error.hint, instead)) return;
  error.hint += concat(error.hint.empty() ? "" : " ", "Try instead: ", join(instead, ", then "), ".");
}

}  // namespace helve::core
