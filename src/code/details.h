// What a definition says besides its name: parameters, types, bases, decorators, documentation, complexity.
#pragma once

#include <string_view>
#include <vector>

#include "code/nesting.h"
#include "code/symbol.h"

namespace helve::code {

// Fills the symbols' details and the file's; `definitions` as nest_definitions made them.
void add_details(std::vector<Definition>& definitions, const Findings& findings, std::string_view text,
                 std::string_view language, FileAnalysis& analysis);

}  // namespace helve::code
