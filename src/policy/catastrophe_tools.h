// Judges programs that destroy files besides their main work: archivers that delete what they pack,
// compressors that replace files, editors in place, git clean.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/catastrophe_places.h"
#include "policy/catastrophe_words.h"

namespace helve::policy {

// What the program with these arguments would destroy.
[[nodiscard]] std::optional<std::string> judge_tool(std::string_view program, FieldSpan words,
                                                    const CatastrophePlaces& places);

}  // namespace helve::policy
