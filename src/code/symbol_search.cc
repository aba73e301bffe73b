#include "code/symbol_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/ascii.h"
#include "base/strings.h"

namespace helve::code {
namespace {

bool is_test(std::string_view path) {
  for (const std::string_view part :
       {"test/", "tests/", "_test.", ".test.", ".spec.", "/test_", "testing/", "testdata/"})
    if (path.find(part) != std::string_view::npos) return true;
  return path.starts_with("test_");
}

int weight_of(SymbolKind kind) {
  switch (group_of(kind)) {
    case SymbolGroup::kClasses: return 8;
    case SymbolGroup::kFunctions: return kind == SymbolKind::kFunction ? 6 : 4;
    case SymbolGroup::kVariables: return kind == SymbolKind::kConstant ? 2 : 0;
  }
  return 0;
}

bool is_one_word(std::string_view name) {
  for (std::size_t i = 1; i < name.size(); ++i)
    if (name[i] == '_' || is_upper(name[i])) return false;
  return true;
}

bool is_better(const FoundSymbol& left, const FoundSymbol& right) {
  if (left.fit.score != right.fit.score) return left.fit.score > right.fit.score;
  if (left.file->path != right.file->path) {
    const auto depth = [](const FoundSymbol& found) { return std::ranges::count(found.file->path, '/'); };
    if (depth(left) != depth(right)) return depth(left) < depth(right);
    return left.file->path < right.file->path;
  }
  return left.symbol->line < right.symbol->line;
}

}  // namespace

bool SymbolFilter::takes(const IndexedFile& file) const {
  if (!directory.empty() && !(file.path.starts_with(directory) && file.path.size() > directory.size() &&
                              file.path[directory.size()] == '/'))
    return false;
  return !hides || !hides(file.path);
}

bool SymbolFilter::takes(const IndexedSymbol& symbol) const {
  return symbol.kind != SymbolKind::kImpl && (!group || group_of(symbol.kind) == *group);
}

namespace {

// The sort key of a symbol. Kept small because every symbol may be a candidate.
struct Candidate {
  int score = 0;
  NameFit fit = NameFit::kExact;
  std::uint32_t depth = 0;  // of the file's path
  std::uint32_t file = 0;
  std::uint32_t symbol = 0;

  // Better candidates compare less. Ties are sorted by path and line.
  auto key() const { return std::tuple(-score, depth, file, symbol); }
};

std::size_t gather(const IndexState& state, const NameQuery& query, const SymbolFilter& filter,
                   NameQuery::Typos slips, std::size_t most, std::vector<Candidate>& candidates) {
  SymbolFilter by_directory = filter;
  by_directory.hides = {};  // reads the disk, so it is applied only to files with results
  std::size_t total = 0;
  for (std::uint32_t i = 0; i < state.files.size(); ++i) {
    const IndexedFile& file = *state.files[i];
    if (!by_directory.takes(file)) continue;
    std::optional<Candidate> common;  // the values shared by all symbols of the file
    for (std::uint32_t j = 0; j < file.symbols.size(); ++j) {
      const IndexedSymbol& symbol = file.symbols[j];
      if (!filter.takes(symbol)) continue;
      const auto fit = query.match(file.name_of(symbol), file.container_of(symbol), slips);
      if (!fit) continue;
      if (!common) {
        if (filter.hides && filter.hides(file.path)) break;
        common = Candidate{.score = is_test(file.path) ? -6 : 0,
                           .depth = static_cast<std::uint32_t>(std::ranges::count(file.path, '/')),
                           .file = i};
      }
      Candidate candidate = *common;
      candidate.score += fit->score + weight_of(symbol.kind) - (symbol.declaration != 0 ? 12 : 0);
      candidate.fit = fit->fit;
      candidate.symbol = j;
      candidates.push_back(candidate);
      ++total;
    }
    // Bounds the memory.
    if (candidates.size() > 20'000 + 50 * most) {
      std::ranges::nth_element(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(most), {},
                               &Candidate::key);
      candidates.resize(most);
    }
  }
  return total;
}

}  // namespace

SymbolAnswer search_symbols(const IndexState& state, const NameQuery& query, const SymbolFilter& filter,
                            std::size_t most) {
  SymbolAnswer answer;
  std::vector<Candidate> candidates;
  answer.total = gather(state, query, filter, NameQuery::Typos::kIgnore, most, candidates);
  if (std::ranges::none_of(candidates, [](const Candidate& one) { return one.fit < NameFit::kLoose; })) {
    candidates.clear();
    answer.total = gather(state, query, filter, NameQuery::Typos::kForgive, most, candidates);
  }
  const std::size_t kept = std::min(most, candidates.size());
  std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(kept), {},
                            &Candidate::key);
  for (std::size_t i = 0; i < kept; ++i) {
    const Candidate& one = candidates[i];
    const auto& file = state.files[one.file];
    answer.symbols.push_back(
        {.file = file, .symbol = &file->symbols[one.symbol], .fit = {one.fit, one.score}});
  }
  return answer;
}

std::vector<std::string> near_names(const IndexState& state, std::string_view name,
                                    const SymbolFilter& filter, std::size_t most) {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string> candidates;
  for (const auto& file : state.files) {
    if (!filter.takes(*file)) continue;
    for (const IndexedSymbol& symbol : file->symbols) {
      const std::string_view candidate = file->name_of(symbol);
      const std::size_t longer = std::max(candidate.size(), name.size());
      const std::size_t shorter = std::min(candidate.size(), name.size());
      if (!filter.takes(symbol) || longer - shorter > longer / 2) continue;
      if (seen.insert(candidate).second) candidates.emplace_back(candidate);
    }
    if (candidates.size() > 200'000) break;
  }
  return nearest(name, candidates, most);
}

std::vector<FoundSymbol> rank_symbols(const IndexState& state, const SymbolFilter& filter, std::size_t most) {
  struct Use {
    std::uint32_t definitions = 0;
    std::uint32_t files = 0;  // that contain the word
  };
  std::unordered_map<std::uint32_t, Use> uses;
  const auto matters = [&](const IndexedSymbol& symbol) {
    return filter.takes(symbol) && symbol.kind != SymbolKind::kField &&
           symbol.kind != SymbolKind::kEnumerator && symbol.kind != SymbolKind::kNamespace;
  };
  std::vector<const std::shared_ptr<const IndexedFile>*> files;
  for (const auto& file : state.files)
    if (filter.takes(*file)) files.push_back(&file);
  for (const auto* file : files)
    for (const IndexedSymbol& symbol : (*file)->symbols)
      if (matters(symbol)) uses.try_emplace(word_hash((*file)->name_of(symbol)));
  for (const auto& file : state.files) {
    for (const IndexedSymbol& symbol : file->symbols) {
      const auto use = uses.find(word_hash(file->name_of(symbol)));
      if (use != uses.end() && symbol.declaration == 0) ++use->second.definitions;
    }
    for (const std::uint32_t word : file->words) {
      const auto use = uses.find(word);
      if (use != uses.end()) ++use->second.files;
    }
  }
  std::vector<FoundSymbol> ranked;
  for (const auto* file : files) {
    const double place = is_test((*file)->path) ? 0.2 : 1;
    for (const IndexedSymbol& symbol : (*file)->symbols) {
      if (!matters(symbol)) continue;
      const std::string_view name = (*file)->name_of(symbol);
      const Use& use = uses[word_hash(name)];
      double score = place * std::log2(1.0 + use.files) / std::sqrt(std::max(1U, use.definitions));
      if (group_of(symbol.kind) == SymbolGroup::kClasses) score *= 1.5;
      if (group_of(symbol.kind) == SymbolGroup::kVariables) score *= 0.4;
      if (symbol.kind == SymbolKind::kMethod) score *= 0.6;
      if (symbol.declaration != 0) score *= 0.5;
      if (is_one_word(name)) score *= 0.6;  // a common word may refer to something else
      if (name.starts_with('_') || name.size() < 3) score *= 0.3;
      // Nested functions are local.
      if (symbol.parent != kNoParent &&
          group_of((*file)->symbols[symbol.parent].kind) == SymbolGroup::kFunctions)
        continue;
      ranked.push_back({.file = *file, .symbol = &symbol, .importance = score});
    }
  }
  const auto by_importance = [](const FoundSymbol& left, const FoundSymbol& right) {
    if (left.importance != right.importance) return left.importance > right.importance;
    return is_better(left, right);
  };
  const std::size_t kept = std::min(most, ranked.size());
  std::ranges::partial_sort(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(kept), by_importance);
  ranked.resize(kept);
  return ranked;
}

}  // namespace helve::code
