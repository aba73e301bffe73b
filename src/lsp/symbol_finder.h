// Finds the definition of a symbol by its name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "lsp/position.h"
#include "lsp/protocol.h"
#include "lsp/server.h"
#include "search/grep.h"

namespace helve::lsp {

struct SymbolPlace {
  std::string path;   // absolute
  Position position;  // of its name, in UTF-16 columns
  std::string name;   // with the enclosing symbols: Class/method
  std::string kind = {};
  bool has_body = false;  // a definition, not just a declaration
};

// `path` is the file in which the caller saw the symbol; definitions in it come first. Fails with NOT_FOUND.
using SymbolFinder = std::function<Expected<std::vector<SymbolPlace>>(
    const std::string& symbol, const std::string& path, const WaitLimit& limit)>;

// Splits Class/method, Class.method, Class::method and Class#method into parts.
[[nodiscard]] std::vector<std::string> split_symbol(std::string_view symbol);
// Whether the symbol's qualified name ends with these parts.
[[nodiscard]] bool names_symbol(const SymbolEntry& entry, const std::vector<std::string>& parts);

// Searches for the word, then asks the language server which matches are definitions. The arguments must
// outlive the finder.
[[nodiscard]] SymbolFinder make_grep_symbol_finder(Server& server, const search::EngineChoice& engine,
                                                   Logger& logger);

// The symbols of an open document.
[[nodiscard]] Expected<std::vector<SymbolEntry>> symbols_of(Server& server, const Document& document,
                                                            const WaitLimit& limit);

}  // namespace helve::lsp
