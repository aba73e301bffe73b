// The background commands of an agent's session: lists, choosing one by id, and texts about them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "helve/runtime_class.h"

namespace helve::chat {

struct BackgroundCommand {
  std::string id;
  std::string line;
  bool running = false;
};

// From the data of `process list`.
[[nodiscard]] std::vector<BackgroundCommand> commands_in(const Json& list);
// The running commands of the session.
[[nodiscard]] std::vector<BackgroundCommand> running_commands(Runtime& runtime,
                                                              const std::shared_ptr<Session>& session);
[[nodiscard]] std::vector<BackgroundCommand> running_of(std::span<const BackgroundCommand> commands);

// "2 background commands"; "cmd_a (npm run dev), cmd_b (make)"
[[nodiscard]] std::string count_text(std::span<const BackgroundCommand> commands);
[[nodiscard]] std::string names_of(std::span<const BackgroundCommand> commands);

// "2 background commands were ended: …"
[[nodiscard]] std::string ended_text(std::span<const BackgroundCommand> commands);

// The command with this id. Without an id: the only command, or the only running one. The error lists the
// candidates. `slash` is the typed slash command, "/tail".
[[nodiscard]] Expected<BackgroundCommand> choose_command(std::span<const BackgroundCommand> commands,
                                                         std::string_view id, std::string_view slash);

}  // namespace helve::chat
