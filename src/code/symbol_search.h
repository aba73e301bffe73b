// Queries the index: symbols by name, similar names, the most used symbols of a directory.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/name_match.h"
#include "code/symbol_index.h"

namespace helve::code {

struct FoundSymbol {
  std::shared_ptr<const IndexedFile> file;
  const IndexedSymbol* symbol = nullptr;  // lives as long as the file
  NameScore fit = {};
  double importance = 0;

  [[nodiscard]] std::string_view name() const { return file->name_of(*symbol); }
  [[nodiscard]] std::string_view container() const { return file->container_of(*symbol); }
};

// Restricts which symbols are found.
struct SymbolFilter {
  std::string directory = {};  // only files in it; empty means all
  std::optional<SymbolGroup> group = {};
  std::function<bool(std::string_view path)> hides = {};  // files that must not be shown

  [[nodiscard]] bool takes(const IndexedFile& file) const;
  [[nodiscard]] bool takes(const IndexedSymbol& symbol) const;
};

struct SymbolAnswer {
  std::vector<FoundSymbol> symbols = {};  // best first
  std::size_t total = 0;
};

[[nodiscard]] SymbolAnswer search_symbols(const IndexState& state, const NameQuery& query,
                                          const SymbolFilter& filter, std::size_t most);
// Existing symbol names that are similar to `name`.
[[nodiscard]] std::vector<std::string> near_names(const IndexState& state, std::string_view name,
                                                  const SymbolFilter& filter, std::size_t most = 3);

// The most important symbols, best first: names that many other files use and few files define.
[[nodiscard]] std::vector<FoundSymbol> rank_symbols(const IndexState& state, const SymbolFilter& filter,
                                                    std::size_t most);

}  // namespace helve::code
