// The slash commands of the chat: one table that /help, completion and dispatch share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::chat {

class Chat;

struct SlashCommand {
  std::string_view name;       // with the slash
  std::string_view arguments;  // as /help shows them
  std::string_view help;       // empty: an alias, which /help and completion leave out
  bool needs_session = false;  // only after the first message
  bool needs_idle = false;     // not during a turn
  void (Chat::*run)(const std::vector<std::string>& words) = nullptr;
};
[[nodiscard]] std::span<const SlashCommand> slash_commands();

struct SlashLine {
  const SlashCommand* command = nullptr;
  std::vector<std::string> words = {};  // after the command
  std::string error = {};               // if there is no such command
};
// Empty when the text is for the model: no slash, a path, or the name of a skill.
[[nodiscard]] std::optional<SlashLine> parse_slash(std::string_view text,
                                                   std::span<const std::string> skills);

// The commands and skills that begin with `text`.
[[nodiscard]] std::vector<std::string> complete_slash(std::string_view text,
                                                      std::span<const std::string> skills);

}  // namespace helve::chat
