// Names of symbols turned into places by the workspace's own index, for questions to language servers.
#pragma once

#include "core/engines.h"
#include "lsp/symbol_finder.h"

namespace helve {

// The file's own definitions, else those of the whole workspace in files that the server is for. Where the
// index knows none, `otherwise` is asked: there are languages without a grammar, and names that only a server
// knows. Everything named must outlive it.
[[nodiscard]] lsp::SymbolFinder make_index_symbol_finder(Engines& engines, lsp::Server& server,
                                                         lsp::SymbolFinder otherwise);

}  // namespace helve
