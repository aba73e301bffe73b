// The commands of an agent's session as its person hears of them: which there are, which one is meant, which
// ended.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "helve/runtime.h"

namespace helve::cli {

struct BackgroundCommand {
  std::string id;
  std::string line;
  bool running = false;
};

// From the data of `process list`.
[[nodiscard]] std::vector<BackgroundCommand> commands_in(const Json& list);
// Those that run in the session.
[[nodiscard]] std::vector<BackgroundCommand> running_commands(Runtime& runtime,
                                                              const std::shared_ptr<Session>& session);
[[nodiscard]] std::vector<BackgroundCommand> running_of(std::span<const BackgroundCommand> commands);

// "2 background commands"; "cmd_a (npm run dev), cmd_b (make)"
[[nodiscard]] std::string how_many(std::span<const BackgroundCommand> commands);
[[nodiscard]] std::string names_of(std::span<const BackgroundCommand> commands);

// "2 background commands were ended: …"
[[nodiscard]] std::string ended_text(std::span<const BackgroundCommand> commands);

// The one with this id; without an id the only one, or the only one that runs. The error names those that
// could be meant. `slash` is what was typed: "/tail".
[[nodiscard]] Expected<BackgroundCommand> choose_command(std::span<const BackgroundCommand> commands,
                                                         std::string_view id, std::string_view slash);

}  // namespace helve::cli
