// Feeds arbitrary texts to the parser of command lines: libFuzzer, clang++ -fsanitize=fuzzer,address.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "shell/command_line.h"
#include "shell/effects.h"

// The first byte chooses the shell, the rest is the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace helve::shell;
  if (size == 0) return 0;
  constexpr Dialect kDialects[] = {Dialect::kBash, Dialect::kPosix, Dialect::kZsh};
  const std::string text(data + 1, data + size);
  const CommandLine line = parse_command_line(text, kDialects[data[0] % 3]);
  for (const SimpleCommand& command : line.commands) {
    const auto reason = runs_more(command);
    if (reason && reason->empty()) __builtin_trap();
    // A command without a known name must not pass as known.
    if (!command.words.empty() && !command.words.front().literal && line.unknown.empty()) __builtin_trap();
  }
  // Any line that is not blank runs a command or is unclear.
  const std::size_t shown = text.find_first_not_of(" \t\n");
  if (line.commands.empty() && line.unknown.empty() && shown != std::string::npos && text[shown] != '#' &&
      !text.contains("[[") && !text.contains("((") && !text.contains("case") && !text.contains("\\\n"))
    __builtin_trap();
  return 0;
}
