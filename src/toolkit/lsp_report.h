// Answers of language servers, as text for a model and as data for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/result.h"
#include "lsp/questions.h"

namespace helve::toolkit {

// The data of report_places().
inline constexpr std::string_view kPlacesData =
    "{places: [{path: string, line: integer}], total: integer, partial: boolean}";

// The data of report_references().
inline constexpr std::string_view kReferencesData =
    "{places: [{path: string, line: integer}], total: integer, partial: boolean, unconfirmed: [{path: "
    "string, "
    "line: integer}]}";

// `noun` is what was searched: "definition", "reference".
[[nodiscard]] Output report_places(const lsp::FoundPlaces& found, std::string_view noun);
[[nodiscard]] Output report_references(const lsp::FoundPlaces& found);
[[nodiscard]] Output report_hover(const lsp::HoverText& hover);
[[nodiscard]] Output report_diagnostics(const lsp::FileDiagnostics& found);
[[nodiscard]] Output report_symbols(const lsp::FoundSymbols& found, std::string_view query);

// "src/a.py:3:5: error: … (reportCall)", one per line.
[[nodiscard]] std::string diagnostic_lines(const std::vector<lsp::FoundDiagnostic>& diagnostics,
                                           std::size_t most);
[[nodiscard]] Json diagnostics_json(const std::vector<lsp::FoundDiagnostic>& diagnostics, std::size_t most);
// server, state (ready or indexing), partial and notes.
void add_answer_info(Json& data, const lsp::AnswerInfo& info);

}  // namespace helve::toolkit
