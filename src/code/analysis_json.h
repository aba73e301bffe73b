// The analysis of a file as JSON for a model: complete, and smaller than the file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "code/symbol.h"
#include "helve/json.h"

namespace helve::code {

// How much is said besides names, lines, parameters and types.
enum class Wordiness { kWhole, kShortDocs, kNoDocs, kBare };

[[nodiscard]] Json analysis_json(const std::string& path, const FileAnalysis& analysis,
                                 std::string_view source, Wordiness wordiness);
// The wordiest that has fewer than `max_bytes` as text, or else the barest.
[[nodiscard]] Json analysis_json_within(const std::string& path, const FileAnalysis& analysis,
                                        std::string_view source, std::size_t max_bytes);

}  // namespace helve::code
