#include "code/directory_map.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/strings.h"
#include "code/outline.h"

namespace helve::code {

DirectoryMap draw_map(const std::vector<FoundSymbol>& ranked, const std::string& prefix,
                      const std::function<std::string(const FoundSymbol&)>& signature,
                      std::size_t max_bytes) {
  struct FileLines {
    const FoundSymbol* first = nullptr;
    std::map<std::pair<std::uint32_t, std::size_t>, std::string> lines;  // by line
  };
  std::vector<FileLines> files;
  std::unordered_map<const IndexedFile*, std::size_t> places;
  DirectoryMap drawn;
  std::size_t bytes = 0;
  // All of one file at once, so that each is opened once.
  std::vector<const FoundSymbol*> order;
  for (const FoundSymbol& found : ranked) order.push_back(&found);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const FoundSymbol& found = *order[i];
    const std::string_view container = found.container();
    std::string line =
        concat("  ", line_range(found.symbol->line, found.symbol->end_line), " ", signature(found));
    const bool says_it = container.empty() || line.find(container) != std::string::npos;
    if (!says_it && found.symbol->kind == SymbolKind::kMethod) line += concat("  [", container, "]");
    line += "\n";
    const auto place = places.find(found.file.get());
    const std::size_t heading = place == places.end() ? prefix.size() + found.file->path.size() + 30 : 0;
    if (bytes + line.size() + heading > max_bytes) break;
    bytes += line.size() + heading;
    if (place == places.end()) {
      places.emplace(found.file.get(), files.size());
      files.push_back({.first = &found, .lines = {}});
    }
    files[places[found.file.get()]].lines.emplace(std::pair(found.symbol->line, i), std::move(line));
    ++drawn.symbols;
  }
  drawn.files = files.size();
  for (const FileLines& file : files) {
    drawn.text +=
        concat(prefix, file.first->file->path, " (", count_of(file.first->file->lines, "line"), ")\n");
    for (const auto& [place, line] : file.lines) drawn.text += line;
  }
  return drawn;
}

}  // namespace helve::code
