#include "cli/init/init_settings.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace helve::cli {
namespace {

// In the order of the file; descriptions and defaults come from the settings.
constexpr auto kShown = std::to_array<std::string_view>({
    "mode",
    "permissions.allow",
    "permissions.ask",
    "permissions.deny",
    "permissions.claude_settings",
    "sandbox.level",
    "sandbox.network",
    "sandbox.writable",
    "sandbox.hidden",
    "exec.time_limit_ms",
    "exec.keep_environment",
    "tools.enabled",
    "tools.require_explanation",
    "search.engine",
    "results.limit",
    "history.keep_days",
    "lsp.enabled",
    "model.name",
});

constexpr std::string_view kSettingsExamples = R"toml(
# [permissions.examples]               # checked whenever the rules are loaded
# "exec(git diff:*)" = ["git diff --stat"]

#[[hooks.before]] #a program of yours before a call; exit code 2 blocks it
#match = "exec|write"
#command = "./check-call"

#[mcp_servers.NAME] #another MCP server, whose tools are offered beside Helve's own
#command = "npx"
#args = ["-y", "PACKAGE"]
)toml";

}  // namespace

std::string settings_template(const settings::Config& defaults) {
  std::string out =
      "# Helve settings for this directory. To use them, run: helve config trust\n"
      "# Everything is commented out and shows its default; helve config show lists all settings and where\n"
      "# each value comes from. Your own settings for all folders are in the file that helve config paths "
      "names.\n";
  std::string table;
  for (const std::string_view key : kShown) {
    const auto entry = std::ranges::find(defaults.entries, key, &settings::Config::Entry::key);
    if (entry == defaults.entries.end()) continue;
    const std::size_t dot = key.rfind('.');
    const std::string_view group = dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
    if (group != table) out += concat("\n# [", group, "]");
    table = group;
    const std::string_view name = dot == std::string_view::npos ? key : key.substr(dot + 1);
    out += concat("\n# ", entry->description, "\n# ", name, " = ", to_text(entry->value), "\n");
  }
  return out + std::string(kSettingsExamples);
}

}  // namespace helve::cli
