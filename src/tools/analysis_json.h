// Formats the analysis of a file as JSON for a model.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "code/symbol.h"
#include "helve/json.h"

namespace helve::tools {

// How much is included besides names, lines, parameters and types. The member leftOut says what is not.
enum class Verbosity { kWhole, kShortDocs, kNoDocs, kBare };

[[nodiscard]] Json analysis_json(const std::string& path, const code::FileAnalysis& analysis,
                                 std::string_view source, Verbosity wordiness);
// Uses the highest verbosity with fewer than `max_bytes` of text, or the lowest.
[[nodiscard]] Json analysis_json_within(const std::string& path, const code::FileAnalysis& analysis,
                                        std::string_view source, std::size_t max_bytes);

}  // namespace helve::tools
