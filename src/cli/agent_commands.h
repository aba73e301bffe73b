// The commands that a person can give between the turns of an agent: /ps, /undo, /help, …
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::cli {

enum class SlashCommand {
  kHelp,
  kPs,
  kTail,
  kStop,
  kUndo,
  kRedo,
  kDiff,
  kTools,
  kCost,
  kMode,
  kModel,
  kResume,
  kQuit
};

struct SlashCommandInfo {
  SlashCommand command;
  std::string_view name;  // with the slash
  std::string_view arguments;
  std::string_view summary;
};
[[nodiscard]] std::span<const SlashCommandInfo> slash_commands();

struct SlashLine {
  std::optional<SlashCommand> command = {};
  std::vector<std::string> words = {};  // after the command
  std::string complaint = {};           // there is no such command, and which may have been meant
};
// Nothing when the text is for the model: no slash, a path, or the name of a skill.
[[nodiscard]] std::optional<SlashLine> parse_slash(std::string_view text,
                                                   std::span<const std::string> skills);

// What Tab may make of the text.
[[nodiscard]] std::vector<std::string> complete_slash(std::string_view text,
                                                      std::span<const std::string> skills);

}  // namespace helve::cli
