// Places as the server names them, turned into what can be shown: relative paths, lines, enclosing symbols.
#include <algorithm>
#include <set>

#include "base/strings.h"
#include "base/utf8.h"
#include "lsp/questions.h"

namespace helve::lsp {
namespace {

constexpr std::size_t kMostOutlined = 8;  // files whose symbols are asked for
constexpr auto kOutlineTime = std::chrono::seconds(3);
constexpr std::size_t kLongestLine = 300;

// The innermost symbol that the place is in.
std::string enclosing(const std::vector<SymbolEntry>& symbols, const Position& position) {
  const SymbolEntry* best = nullptr;
  for (const SymbolEntry& entry : symbols) {
    if (position < entry.range.start || entry.range.end < position) continue;
    if (entry.kind == "variable" || entry.kind == "constant" || entry.kind == "property" ||
        entry.kind == "field")
      continue;
    if (best == nullptr || best->range.start <= entry.range.start) best = &entry;
  }
  if (best == nullptr) return {};
  // A definition is in what is around it.
  if (best->selection.start <= position && position <= best->selection.end) return best->container;
  return best->container.empty() ? best->name : concat(best->container, "/", best->name);
}

}  // namespace

Spot Questions::spot_of(const Location& location, ColumnUnit unit) const {
  Spot spot{
      .path = relative(location.path), .range = location.range, .column = location.range.start.character + 1};
  spot.outside = spot.path.starts_with('/');
  if (spot.outside) return spot;
  const auto file = read_file_text(options_.servers.workspace(), location.path);
  if (!file) return spot;
  const LineTable lines(file->text);
  spot.range = lines.convert(location.range, unit, ColumnUnit::kUtf16);
  const std::string_view line = lines.line(location.range.start.line);
  spot.column = 1 + column_of_byte(line, byte_of_column(line, location.range.start.character, unit),
                                   ColumnUnit::kUtf32);
  spot.text = shortened(trim(line), kLongestLine);
  return spot;
}

void Questions::add_spots(FoundPlaces& found, Server& server, std::vector<Location> locations,
                          const Patience& patience) {
  const auto hidden = std::erase_if(locations, [&](const Location& each) { return is_hidden(each.path); });
  if (hidden > 0)
    found.told.notes.push_back(
        concat(count_of(hidden, "place"), hidden == 1 ? " is" : " are", " in files that may not be read."));
  std::ranges::stable_sort(locations, {},
                           [](const Location& each) { return std::pair(each.path, each.range); });
  // The file of the question first.
  std::ranges::stable_partition(
      locations, [&](const Location& each) { return relative(each.path) == found.asked.path; });
  std::set<std::string> files;
  for (const Location& location : locations) files.insert(location.path);
  found.total = locations.size();
  found.files = files.size();
  if (locations.size() > options_.most_spots) locations.resize(options_.most_spots);

  const Patience outline_patience = patience.at_most(kOutlineTime);
  std::map<std::string, std::vector<SymbolEntry>> outlines;
  for (const Location& location : locations) {
    Spot spot = spot_of(location, server.unit());
    if (!spot.outside) {
      auto outline = outlines.find(location.path);
      if (outline == outlines.end() && outlines.size() < kMostOutlined && !outline_patience.is_over()) {
        std::vector<SymbolEntry> symbols;
        if (const auto document = server.prepare(location.path, outline_patience))
          symbols = symbols_of(server, *document, outline_patience).value_or(std::vector<SymbolEntry>());
        outline = outlines.emplace(location.path, std::move(symbols)).first;
      }
      if (outline != outlines.end()) spot.symbol = enclosing(outline->second, location.range.start);
    }
    found.spots.push_back(std::move(spot));
  }
}

}  // namespace helve::lsp
