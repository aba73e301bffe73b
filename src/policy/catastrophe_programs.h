// Finds what one command would destroy, by its program and arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/catastrophe_places.h"
#include "policy/line_values.h"

namespace helve::policy {

// Completes "it would …"; none for all other commands. The first field is the bare name of the program.
[[nodiscard]] std::optional<std::string> judge_program(const Fields& words, const CatastrophePlaces& places);
// The same for a file that a redirection writes.
[[nodiscard]] std::optional<std::string> judge_written_file(std::string_view pattern,
                                                            const CatastrophePlaces& places);
// Whether `find` acts on everything below its starting points: no test selects files.
[[nodiscard]] bool finds_everything(const Fields& words);
// A pattern without its backslashes, for display and for programs that read patterns themselves.
[[nodiscard]] std::string unescaped(std::string_view pattern);

}  // namespace helve::policy
