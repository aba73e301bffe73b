// From a symbol's name to the place where it is defined.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "lsp/position.h"
#include "lsp/protocol.h"
#include "lsp/server.h"
#include "search/search.h"

namespace helve::lsp {

struct SymbolPlace {
  std::string path;   // absolute
  Position position;  // of its name, in UTF-16 columns
  std::string name;   // with what it is in: Class/method
  std::string kind = {};
  bool has_body = false;  // known to be the definition, not a declaration of it
};

// `path` is the file in which the caller met the symbol; its own definitions come first. NOT_FOUND when there
// is no such definition.
using SymbolFinder = std::function<Expected<std::vector<SymbolPlace>>(
    const std::string& symbol, const std::string& path, const Patience& patience)>;

// Class/method, Class.method, Class::method and Class#method all mean the same.
[[nodiscard]] std::vector<std::string> split_symbol(std::string_view symbol);
// Whether a name, with what it is in, ends with these parts.
[[nodiscard]] bool names_symbol(const SymbolEntry& entry, const std::vector<std::string>& parts);

// Looks for the word with the search engine, and lets the file's language server say what of it is a
// definition. Everything named must outlive it.
[[nodiscard]] SymbolFinder make_grep_symbol_finder(Server& server, const search::EngineChoice& engine,
                                                   Logger& logger);

// The symbols of an open document.
[[nodiscard]] Expected<std::vector<SymbolEntry>> symbols_of(Server& server, const Document& document,
                                                            const Patience& patience);

}  // namespace helve::lsp
