// Questions to the index: symbols by name, the nearest names, the most used symbols of a directory.
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

// Which symbols count at all.
struct SymbolFilter {
  std::string directory = {};  // only files in it; empty: all
  std::optional<SymbolGroup> group = {};
  std::function<bool(std::string_view path)> hides = {};  // files that must not be shown

  [[nodiscard]] bool takes(const IndexedFile& file) const;
  [[nodiscard]] bool takes(const IndexedSymbol& symbol) const;
};

struct SymbolAnswer {
  std::vector<FoundSymbol> symbols = {};  // the best first
  std::size_t total = 0;
};

[[nodiscard]] SymbolAnswer search_symbols(const IndexState& state, const NameQuery& query,
                                          const SymbolFilter& filter, std::size_t most);
// Names of symbols that somebody who typed `name` may have meant.
[[nodiscard]] std::vector<std::string> near_names(const IndexState& state, std::string_view name,
                                                  const SymbolFilter& filter, std::size_t most = 3);

// The most important symbols, the best first: those whose names other files use, more so the fewer define
// them.
[[nodiscard]] std::vector<FoundSymbol> rank_symbols(const IndexState& state, const SymbolFilter& filter,
                                                    std::size_t most);

}  // namespace helve::code
