// The answers of exec and process about a job, as text for models and as data for programs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/command_jobs.h"
#include "helve/result.h"

namespace helve::core {

// "exit code 1 after 2.3 s", "still running after 10.0 s"
[[nodiscard]] std::string outcome_text(const process::Job& command);

// One job of a list: id, state, age, resource use, command.
[[nodiscard]] std::string list_line(const process::Job& command);

// The data that every answer about a job has.
[[nodiscard]] JsonObject command_data(const process::Job& command, const CommandFacts& facts);

// "Changed a.txt; created 3: … . undo reverts this."; empty when the job changed nothing.
[[nodiscard]] std::string changed_text(const changes::CommandOutcome& outcome);

// The findings in repositories after the job; empty when there is nothing to report.
[[nodiscard]] std::string settled_text(const repository::Settled& settled);

// Output for a model: shortened, with a count of the omitted lines and those of them that look like errors.
struct ShownOutput {
  std::string text;
  bool complete = true;
  JsonArray error_lines;  // {line, text} of omitted lines
};
[[nodiscard]] Expected<ShownOutput> show_output(const process::Job& command, const process::Excerpt& excerpt,
                                                std::uint64_t from, std::uint64_t to);

// How much of the tool's result limit remains for output. `usual` is the tool's limit without a setting.
[[nodiscard]] std::size_t output_budget(const ResultSettings& settings, const std::string& tool,
                                        std::size_t usual);

// The answer for a finished foreground job: its output within `budget` characters, or only the facts when the
// user has seen the output live.
[[nodiscard]] Result describe_end(const process::Job& command, const CommandFacts& facts, std::size_t budget,
                                  bool seen_live = false);

}  // namespace helve::core
