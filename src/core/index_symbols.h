// Finds the position of a symbol in the workspace's index, for questions to language servers.
#pragma once

#include "core/engines.h"
#include "lsp/symbol_finder.h"

namespace helve::core {

// Looks at the file's own definitions, then at those of all files that the server handles. If the index has
// none, it asks `otherwise`: some languages have no grammar, and some names only the server knows. All
// arguments must outlive the finder.
[[nodiscard]] lsp::SymbolFinder make_index_symbol_finder(Engines& engines, lsp::Server& server,
                                                         lsp::SymbolFinder otherwise);

}  // namespace helve::core
