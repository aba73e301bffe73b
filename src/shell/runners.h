// Programs that run the command behind one of their subcommands: `uv run rm x`, `docker exec c rm x`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "shell/command_line.h"

namespace helve::shell {

struct RunnerPlace {
  std::size_t command = 0;  // the first word that can belong to the command
  bool elsewhere = false;   // it runs in a container or on another machine
  bool several = false;     // each argument can be a command: hyperfine ls 'rm x'
};

// Where the command behind a runner begins; none when the words have no runner.
[[nodiscard]] std::optional<RunnerPlace> find_runner(std::span<const Word> words);

}  // namespace helve::shell
