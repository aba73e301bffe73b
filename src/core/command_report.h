// What exec and process say about a command, to models and to programs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/command_sessions.h"
#include "helve/result.h"
#include "helve/settings.h"

namespace helve {

// "exit code 1 after 2.3 s", "still running after 10.0 s"
[[nodiscard]] std::string outcome_text(const process::Session& command);

// "3 lines" of a list for people and models: id, state, age, what it uses, the command.
[[nodiscard]] std::string list_line(const process::Session& command);

// What every answer about a command has in its data.
[[nodiscard]] JsonObject command_data(const process::Session& command, const CommandFacts& facts);

// What was found in repositories after the command; empty when there is nothing to say.
[[nodiscard]] std::string settled_text(const repository::Settled& settled);

// A part of the output as a model reads it, with what was left out counted, and the lines among it that look
// like errors pulled forward.
struct ShownOutput {
  std::string text;
  bool complete = true;
  JsonArray error_lines;  // {line, text} from what was left out
};
[[nodiscard]] Expected<ShownOutput> show_output(const process::Session& command,
                                                const process::Excerpt& excerpt, std::uint64_t from,
                                                std::uint64_t to);

// What is left of a tool's limit for results when the answer's other lines are in; `usual` is the limit that
// the tool has unless the settings say otherwise.
[[nodiscard]] std::size_t output_budget(const Settings::Results& settings, const std::string& tool,
                                        std::size_t usual);

// The end of a foreground command: all of it that fits into `budget` characters, or, when somebody has seen
// it all live, only what is to be said about it.
[[nodiscard]] Result describe_end(const process::Session& command, const CommandFacts& facts,
                                  std::size_t budget, bool seen_live = false);

}  // namespace helve
