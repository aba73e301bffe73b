#include "code/symbol.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::code {

std::string_view to_string(SymbolKind kind) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"method", "function", "class", "struct", "union", "interface", "trait", "enum", "namespace", "impl",
       "macro", "type", "enumerator", "constant", "field", "variable"});
  return kNames[static_cast<std::size_t>(kind)];
}

SymbolGroup group_of(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kMethod:
    case SymbolKind::kFunction:
    case SymbolKind::kMacro: return SymbolGroup::kFunctions;
    case SymbolKind::kEnumerator:
    case SymbolKind::kConstant:
    case SymbolKind::kField:
    case SymbolKind::kVariable: return SymbolGroup::kVariables;
    default: return SymbolGroup::kClasses;
  }
}

bool has_members(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kClass:
    case SymbolKind::kStruct:
    case SymbolKind::kUnion:
    case SymbolKind::kInterface:
    case SymbolKind::kTrait:
    case SymbolKind::kEnum:
    case SymbolKind::kImpl:
    case SymbolKind::kType: return true;
    default: return false;
  }
}

std::string on_one_line(std::string_view text, std::size_t max_bytes) {
  std::string line;
  bool space = false;
  bool cut = false;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      space = !line.empty();
      continue;
    }
    if (line.size() > max_bytes) {
      cut = true;
      break;
    }
    if (space) line += ' ';
    space = false;
    line += c;
  }
  if (!cut && line.size() <= max_bytes) return line;
  return concat(trim(utf8_prefix(line, max_bytes)), "…");
}

std::string signature_of(std::string_view text, std::uint32_t begin, std::uint32_t end,
                         std::size_t max_bytes) {
  if (begin > text.size() || end > text.size() || begin > end) return {};
  std::string line = on_one_line(text.substr(begin, end - begin), max_bytes);
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view tail : {"{", ":", "=>", "=", ";", ",", " do"}) {
      if (!line.ends_with(tail)) continue;
      line.erase(line.size() - tail.size());
      while (line.ends_with(' ')) line.pop_back();
      more = true;
    }
  }
  return line;
}

std::string container_of(const std::vector<Symbol>& symbols, const Symbol& symbol) {
  std::vector<std::string> names;
  if (!symbol.container.empty()) names.push_back(symbol.container);
  for (std::uint32_t at = symbol.parent; at != kNoParent; at = symbols[at].parent)
    names.push_back(symbols[at].name);
  std::ranges::reverse(names);
  return join(names, ".");
}

}  // namespace helve::code
