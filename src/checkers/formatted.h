// Takes a formatter's result, or says why there is none.
#pragma once

#include <string>
#include <string_view>

#include "checkers/find_checker.h"
#include "checkers/finding.h"
#include "helve/error.h"

namespace helve::checkers {

// `input` is what it was given. EXECUTION_FAILED with details.state "did-not-run" when the text cannot be
// trusted; the file is to stay as it is.
[[nodiscard]] Expected<std::string> read_formatted(const CheckerSpec& spec, const Subject& subject,
                                                   std::string_view input, ProgramOutput output);

}  // namespace helve::checkers
