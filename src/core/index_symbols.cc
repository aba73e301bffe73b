#include "core/index_symbols.h"

#include <algorithm>

#include "base/strings.h"
#include "code/source_text.h"
#include "code/symbol_search.h"

namespace helve::core {
namespace {

using lsp::ColumnUnit;
using lsp::SymbolPlace;

constexpr std::size_t kMostPlaces = 50;

// Whether name and container end with these parts.
bool is_named(std::string_view name, std::string_view container, const std::vector<std::string>& parts) {
  std::vector<std::string> full = lsp::split_symbol(container);
  full.emplace_back(name);
  return parts.size() <= full.size() && std::equal(parts.rbegin(), parts.rend(), full.rbegin());
}

// The current content of a source file.
struct Source {
  std::string bytes;
  code::FileStamp stamp;
};
std::optional<Source> read_now(const workspace::Root& root, const std::string& path) {
  const auto file = root.open_read(path);
  if (!file || file->size() > code::kLargestSource) return std::nullopt;
  auto bytes = workspace::read_content(*file, code::kLargestSource);
  if (!bytes) return std::nullopt;
  return Source{*std::move(bytes), code::stamp_of(file->status)};
}

void add_places(const workspace::Root& root, const code::IndexedFile& file, std::string_view bytes,
                const std::vector<std::string>& parts, std::vector<lsp::SymbolPlace>& places) {
  const std::string text = code::read_source(file.path, bytes).text;
  const lsp::LineTable lines(text);
  const code::SymbolFilter filter;
  for (const code::IndexedSymbol& symbol : file.symbols) {
    const std::string_view name = file.name_of(symbol);
    const std::string_view container = file.container_of(symbol);
    if (!filter.takes(symbol) || symbol.name_line == 0 || symbol.column == 0) continue;
    if (name != parts.back() || !is_named(name, container, parts)) continue;
    const lsp::Position at = lines.convert(lsp::Position{symbol.name_line - 1, symbol.column - 1},
                                           lsp::ColumnUnit::kUtf32, lsp::ColumnUnit::kUtf16);
    std::vector<std::string> full = lsp::split_symbol(container);
    full.emplace_back(name);
    places.push_back({concat(root.path(), "/", file.path), at, join(full, "/"),
                      std::string(code::to_string(symbol.kind)), symbol.declaration == 0});
    if (places.size() == kMostPlaces) return;
  }
}

std::vector<lsp::SymbolPlace> places_in_file(const workspace::Root& root, const std::string& path,
                                             const std::vector<std::string>& parts,
                                             const lsp::WaitLimit& limit) {
  std::vector<lsp::SymbolPlace> places;
  const std::string prefix = concat(root.path(), "/");
  if (!path.starts_with(prefix)) return places;
  const std::string name = path.substr(prefix.size());
  const auto source = read_now(root, name);
  if (!source) return places;
  const code::IndexedFile file =
      code::index_file(name, source->bytes, source->stamp, [&] { return limit.is_over(); });
  add_places(root, file, source->bytes, parts, places);
  return places;
}

std::vector<lsp::SymbolPlace> places_in_workspace(Engines& engines, const lsp::ServerSpec& spec,
                                                  const std::vector<std::string>& parts,
                                                  const lsp::WaitLimit& limit) {
  const auto hidden = engines.rules->hidden();
  const auto now = std::chrono::steady_clock::now();
  // Most of the time is left for the question itself.
  const code::IndexView view =
      engines.symbols().refresh({.exclusions = hidden->exclusions(),
                                 .deadline = now + std::min<std::chrono::steady_clock::duration>(
                                                       (limit.deadline - now) / 2, std::chrono::seconds(20)),
                                 .should_stop = [&] { return limit.is_over(); }});
  code::SymbolFilter filter;
  if (!hidden->empty()) filter.hides = [hidden](std::string_view path) { return hidden->hides(path); };
  const code::SymbolAnswer answer =
      code::search_symbols(*view.state, code::NameQuery(join(parts, ".")), filter, kMostPlaces);
  // Definitions before declarations; files in the order of the answer.
  std::vector<lsp::SymbolPlace> places;
  std::vector<const code::IndexedFile*> seen;
  for (const code::FoundSymbol& found : answer.symbols) {
    if (found.fit.fit != code::NameFit::kExact || places.size() >= kMostPlaces) break;
    if (std::ranges::find(seen, found.file.get()) != seen.end() || !spec.serves(found.file->path)) continue;
    seen.push_back(found.file.get());
    const auto source = read_now(engines.root, found.file->path);
    if (source && source->stamp == found.file->stamp)
      add_places(engines.root, *found.file, source->bytes, parts, places);
  }
  return places;
}

}  // namespace

lsp::SymbolFinder make_index_symbol_finder(Engines& engines, lsp::Server& server,
                                           lsp::SymbolFinder otherwise) {
  return [&engines, &server, otherwise = std::move(otherwise)](
             const std::string& symbol, const std::string& path,
             const lsp::WaitLimit& limit) -> Expected<std::vector<lsp::SymbolPlace>> {
    const std::vector<std::string> parts = lsp::split_symbol(symbol);
    if (!parts.empty()) {
      if (auto places = places_in_file(engines.root, path, parts, limit); !places.empty()) return places;
      if (auto places = places_in_workspace(engines, server.spec(), parts, limit); !places.empty())
        return places;
    }
    return otherwise(symbol, path, limit);
  };
}

}  // namespace helve::core
