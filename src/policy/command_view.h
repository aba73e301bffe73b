// The readings of a simple command under which a rule that forbids has to look at it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/command_line.h"

namespace helve::policy {

using Words = std::vector<shell::Word>;

// The last component of a program's name: /usr/bin/rm is rm.
[[nodiscard]] std::string_view program_name(std::string_view word);

// The words with the program's name bare, then what else they amount to: `git-push x` is `git push x`,
// `busybox rm` and `ld-linux.so /bin/rm` are `rm`, a link is what it leads to. Empty for a command without
// words.
[[nodiscard]] std::vector<Words> readings_of(const shell::SimpleCommand& command, std::string_view directory);

// How many words behind `words[at]`, an option of words[0], are its value: exact for programs whose options
// are known here, otherwise both 0 and 1 are possible.
enum class OptionValue { kNone, kNext, kUnsure };
[[nodiscard]] OptionValue value_of_option(std::string_view program, std::string_view option);

// The words as they would have to be typed, quoted where it matters.
[[nodiscard]] std::string spell_out(const Words& words);
// The same for one word.
[[nodiscard]] std::string quoted(std::string_view word);

}  // namespace helve::policy
