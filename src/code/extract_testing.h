// Formats an analysis as lines for comparison in tests.
#pragma once

#include <string>
#include <vector>

#include "base/strings.h"
#include "code/extract.h"
#include "code/outline.h"

namespace helve::code {

// `  4-9 method f(a, b = 1) -> int [Base] async @decorator complexity 3 "Doc."`
inline std::string describe(const FileAnalysis& analysis) {
  std::string out =
      concat(analysis.language, ", ", analysis.lines, " lines, complexity ", analysis.complexity, "\n");
  if (!analysis.skipped.empty()) out += concat("skipped: ", analysis.skipped, "\n");
  if (analysis.error_regions > 0) out += concat(describe_errors(analysis), "\n");
  if (!analysis.doc.empty()) out += concat("\"", on_one_line(analysis.doc), "\"\n");
  for (const std::string& import : analysis.imports) out += concat("import: ", import, "\n");
  for (const Symbol& symbol : analysis.symbols) {
    for (std::uint32_t at = symbol.parent; at != kNoParent; at = analysis.symbols[at].parent) out += "  ";
    out += concat(line_range(symbol.line, symbol.end_line), " ", to_string(symbol.kind), " ",
                  symbol.container.empty() ? "" : concat(symbol.container, "."), symbol.name);
    const bool is_function = symbol.kind == SymbolKind::kFunction || symbol.kind == SymbolKind::kMethod ||
                             symbol.kind == SymbolKind::kMacro;
    if (is_function) out += concat("(", join(symbol.parameters, " | "), ")");
    if (!symbol.return_type.empty()) out += concat(" -> ", symbol.return_type);
    if (!symbol.bases.empty()) out += concat(" [", join(symbol.bases, " | "), "]");
    if (symbol.is_async) out += " async";
    if (symbol.declaration) out += " declaration";
    for (const std::string& decorator : symbol.decorators) out += concat(" ", decorator);
    if (symbol.complexity > 1) out += concat(" complexity ", symbol.complexity);
    if (!symbol.doc.empty()) out += concat(" \"", on_one_line(symbol.doc), "\"");
    out += "\n";
  }
  return out;
}

// Only kinds and names: "class A, method f"
inline std::string names_of(const FileAnalysis& analysis) {
  std::vector<std::string> names;
  for (const Symbol& symbol : analysis.symbols)
    names.push_back(concat(to_string(symbol.kind), " ", symbol.name));
  return join(names, ", ");
}

inline FileAnalysis extract_names(std::string_view text, std::string_view language) {
  return extract(text, language, Depth::kNames, {});
}

}  // namespace helve::code
