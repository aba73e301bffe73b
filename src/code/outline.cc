#include "code/outline.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/strings.h"

namespace helve::code {
namespace {

// Each level omits more than the one before.
enum class Level { kAll, kNoLocals, kNoFields, kTopLevel, kNames, kCounts };

constexpr auto kLeftOut = std::to_array<std::string_view>(
    {"", "nested functions and enum values", "fields, variables and nested definitions", "members",
     "members and signatures", "everything but the counts"});

bool is_function(const Symbol& symbol) {
  return symbol.kind == SymbolKind::kFunction || symbol.kind == SymbolKind::kMethod;
}

class OutlineWriter {
 public:
  OutlineWriter(const FileAnalysis& analysis, std::string_view source)
      : symbols_(analysis.symbols), source_(source) {
    depth_.resize(symbols_.size());
    in_function_.resize(symbols_.size());
    members_.resize(symbols_.size());
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      const std::uint32_t parent = symbols_[i].parent;
      if (parent == kNoParent) continue;
      depth_[i] = depth_[parent] + 1;
      in_function_[i] = static_cast<char>(in_function_[parent] != 0 || is_function(symbols_[parent]));
      ++members_[parent];
    }
  }

  // Stops appending once the limit is exceeded.
  std::string write(Level level, std::size_t max_bytes) const {
    if (level == Level::kNames) return names();
    if (level == Level::kCounts) return counts();
    std::string out;
    for (std::size_t i = 0; i < symbols_.size() && out.size() <= max_bytes; ++i)
      if (shows(level, i)) write_line(out, level, i);
    return out;
  }

 private:
  bool shows(Level level, std::size_t i) const {
    const Symbol& symbol = symbols_[i];
    if (level == Level::kAll) return true;
    if (in_function_[i] != 0) return false;
    if (symbol.kind == SymbolKind::kEnumerator) return false;
    if (level == Level::kNoLocals) return true;
    if (group_of(symbol.kind) == SymbolGroup::kVariables) return false;
    if (level == Level::kNoFields) return true;
    // Members of namespaces count as top level.
    for (std::uint32_t at = symbol.parent; at != kNoParent; at = symbols_[at].parent)
      if (symbols_[at].kind != SymbolKind::kNamespace) return false;
    return symbol.kind != SymbolKind::kMacro;
  }

  void write_line(std::string& out, Level level, std::size_t i) const {
    const Symbol& symbol = symbols_[i];
    // Enumerators, and variables that are declared together, share a line.
    if (i > 0 && symbols_[i - 1].parent == symbol.parent && symbols_[i - 1].kind == symbol.kind) {
      const bool together = symbols_[i - 1].signature_begin == symbol.signature_begin &&
                            symbols_[i - 1].signature_end == symbol.signature_end;
      if (together) return;
      if (symbol.kind == SymbolKind::kEnumerator) {
        out.pop_back();
        out += concat(", ", symbol.name, "\n");
        return;
      }
    }
    out.append(2 * std::size_t{depth_[i]}, ' ');
    std::string signature = symbol.kind == SymbolKind::kEnumerator
                                ? symbol.name
                                : signature_of(source_, symbol.signature_begin, symbol.signature_end, 160);
    if (signature == symbol.name && has_members(symbol.kind))
      signature = concat(to_string(symbol.kind), " ", signature);
    out += concat(line_range(symbol.line, symbol.end_line), " ", signature);
    if (level == Level::kTopLevel && members_[i] > 0 && !is_function(symbol) &&
        symbol.kind != SymbolKind::kNamespace)
      out += concat(" (", count_of(members_[i], "member"), ")");
    out += "\n";
  }

  std::string names() const {
    std::map<std::string_view, std::string> by_kind;
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      if (!shows(Level::kTopLevel, i)) continue;
      std::string& list = by_kind[to_string(symbols_[i].kind)];
      list += concat(list.empty() ? "" : ", ", symbols_[i].name, ":", symbols_[i].line);
    }
    std::string out;
    for (const auto& [kind, list] : by_kind) out += concat(kind, ": ", list, "\n");
    return out;
  }

  std::string counts() const {
    std::map<std::string_view, std::size_t> by_kind;
    for (const Symbol& symbol : symbols_) ++by_kind[to_string(symbol.kind)];
    std::string out;
    for (const auto& [kind, count] : by_kind) out += concat(kind, ": ", with_thousands(count), "\n");
    return out;
  }

  const std::vector<Symbol>& symbols_;
  std::string_view source_;
  std::vector<std::uint32_t> depth_;
  std::vector<char> in_function_;
  std::vector<std::uint32_t> members_;
};

}  // namespace

std::string line_range(std::uint32_t first, std::uint32_t last) {
  return last > first ? concat(first, "-", last) : concat(first);
}

Outline make_outline(const FileAnalysis& analysis, std::string_view source, std::size_t max_bytes) {
  const OutlineWriter writer(analysis, source);
  for (const Level level :
       {Level::kAll, Level::kNoLocals, Level::kNoFields, Level::kTopLevel, Level::kNames}) {
    std::string text = writer.write(level, max_bytes);
    if (text.size() <= max_bytes && (!text.empty() || analysis.symbols.empty()))
      return {std::move(text), std::string(kLeftOut[static_cast<std::size_t>(level)])};
  }
  return {writer.write(Level::kCounts, max_bytes), std::string(kLeftOut.back())};
}

std::string describe_errors(const FileAnalysis& analysis) {
  std::string text;
  if (analysis.error_regions > 0) {
    std::vector<std::string> lines;
    for (const std::uint32_t line : analysis.error_lines) lines.push_back(concat(line));
    text = concat(count_of(analysis.error_regions, "region"), " could not be parsed (",
                  analysis.error_regions > lines.size() ? "first at " : "",
                  lines.size() == 1 ? "line " : "lines ", join(lines, ", "),
                  "); definitions there may be missing");
  }
  if (analysis.incomplete)
    text += concat(text.empty() ? "" : "; ", "a limit was reached before the end of the file");
  return text;
}

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
